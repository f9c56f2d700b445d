import { Button, NumberInput, Radio, Switch, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { formatQuietHours, type WeekHours, WeekHoursFields } from "../alerts/index.ts";
import { api, send, sendFull } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import {
  type Editor,
  EditorNotices,
  getFieldError,
  ifMatch,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { EditorForm, EditorLayout, FieldRow, FormActions, FormSection } from "../parts/form.tsx";
import { TrashIcon } from "../parts/icons.tsx";
import { listWithKeys } from "../parts/keys.ts";
import layoutStyles from "../parts/layout.module.css";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import { describePolicy, describeStep, useTargetNames } from "./policy-sentences.ts";
import { StepFields } from "./policy-steps.tsx";
import { PolicyUse, selectForAccount, useMaySelectForAccount } from "./policy-use.tsx";
import {
  fetchPolicy,
  type Policy,
  type PolicyInput,
  type PolicyStep,
  policyQuery,
} from "./queries.ts";
import { RehearsalPanel } from "./rehearsal-panel.tsx";
import { hasAllTargets, newPolicy, type PolicyValues, toPolicyValues } from "./values.ts";
import { words } from "./words.ts";

const own = words.policies;
const office: WeekHours["ranges"][number] = {
  ...{ days: ["MON", "TUE", "WED", "THU", "FRI"], from: "09:00", to: "17:00" },
};
const labels: ReadonlyMap<string, string> = new Map([
  ["name", own.name],
  ["steps", own.steps],
  ["repeat", own.repeat],
  ["repeatAfterMinutes", own.repeatAfter],
  ["useFallback", own.useFallback],
  ["supportHours", own.supportHours],
]);

function sendPolicy(
  values: PolicyValues,
  version: Version<Policy> | null,
): Promise<Version<Policy>> {
  const body: PolicyInput = { ...values, name: values.name.trim() };
  if (version === null) return sendFull(api.POST("/v1/escalation-policies", { body }));
  const params = { path: { policyId: version.data.id }, header: ifMatch(version.etag) };
  return sendFull(api.PUT("/v1/escalation-policies/{policyId}", { params, body }));
}

function usePolicyEditor(stored: Version<Policy> | null, isForAll: boolean) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useEditor({
    draftKey: `escalation-policy.${stored?.data.id ?? "new"}`,
    stored,
    initial: newPolicy,
    toValues: toPolicyValues,
    send: sendPolicy,
    refetch: ({ id }) => fetchPolicy(id),
    onSaved: (saved, isNew) => {
      const { id, name } = saved.data;
      client.setQueryData(policyQuery(id).queryKey, saved);
      showNotice({ text: own.saved(name) });
      const selected = isNew && isForAll ? selectForAccount(id) : Promise.resolve();
      void selected
        .catch((error: Error) => showNotice({ text: error.message, tone: "bad" }))
        .finally(() => {
          void renewQueries(client, ["on-call"]);
          void renewQueries(client, ["alert-settings"]);
        });
      if (!isNew) return;
      const params = { policyId: id };
      void navigate({
        ...{ to: "/on-call/policies/$policyId", params, replace: true, ignoreBlocker: true },
      });
    },
  });
}

function AfterSteps({ editor }: { readonly editor: Editor<Policy, PolicyValues> }) {
  const { values, error, change } = editor;
  return (
    <>
      <FormSection title={own.afterSteps}>
        <FieldRow>
          <NumberInput
            label={own.repeat}
            description={own.repeatHint}
            value={values.repeat}
            min={0}
            max={9}
            error={getFieldError(error, "repeat")}
            onChange={(value) => change({ repeat: Number(value) || 0 })}
          />
          <NumberInput
            label={own.repeatAfter}
            value={values.repeatAfterMinutes}
            min={1}
            max={1_440}
            error={getFieldError(error, "repeatAfterMinutes")}
            onChange={(value) => change({ repeatAfterMinutes: Number(value) || 1 })}
          />
        </FieldRow>
        <Switch
          label={own.useFallback}
          description={own.fallbackHint}
          checked={values.useFallback}
          onChange={({ currentTarget }) => change({ useFallback: currentTarget.checked })}
        />
      </FormSection>
      <WeekHoursFields
        title={own.supportHours}
        toggle={own.supportToggle}
        path="supportHours"
        initial={{}}
        first={office}
        value={values.supportHours ?? null}
        error={error}
        onChange={(supportHours) => change({ supportHours })}
      />
    </>
  );
}

/** Formats a field of a policy for the conflict panel. */
function formatField(path: string, value: unknown, names: ReadonlyMap<string, string>) {
  if (path === "supportHours") return formatQuietHours(value);
  if (path !== "steps") return undefined;
  return (value as PolicyStep[]).map((step) => describeStep(step, names)).join(" ");
}

interface ForWhichProps {
  readonly isForAll: boolean;
  readonly onChange: (isForAll: boolean) => void;
}

/** Asks whether a new policy becomes the policy of the account. */
function ForWhich({ isForAll, onChange }: ForWhichProps) {
  return (
    <Radio.Group
      label={own.forWhich}
      value={isForAll ? "all" : "later"}
      onChange={(value) => onChange(value === "all")}
    >
      <Stack gap={2}>
        <Radio value="all" label={own.forAll} />
        <Radio value="later" label={own.forLater} />
      </Stack>
    </Radio.Group>
  );
}

/** Edits a policy, or creates one if `stored` is `null`. */
function PolicyEditor({ stored }: { readonly stored: Version<Policy> | null }) {
  const mayWrite = useMay("write");
  const names = useTargetNames();
  const maySelect = useMaySelectForAccount();
  const [isForAll, setForAll] = useState(true);
  const editor = usePolicyEditor(stored, maySelect && isForAll);
  const { values, error, conflict, change } = editor;
  const isComplete = values.name.trim() !== "" && hasAllTargets(values);
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
          owned={stored && { type: "escalation-policy", id: stored.data.id }}
          subject={own.subject}
          labels={labels}
          format={(path, value) => formatField(path, value, names)}
        />
        <Stack as="fieldset" gap={6} disabled={!mayWrite}>
          <FormSection title={own.general}>
            <TextInput
              label={own.name}
              placeholder={own.namePlaceholder}
              value={values.name}
              maxLength={100}
              error={getFieldError(error, "name")}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
            />
            {stored === null && maySelect && <ForWhich isForAll={isForAll} onChange={setForAll} />}
          </FormSection>
          <StepFields editor={editor} />
          <AfterSteps editor={editor} />
        </Stack>
        {error && getFieldError(error, "name") === undefined && <ErrorPanel error={error} />}
        {mayWrite ? (
          <FormActions atEnd={stored !== null && <DeletePolicy policy={stored.data} />}>
            <Button
              type="submit"
              loading={editor.isSaving}
              disabled={!isComplete || conflict !== null}
            >
              {stored === null ? own.create : words.form.save}
            </Button>
          </FormActions>
        ) : (
          <p className={textStyles.muted}>{words.mayNot}</p>
        )}
      </EditorForm>
      <Stack as="aside" gap={6}>
        <Stack as="section" gap={3} aria-labelledby="policy-in-words">
          <h2 id="policy-in-words">{own.inWords}</h2>
          <ol>
            {listWithKeys(describePolicy(values, names), String).map(({ key, item }) => (
              <li key={key} className={textStyles.wrap}>
                <bdi>{item}</bdi>
              </li>
            ))}
          </ol>
          <p className={textStyles.hint}>{own.nearest}</p>
        </Stack>
        <RehearsalPanel values={values} />
      </Stack>
    </EditorLayout>
  );
}

function DeletePolicy({ policy: { id, name } }: { readonly policy: Policy }) {
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useDeletion({
    of: [["on-call", id]],
    send: () =>
      send(
        api.DELETE("/v1/escalation-policies/{policyId}", { params: { path: { policyId: id } } }),
      ),
    leave: () => {
      showNotice({ text: words.deleted(name) });
      return navigate({ to: "/on-call/policies", ignoreBlocker: true });
    },
    renew: [["on-call"]],
    onError: (error) => {
      setConfirming(false);
      showNotice({ text: error.message, tone: "bad" });
    },
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
        <p>{own.deleteText}</p>
      </ConfirmDialog>
    </>
  );
}

function KnownPolicy({ id }: { readonly id: string }) {
  const { data: stored, error, refetch } = useQuery(policyQuery(id));
  if (error && stored === undefined) {
    return <ErrorPanel error={error} title={own.oneNotLoaded} onRetry={() => void refetch()} />;
  }
  if (stored === undefined) return <Skeleton rows={8} />;
  return (
    <>
      <PageHeader title={<bdi>{stored.data.name}</bdi>}>
        <Link to="/on-call/policies">{own.title}</Link>
      </PageHeader>
      <GonePanel error={error} />
      <Stack gap={4}>
        <div className={layoutStyles.inset}>
          <PolicyUse policy={stored.data} />
        </div>
        <PolicyEditor key={id} stored={stored} />
      </Stack>
    </>
  );
}

function PolicyScreen() {
  const { policyId } = route.useParams();
  if (policyId !== "new") return <KnownPolicy id={policyId} />;
  return (
    <>
      <PageHeader title={own.add}>
        <Link to="/on-call/policies">{own.title}</Link>
      </PageHeader>
      <PolicyEditor stored={null} />
    </>
  );
}

export const route = createLazyRoute("/signed-in/on-call/policies/$policyId")({
  component: PolicyScreen,
});
