import {
  Button,
  Modal,
  NativeSelect,
  NumberInput,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send, sendFull } from "../../api/client.ts";
import { useDeletion } from "../../api/deletion.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  type Naming,
  useEditor,
  type Version,
} from "../../editing/index.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { parseTags } from "../../parts/tags.ts";
import { TagsField } from "../../parts/tags-field.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./cards.module.css";
import { CrossButton } from "./handle.tsx";
import lookStyles from "./look.module.css";
import { type Component, fetchRule, type Rule, ruleQuery } from "./queries.ts";
import { impacts, words } from "./words.ts";

type Impact = keyof typeof impacts;
type Effect = Pick<Rule["components"][number], "componentId" | "targetImpact">;

interface RuleValues
  extends Pick<Rule, "name" | "firstUpdate" | "lastUpdate" | "enabled" | "notifySubscribers"> {
  /** Tags separated by commas, as typed. */
  readonly tags: string;
  /** Cool-down in minutes; a string while the typed text is not a number. */
  readonly coolDownWindowMinutes: number | string;
  readonly components: readonly Effect[];
}

const impactNames = Object.keys(impacts) as Impact[];

const newRule: RuleValues = {
  name: "",
  tags: "",
  components: [],
  firstUpdate: words.firstUpdateText,
  lastUpdate: words.lastUpdateText,
  enabled: true,
  notifySubscribers: true,
  coolDownWindowMinutes: 5,
};

const toValues = (rule: Rule): RuleValues => ({
  name: rule.name,
  firstUpdate: rule.firstUpdate,
  lastUpdate: rule.lastUpdate,
  enabled: rule.enabled,
  notifySubscribers: rule.notifySubscribers,
  coolDownWindowMinutes: rule.coolDownWindowMinutes,
  tags: rule.tags.join(", "),
  components: rule.components.map(({ componentId, targetImpact }) => ({
    ...{ componentId, targetImpact },
  })),
});

function sendRule(
  statusPageId: string,
  { tags, components, coolDownWindowMinutes, ...values }: RuleValues,
  version: Version<Rule> | null,
): Promise<Version<Rule>> {
  const body = {
    ...{ ...values, name: values.name.trim(), tags: parseTags(tags) },
    components: [...components],
    coolDownWindowMinutes: Number(coolDownWindowMinutes),
  };
  const path = "/v3/status-pages/{statusPageId}/automation-rules";
  if (version === null)
    return sendFull(api.POST(path, { params: { path: { statusPageId } }, body }));
  const target = { statusPageId, ruleId: version.data.id };
  const params = { path: target, header: ifMatch(version.etag) };
  return sendFull(api.PUT(`${path}/{ruleId}`, { params, body }));
}

const naming: Naming = {
  subject: words.thisRule,
  labels: new Map(Object.entries(words.ruleLabels)),
};

interface EffectsFieldProps {
  readonly value: readonly Effect[];
  readonly components: readonly Component[];
  readonly error: unknown;
  readonly onChange: (value: readonly Effect[]) => void;
}

/** Edits which components an incident of the rule affects, and how severely. */
function EffectsField({ value, components, error, onChange }: EffectsFieldProps) {
  const chosen = new Set(value.map(({ componentId }) => componentId));
  const left = components.filter(({ id }) => !chosen.has(id));
  const nameOf = (id: string) => components.find((one) => one.id === id)?.name ?? id;
  return (
    <Stack as="fieldset" gap={2} className={lookStyles.links}>
      <legend>{words.ruleLabels.components}</legend>
      {value.map(({ componentId, targetImpact }, index) => (
        <Row key={componentId}>
          <span className={styles.serviceName}>
            <bdi>{nameOf(componentId)}</bdi>
          </span>
          <NativeSelect
            aria-label={words.impactOf(nameOf(componentId))}
            value={targetImpact}
            data={impactNames.map((name) => ({ value: name, label: impacts[name] }))}
            error={getFieldError(error, `components.${index}.componentId`)}
            onChange={({ currentTarget }) => {
              const impact = impactNames.find((name) => name === currentTarget.value);
              if (impact === undefined) return;
              const next = { componentId, targetImpact: impact };
              onChange(value.map((one) => (one.componentId === componentId ? next : one)));
            }}
          />
          <CrossButton
            label={words.spare(nameOf(componentId))}
            onClick={() => onChange(value.filter((one) => one.componentId !== componentId))}
          />
        </Row>
      ))}
      {left.length > 0 && (
        <NativeSelect
          aria-label={words.addEffect}
          value=""
          data={[
            { value: "", label: words.addEffect },
            ...left.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={({ currentTarget }) => {
            const { value: componentId } = currentTarget;
            if (componentId !== "") {
              onChange([...value, { componentId, targetImpact: "MAJOR_OUTAGE" }]);
            }
          }}
        />
      )}
    </Stack>
  );
}

interface DeleteRuleProps {
  readonly rule: Rule;
  readonly onGone: () => void;
}

function DeleteRule({ rule, onGone }: DeleteRuleProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { statusPageId, id: ruleId, name } = rule;
  const remove = useDeletion({
    of: [ruleQuery(statusPageId, ruleId).queryKey],
    send: () => {
      const params = { path: { statusPageId, ruleId } };
      const path = "/v3/status-pages/{statusPageId}/automation-rules/{ruleId}";
      return send(api.DELETE(path, { params }));
    },
    leave: () => {
      setConfirming(false);
      onGone();
      showNotice({ text: words.deletedRule(name) });
    },
    renew: [["status-pages", statusPageId]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setConfirming(true)}>
        {words.deleteRule}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteRuleTitle(name)}
        action={words.deleteRule}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteRuleText}</p>
      </ConfirmDialog>
    </>
  );
}

interface FieldsProps {
  readonly values: RuleValues;
  readonly error: unknown;
  readonly change: (change: Partial<RuleValues>) => void;
}

function UpdateFields({ values, error, change }: FieldsProps) {
  return (
    <>
      {(["firstUpdate", "lastUpdate"] as const).map((name) => (
        <Textarea
          key={name}
          label={words.ruleLabels[name]}
          description={words.updateHint}
          required
          autosize
          minRows={2}
          maxLength={20_000}
          value={values[name]}
          error={getFieldError(error, name)}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
        />
      ))}
      {(["notifySubscribers", "enabled"] as const).map((name) => (
        <Switch
          key={name}
          label={words.ruleLabels[name]}
          checked={values[name]}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.checked })}
        />
      ))}
      <NumberInput
        label={words.ruleLabels.coolDownWindowMinutes}
        description={words.coolDownHint}
        min={0}
        max={1_440}
        allowDecimal={false}
        required
        value={values.coolDownWindowMinutes}
        error={getFieldError(error, "coolDownWindowMinutes")}
        onChange={(minutes) => change({ coolDownWindowMinutes: minutes })}
      />
    </>
  );
}

interface RuleFormProps {
  readonly statusPageId: string;
  readonly stored: Version<Rule> | null;
  readonly components: readonly Component[];
  readonly onClose: () => void;
}

function useRuleEditor({ statusPageId, stored, onClose }: RuleFormProps) {
  const client = useQueryClient();
  return useEditor<Rule, RuleValues>({
    // No draft is stored. The page behind the dialog has its own draft, and the dialog does not
    // reopen with the page.
    draftKey: null,
    stored,
    initial: newRule,
    toValues,
    send: (values, version) => sendRule(statusPageId, values, version),
    refetch: ({ id }) => fetchRule(statusPageId, id),
    onSaved: async ({ data }) => {
      showNotice({ text: words.savedRule(data.name) });
      onClose();
      await renewQueries(client, ["status-pages", statusPageId]);
    },
  });
}

function RuleForm(props: RuleFormProps) {
  const { stored, components, onClose } = props;
  const editor = useRuleEditor(props);
  const { values, change, error } = editor;
  const names = new Map(components.map(({ id, name }) => [id, name]));
  const format: Naming["format"] = (path, value) =>
    path === "components" && Array.isArray(value)
      ? value
          .map((one: Effect) =>
            words.ruleEffect(names.get(one.componentId) ?? "", one.targetImpact),
          )
          .join(", ")
      : undefined;
  const other = getFormError(error, [...Object.keys(words.ruleLabels), "components"]);
  const isWhole = values.components.length > 0 && parseTags(values.tags).length > 0;
  return (
    <Stack
      as="form"
      gap={4}
      onSubmit={(event) => {
        event.preventDefault();
        // Events bubble from the dialog to the page's form, which must not be submitted as well.
        event.stopPropagation();
        editor.save();
      }}
    >
      <EditorNotices
        editor={editor}
        {...(stored && { owned: { type: "status-page-automation-rule", id: stored.data.id } })}
        {...naming}
        format={format}
      />
      <TextInput
        label={words.ruleLabels.name}
        description={words.ruleNameHint}
        value={values.name}
        maxLength={255}
        required
        error={getFieldError(error, "name")}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <TagsField
        label={words.ruleLabels.tags}
        description={words.ruleTagsHint}
        value={values.tags}
        required
        error={getFieldError(error, "tags")}
        onChange={(tags) => change({ tags })}
      />
      <EffectsField
        value={values.components}
        components={components}
        error={error}
        onChange={(next) => change({ components: next })}
      />
      <UpdateFields values={values} error={error} change={change} />
      {other && <ErrorPanel error={other} title={words.ruleNotSaved} />}
      {!isWhole && <p className={textStyles.hint}>{words.ruleLacks}</p>}
      <Row className={styles.ends}>
        <Button type="submit" loading={editor.isSaving} disabled={!isWhole}>
          {words.saveRule}
        </Button>
        <Button variant="default" onClick={onClose}>
          {words.cancel}
        </Button>
        {stored && <DeleteRule rule={stored.data} onGone={onClose} />}
      </Row>
    </Stack>
  );
}

interface RuleDialogProps extends Omit<RuleFormProps, "stored"> {
  /** Rule to edit; `null` to create a new rule. */
  readonly rule: Rule | null;
}

/** Creates or edits an automation rule. The rule is saved independently of the page. */
export function RuleDialog({ rule, ...form }: RuleDialogProps) {
  const query = ruleQuery(form.statusPageId, rule?.id ?? "");
  const { data, error } = useQuery({ ...query, enabled: rule !== null });
  const isReady = rule === null || data !== undefined;
  return (
    <Modal
      opened
      onClose={form.onClose}
      size="lg"
      title={rule === null ? words.addRule : words.editRule(rule.name)}
      closeButtonProps={{ "aria-label": words.close }}
    >
      {error && <ErrorPanel error={error} />}
      {!isReady && !error && <Skeleton rows={4} />}
      {isReady && <RuleForm {...form} stored={data ?? null} />}
    </Modal>
  );
}
