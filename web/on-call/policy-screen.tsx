import { Button, NativeSelect, NumberInput, Switch, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
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
import { IconButton } from "../parts/buttons.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { CloseIcon, PlusIcon, TrashIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { joinClasses, Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./on-call.module.css";
import {
  describePolicy,
  describeStep,
  keyOf,
  parseKey,
  useTargetNames,
} from "./policy-sentences.ts";
import {
  fetchPolicy,
  type Policy,
  type PolicyInput,
  type PolicyStep,
  policyQuery,
} from "./queries.ts";
import { newPolicy, type PolicyValues, removeAt, replaceAt, toPolicyValues } from "./values.ts";
import { words } from "./words.ts";

const own = words.policies;
const maxSteps = 10;
const labels: ReadonlyMap<string, string> = new Map([
  ["name", own.name],
  ["steps", own.steps],
  ["repeat", own.repeat],
  ["repeatAfterMinutes", own.repeatAfter],
  ["useFallback", own.useFallback],
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

function usePolicyEditor(stored: Version<Policy> | null) {
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
      void renewQueries(client, ["on-call"]);
      if (!isNew) return;
      const params = { policyId: id };
      void navigate({
        ...{ to: "/on-call/policies/$policyId", params, replace: true, ignoreBlocker: true },
      });
    },
  });
}

interface StepProps {
  readonly step: PolicyStep;
  readonly index: number;
  readonly error: Error | null;
  readonly onChange: (step: PolicyStep) => void;
  readonly onRemove: (() => void) | null;
}

/** A button adds the target, because a keyboard passes other values of the list on its way. */
function AddTarget({ onAdd, chosenKeys }: { onAdd: (key: string) => void; chosenKeys: string[] }) {
  const names = useTargetNames();
  const [chosen, setChosen] = useState("");
  const group = (prefix: string, label: string) => ({
    group: label,
    items: [...names]
      .filter(([key]) => key.startsWith(prefix) && !chosenKeys.includes(key))
      .map(([value, name]) => ({ value, label: name })),
  });
  const groups = [group("s:", own.schedules), group("u:", own.members), group("c:", own.channels)];
  return (
    <Row nowrap align="end">
      <NativeSelect
        className={layoutStyles.grow ?? ""}
        label={own.addTarget}
        value={chosen}
        data={[{ value: "", label: own.choose }, ...groups.filter(({ items }) => items.length > 0)]}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <Button
        variant="default"
        disabled={chosen === ""}
        onClick={() => {
          onAdd(chosen);
          setChosen("");
        }}
      >
        {own.addTargetAction}
      </Button>
    </Row>
  );
}

function StepForm({ step, index, error, onChange, onRemove }: StepProps) {
  const names = useTargetNames();
  const { targets } = step;
  const keys = targets.map(keyOf);
  return (
    <Stack as="section" gap={3} className={styles.layer} aria-label={own.step(index)}>
      <Row nowrap justify="between">
        <h3 className={joinClasses(layoutStyles.grow, textStyles.wrap)}>
          <bdi>{targets.length === 0 ? own.step(index) : describeStep(step, names)}</bdi>
        </h3>
        {onRemove && (
          <IconButton aria-label={own.removeStep(index)} onClick={onRemove}>
            <TrashIcon size={18} />
          </IconButton>
        )}
      </Row>
      <NumberInput
        label={own.afterMinutes}
        value={step.afterMinutes}
        min={0}
        max={10_080}
        allowDecimal={false}
        error={getFieldError(error, `steps.${index}.afterMinutes`)}
        onChange={(value) => onChange({ ...step, afterMinutes: Number(value) || 0 })}
      />
      {targets.length > 0 && (
        <ul className={listStyles.list}>
          {keys.map((key, place) => (
            <li key={key}>
              <Row nowrap justify="between" className={listStyles.item}>
                <span className={joinClasses(layoutStyles.grow, textStyles.wrap)}>
                  <bdi>{names.get(key) ?? own.deleted}</bdi>
                </span>
                <IconButton
                  aria-label={own.removeTarget(names.get(key) ?? own.deleted)}
                  onClick={() => onChange({ ...step, targets: removeAt(targets, place) })}
                >
                  <CloseIcon size={18} />
                </IconButton>
              </Row>
            </li>
          ))}
        </ul>
      )}
      <AddTarget
        chosenKeys={keys}
        onAdd={(key) => onChange({ ...step, targets: [...targets, parseKey(key)] })}
      />
    </Stack>
  );
}

function StepFields({ editor }: { readonly editor: Editor<Policy, PolicyValues> }) {
  const { values, error, change } = editor;
  const { steps } = values;
  const last = steps.at(-1)?.afterMinutes ?? -10;
  return (
    <Stack as="section" gap={4} aria-label={own.steps}>
      <h2>{own.steps}</h2>
      {steps.map((step, index) => (
        <StepForm
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the list.
          key={index}
          step={step}
          index={index}
          error={error}
          onChange={(next) => change({ steps: replaceAt(steps, index, next) })}
          onRemove={steps.length > 1 ? () => change({ steps: removeAt(steps, index) }) : null}
        />
      ))}
      {steps.length < maxSteps && (
        <Row>
          <Button
            variant="default"
            leftSection={<PlusIcon size={16} />}
            onClick={() => change({ steps: [...steps, { afterMinutes: last + 10, targets: [] }] })}
          >
            {own.addStep}
          </Button>
        </Row>
      )}
    </Stack>
  );
}

function AfterSteps({ editor }: { readonly editor: Editor<Policy, PolicyValues> }) {
  const { values, error, change } = editor;
  return (
    <>
      <div className={styles.pair}>
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
      </div>
      <Switch
        label={own.useFallback}
        description={own.fallbackHint}
        checked={values.useFallback}
        onChange={({ currentTarget }) => change({ useFallback: currentTarget.checked })}
      />
    </>
  );
}

/** Edits a policy, or creates one if `stored` is `null`. */
function PolicyEditor({ stored }: { readonly stored: Version<Policy> | null }) {
  const mayWrite = useMay("write");
  const names = useTargetNames();
  const editor = usePolicyEditor(stored);
  const { values, error, conflict, change } = editor;
  const isComplete =
    values.name.trim() !== "" && values.steps.every(({ targets }) => targets.length > 0);
  return (
    <div className={layoutStyles.editor}>
      <Stack
        as="form"
        gap={4}
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) editor.save();
        }}
      >
        <EditorNotices
          editor={editor}
          owned={null}
          subject={own.subject}
          labels={labels}
          format={(path, value) =>
            path === "steps"
              ? (value as PolicyStep[]).map((step) => describeStep(step, names)).join(" ")
              : undefined
          }
        />
        <Stack as="fieldset" gap={4} disabled={!mayWrite}>
          <TextInput
            label={own.name}
            placeholder={own.namePlaceholder}
            value={values.name}
            maxLength={100}
            error={getFieldError(error, "name")}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          <StepFields editor={editor} />
          <AfterSteps editor={editor} />
        </Stack>
        {error && getFieldError(error, "name") === undefined && <ErrorPanel error={error} />}
        {mayWrite ? (
          <div className={layoutStyles.saveBar}>
            <Button
              type="submit"
              loading={editor.isSaving}
              disabled={!isComplete || conflict !== null}
            >
              {stored === null ? own.create : words.form.save}
            </Button>
          </div>
        ) : (
          <p className={textStyles.muted}>{words.mayNot}</p>
        )}
      </Stack>
      <Stack as="aside" gap={3} aria-labelledby="policy-in-words">
        <h2 id="policy-in-words">{own.inWords}</h2>
        <ol>
          {describePolicy(values, names).map((sentence) => (
            <li key={sentence} className={textStyles.wrap}>
              <bdi>{sentence}</bdi>
            </li>
          ))}
        </ol>
        <p className={textStyles.hint}>{own.nearest}</p>
      </Stack>
    </div>
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
  const mayWrite = useMay("write");
  const { data: stored, error, refetch } = useQuery(policyQuery(id));
  if (error && stored === undefined) {
    return <ErrorPanel error={error} title={own.oneNotLoaded} onRetry={() => void refetch()} />;
  }
  if (stored === undefined) return <Skeleton rows={8} />;
  return (
    <>
      <PageHeader
        title={<bdi>{stored.data.name}</bdi>}
        actions={mayWrite && <DeletePolicy policy={stored.data} />}
      >
        <Link to="/on-call/policies">{own.title}</Link>
      </PageHeader>
      <GonePanel error={error} />
      <PolicyEditor key={id} stored={stored} />
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
