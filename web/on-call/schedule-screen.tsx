import { Button, Switch, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send, sendFull } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import {
  type Editor,
  EditorNotices,
  getFieldError,
  ifMatch,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { Callout } from "../parts/blocks.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { EditorForm, EditorLayout, FormActions, FormSection } from "../parts/form.tsx";
import { PlusIcon, TrashIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import { ZoneSelect } from "../parts/zone-select.tsx";
import { LayerForm } from "./layer-form.tsx";
import { OverridePanels } from "./override-panels.tsx";
import { PagingPanel } from "./paging-panel.tsx";
import {
  fetchSchedule,
  findRange,
  peopleQuery,
  previewQuery,
  type Schedule,
  type ScheduleInput,
  scheduleQuery,
} from "./queries.ts";
import { SharingPanels } from "./sharing-panels.tsx";
import { Timeline } from "./timeline.tsx";

import {
  newLayer,
  newSchedule,
  removeAt,
  replaceAt,
  type ScheduleValues,
  toInput,
  toPreview,
  toValues,
} from "./values.ts";
import { words } from "./words.ts";

const own = words.form;
const maxLayers = 10;

const labels: ReadonlyMap<string, string> = new Map([
  ["name", own.name],
  ["timezone", own.timezone],
  ["warnAboutGaps", own.warnAboutGaps],
  ["layers", own.layers],
]);

function sendSchedule(
  values: ScheduleValues,
  version: Version<Schedule> | null,
): Promise<Version<Schedule>> {
  const body = toInput(values);
  if (version === null) return sendFull(api.POST("/v1/on-call/schedules", { body }));
  const params = { path: { scheduleId: version.data.id }, header: ifMatch(version.etag) };
  return sendFull(api.PUT("/v1/on-call/schedules/{scheduleId}", { params, body }));
}

function useScheduleEditor(stored: Version<Schedule> | null) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { user } = useSession();
  return useEditor({
    draftKey: `on-call.${stored?.data.id ?? "new"}`,
    stored,
    initial: newSchedule(Date.now(), user.id),
    toValues,
    send: sendSchedule,
    refetch: ({ id }) => fetchSchedule(id),
    onSaved: (saved, isNew) => {
      const { id, name } = saved.data;
      client.setQueryData(scheduleQuery(id).queryKey, saved);
      showNotice({ text: own.saved(name) });
      void renewQueries(client, ["on-call"]);
      if (!isNew) return;
      const params = { scheduleId: id };
      void navigate({ to: "/on-call/$scheduleId", params, replace: true, ignoreBlocker: true });
    },
  });
}

/** Shows who would be on call with the edited settings, as computed by the server. */
function Preview({ text, scheduleId }: { text: string; scheduleId: string | null }) {
  const input = text === "" ? null : (JSON.parse(text) as ScheduleInput);
  const range = findRange(Date.now());
  const { data, error, isFetching } = useQuery(previewQuery(input, { scheduleId, range }));
  return (
    <Stack as="section" gap={3} aria-labelledby="preview" aria-busy={isFetching}>
      <h2 id="preview">{words.preview.title}</h2>
      {input === null && <p className={textStyles.muted}>{words.preview.waiting}</p>}
      {input !== null && error instanceof ApiError && (
        <p className={textStyles.fault} role="alert">
          {words.preview.rejected}: {error.message}
        </p>
      )}
      {input !== null && data === undefined && !error && <Skeleton rows={4} />}
      {input !== null && data !== undefined && !error && (
        <>
          <Timeline shifts={data} label={words.timeline(input.name)} />
          <Callout tone={data.gaps.length > 0 ? "bad" : "good"} as="p">
            {words.preview.gaps(data.gaps.length)}
          </Callout>
        </>
      )}
    </Stack>
  );
}

interface FieldsProps {
  readonly editor: Editor<Schedule, ScheduleValues>;
  readonly isReadOnly: boolean;
}

function GeneralFields({ editor, isReadOnly }: FieldsProps) {
  const { values, error, change } = editor;
  return (
    <FormSection title={own.general}>
      <TextInput
        label={own.name}
        placeholder={own.namePlaceholder}
        value={values.name}
        readOnly={isReadOnly}
        error={getFieldError(error, "name")}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <ZoneSelect
        label={own.timezone}
        description={own.timezoneHint}
        value={values.timezone}
        disabled={isReadOnly}
        error={getFieldError(error, "timezone")}
        onChange={(timezone) => timezone && change({ timezone })}
      />
      <Switch
        label={own.warnAboutGaps}
        description={own.warnHint}
        checked={values.warnAboutGaps}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => change({ warnAboutGaps: currentTarget.checked })}
      />
    </FormSection>
  );
}

function LayerFields({ editor, isReadOnly }: FieldsProps) {
  const { values, error, change, version } = editor;
  const { layers } = values;
  const { data: members = [] } = useQuery(peopleQuery);
  const formerNames = new Map(version?.data.people.map(({ userId, name }) => [userId, name]));
  return (
    <FormSection title={own.layers} hint={layers.length > 1 && own.layersHint} ofCards>
      {layers.map((layer, index) => (
        <LayerForm
          // biome-ignore lint/suspicious/noArrayIndexKey: layers have no id
          key={index}
          layer={layer}
          index={index}
          members={members}
          formerNames={formerNames}
          isReadOnly={isReadOnly}
          error={error}
          onChange={(part) => change({ layers: replaceAt(layers, index, { ...layer, ...part }) })}
          onRemove={() => change({ layers: removeAt(layers, index) })}
        />
      ))}
      {!isReadOnly && layers.length < maxLayers && (
        <Row>
          <Button
            variant="default"
            leftSection={<PlusIcon size={16} />}
            onClick={() => {
              const added = newLayer(own.layer(layers.length), Date.now());
              change({ layers: [...layers, added] });
            }}
          >
            {own.addLayer}
          </Button>
        </Row>
      )}
    </FormSection>
  );
}

/** Edits a schedule, or creates one if `stored` is `null`. */
function ScheduleEditor({ stored }: { readonly stored: Version<Schedule> | null }) {
  const mayWrite = useMay("write");
  const editor = useScheduleEditor(stored);
  const { values, error, conflict } = editor;
  const previewed = toPreview(values);
  // The preview input is deferred, so that typing stays responsive.
  const text = useDeferredValue(previewed === null ? "" : JSON.stringify(previewed));
  const isComplete =
    values.name.trim() !== "" && values.layers.every(({ participants }) => participants.length > 0);
  const isShown = getFieldError(error, "name") ?? getFieldError(error, "timezone");
  return (
    <EditorLayout>
      <EditorForm
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) editor.save();
        }}
      >
        <EditorNotices
          editor={editor}
          owned={stored && { type: "on-call-schedule", id: stored.data.id }}
          subject={own.subject}
          labels={labels}
          format={(path, value) =>
            path === "layers" && Array.isArray(value)
              ? value.map((layer) => String(layer.name)).join(", ")
              : undefined
          }
        />
        <GeneralFields editor={editor} isReadOnly={!mayWrite} />
        <LayerFields editor={editor} isReadOnly={!mayWrite} />
        {error && isShown === undefined && <ErrorPanel error={error} />}
        {mayWrite ? (
          <FormActions atEnd={stored !== null && <DeleteSchedule schedule={stored.data} />}>
            <Button
              type="submit"
              loading={editor.isSaving}
              disabled={!isComplete || conflict !== null}
            >
              {stored === null ? own.create : own.save}
            </Button>
          </FormActions>
        ) : (
          <p className={textStyles.muted}>{words.mayNot}</p>
        )}
      </EditorForm>
      <Stack as="aside" gap={6}>
        <Preview text={text} scheduleId={stored?.data.id ?? null} />
        {stored !== null && <OverridePanels schedule={stored.data} />}
        {stored !== null && <SharingPanels schedule={stored.data} />}
      </Stack>
    </EditorLayout>
  );
}

function DeleteSchedule({ schedule: { id, name } }: { readonly schedule: Schedule }) {
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useDeletion({
    of: [["on-call", id]],
    send: () => {
      const params = { path: { scheduleId: id } };
      return send(api.DELETE("/v1/on-call/schedules/{scheduleId}", { params }));
    },
    leave: () => {
      showNotice({ text: words.deleted(name) });
      return navigate({ to: "/on-call", ignoreBlocker: true });
    },
    renew: [["on-call"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<TrashIcon size={16} />}
        onClick={() => setConfirming(true)}
      >
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteTitle(name)}
        action={words.delete}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteText}</p>
      </ConfirmDialog>
    </>
  );
}

function KnownSchedule({ id }: { readonly id: string }) {
  const { data: stored, error, refetch } = useQuery(scheduleQuery(id));
  if (error && stored === undefined) {
    return (
      <ErrorPanel error={error} title={words.scheduleNotLoaded} onRetry={() => void refetch()} />
    );
  }
  if (stored === undefined) return <Skeleton rows={12} />;
  return (
    <>
      <PageHeader title={<bdi>{stored.data.name}</bdi>}>
        <Link to="/on-call">{words.title}</Link>
      </PageHeader>
      <GonePanel error={error} />
      <Stack gap={4}>
        <PagingPanel schedule={stored.data} />
        <ScheduleEditor key={id} stored={stored} />
      </Stack>
    </>
  );
}

function ScheduleScreen() {
  const { scheduleId } = route.useParams();
  if (scheduleId !== "new") return <KnownSchedule id={scheduleId} />;
  return (
    <>
      <PageHeader title={own.newTitle}>
        <Link to="/on-call">{words.title}</Link>
      </PageHeader>
      <ScheduleEditor stored={null} />
    </>
  );
}

export const route = createLazyRoute("/signed-in/on-call/$scheduleId")({
  component: ScheduleScreen,
});
