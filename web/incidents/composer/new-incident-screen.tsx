import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { api, type Schemas, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { EditorNotices, getFieldError, getFormError } from "../../editing/index.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { AddressLink } from "../../parts/links.tsx";
import { LoadingScreen } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useSendKey } from "../../parts/send-key.ts";
import { serviceStatusesQuery } from "../queries.ts";
import { type NewIncidentSearch, severities } from "../search.ts";
import { words as moduleWords, composerWords as words } from "../words.ts";
import { AgentDraft } from "./agent-draft.tsx";
import styles from "./composer.module.css";
import { NotifyField, TemplateField, useComposition, WhenField, WordsFields } from "./fields.tsx";
import { Previews } from "./previews.tsx";
import { ServicesField } from "./services-field.tsx";
import {
  type Composition,
  emptyComposition,
  isDrawable,
  toIncident,
  toLocalText,
} from "./values.ts";

const from = "/signed-in/incidents/new" as const;
const formId = "new-incident";

type Start = Pick<Composition, "serviceIds" | "templateId">;

/**
 * Returns the template and the services that the URL preselects. If the URL contains a check, all
 * services whose state depends on the check are selected. Returns `null` while these services load.
 */
function useStart({ checkId, serviceId, templateId = "" }: NewIncidentSearch): Start | null {
  const needsServices = checkId !== undefined;
  const { data, isError } = useQuery({ ...serviceStatusesQuery, enabled: needsServices });
  if (needsServices && data === undefined && !isError) return null;
  const following = (data ?? []).filter(({ checks }) => checks?.checkIds.includes(checkId ?? ""));
  const named = serviceId === undefined ? [] : [serviceId];
  return { serviceIds: [...named, ...following.map((one) => one.serviceId)], templateId };
}

const shownKeys = ["name", "severity", "services", "incidentUpdates"];

interface ComposerProps {
  readonly start: Start;
  readonly search: NewIncidentSearch;
}

/** Form state of a new incident, with a draft in the tab's session storage. */
function useComposer({ start, search }: ComposerProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const findKey = useSendKey();
  const composer = useComposition({
    draftKey: `incident.new.${search.checkId ?? search.serviceId ?? search.templateId ?? ""}`,
    blank: { ...emptyComposition, ...start },
    post: (composition) => {
      const body = toIncident(composition, words.defaultEnd);
      const params = { header: { "idempotency-key": findKey(body) } };
      return sendFull(api.POST("/v1/status-pages/incidents", { params, body }));
    },
    onPosted: async ({ id }) => {
      showNotice({ text: words.posted });
      void renewQueries(queryClient, ["incidents"]);
      void renewQueries(queryClient, ["services"]);
      await navigate({ href: `/incidents/${id}`, ignoreBlocker: true });
    },
  });
  const take = (draft: Schemas["IncidentDraft"]) => {
    const { name, severity, status, description, startedAt, services } = draft;
    composer.change({
      severity,
      status,
      description,
      ...(name !== "" && { name }),
      ...(services.length > 0 && { serviceIds: services.map(({ id }) => id), notify: false }),
      ...(startedAt !== null && { startedAt: toLocalText(startedAt) }),
    });
  };
  return { ...composer, take };
}

type ComposerState = ReturnType<typeof useComposer>;

interface FieldsProps {
  readonly composer: ComposerState;
  readonly hint: string;
}

function Fields({ composer, hint }: FieldsProps) {
  const { composition, change, take } = composer;
  const { error } = composer.editor;
  return (
    <>
      <ServicesField
        label={words.services}
        hint={hint}
        value={composition.serviceIds}
        fault={getFieldError(error, "services")}
        onChange={(serviceIds) => change({ serviceIds, notify: false })}
      />
      <TemplateField composition={composition} incidentId={null} onChange={change} onDraft={take} />
      <AgentDraft serviceIds={composition.serviceIds} incidentId={null} onDraft={take} />
      <TextInput
        label={words.name}
        placeholder={words.namePlaceholder}
        required
        maxLength={255}
        value={composition.name}
        error={getFieldError(error, "name")}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.severity}
        value={composition.severity}
        error={getFieldError(error, "severity")}
        onChange={(event) => {
          const severity = severities.find((one) => one === event.currentTarget.value);
          if (severity !== undefined) change({ severity });
        }}
        data={severities.map((value) => ({ value, label: moduleWords.severityMeans[value] }))}
      />
      <WordsFields composition={composition} onChange={change} />
      <WhenField
        composition={composition}
        onChange={change}
        hasEnd
        fault={getFieldError(error, "incidentUpdates")}
      />
      <NotifyField
        serviceIds={composition.serviceIds}
        isOn={composition.notify}
        onChange={(notify) => change({ notify })}
      />
    </>
  );
}

function findHint({ start, search }: ComposerProps): string {
  if (search.checkId === undefined) return words.chooseServices;
  return start.serviceIds.length === 0 ? words.notFollowed : words.fromCheck;
}

function Composer(props: ComposerProps) {
  const composer = useComposer(props);
  const { composition, editor } = composer;
  const isWhole = isDrawable(composition);
  const beside = getFormError(editor.error, shownKeys);
  const cancel = (
    <Button component={AddressLink} href="/incidents" variant="default">
      {words.cancel}
    </Button>
  );
  const postButton = (
    <Button type="submit" form={formId} loading={editor.isSaving} disabled={!isWhole}>
      {words.post}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={words.title}
        actions={
          <>
            {cancel}
            {postButton}
          </>
        }
      />
      <div className={styles.columns}>
        <Stack
          as="form"
          gap={4}
          id={formId}
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (isWhole) editor.save();
          }}
        >
          <EditorNotices editor={editor} />
          <Fields composer={composer} hint={findHint(props)} />
          {beside && <ErrorPanel error={beside} />}
          <Row gap={4} className={styles.actions}>
            {postButton}
          </Row>
        </Stack>
        <Previews composition={composition} incidentId={null} />
      </div>
    </>
  );
}

function NewIncidentScreen() {
  const search = useSearch({ from });
  const mayWrite = useMay("write");
  const start = useStart(search);
  if (!mayWrite) {
    return (
      <>
        <PageHeader title={words.title} />
        <EmptyState title={words.notAllowedTitle}>
          <p>{words.notAllowed}</p>
        </EmptyState>
      </>
    );
  }
  if (start === null) return <LoadingScreen />;
  return <Composer key={JSON.stringify(search)} start={start} search={search} />;
}

export const route = createLazyRoute(from)({ component: NewIncidentScreen });
