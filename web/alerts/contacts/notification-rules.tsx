import { Button, NativeSelect, NumberInput, Switch } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { api, type Schemas, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import {
  type Editor,
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  useEditor,
  type Version,
} from "../../editing/index.ts";
import { IconButton } from "../../parts/buttons.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { CloseIcon } from "../../parts/icons.tsx";
import { FormLayout, Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { formatQuietHours, WeekHoursFields } from "../quiet-hours-fields.tsx";
import styles from "./contact-methods.module.css";
import { contactWords as words } from "./contact-words.ts";
import { describeSteps, nameMethod, proposeStep } from "./describe-steps.ts";
import { fetchNotificationRules, notificationRulesQuery } from "./queries.ts";

type Rules = Schemas["NotificationRules"];
type Step = Schemas["NotificationStep"];
type Method = Schemas["ContactMethod"];
type Urgency = "high" | "low";
const urgencies: readonly Urgency[] = ["high", "low"];

interface StepsProps {
  readonly urgency: Urgency;
  readonly steps: readonly Step[];
  readonly methods: readonly Method[];
  readonly error: unknown;
  readonly onChange: (steps: Step[]) => void;
}

interface StepProps extends StepsProps {
  readonly index: number;
  readonly step: Step;
}

function StepRow({ urgency, steps, methods, error, onChange, index, step }: StepProps) {
  const name = `${words[urgency]}, ${words.step(index + 1)}`;
  const change = (part: Partial<Step>) =>
    onChange(steps.map((one, at) => (at === index ? { ...one, ...part } : one)));
  const choices = methods.filter(({ id, isVerified }) => isVerified || id === step.methodId);
  return (
    <Row gap={3} align="end">
      <NativeSelect
        aria-label={`${name}, ${words.method}`}
        label={words.step(index + 1)}
        value={step.methodId}
        error={getFieldError(error, `${urgency}.${index}.methodId`)}
        onChange={(event) => change({ methodId: event.currentTarget.value })}
        data={choices.map((method) => ({ value: method.id, label: nameMethod(method) }))}
      />
      <NumberInput
        aria-label={`${name}, ${words.minutes}`}
        label={words.minutes}
        value={step.afterMinutes}
        min={0}
        max={1_440}
        allowDecimal={false}
        error={getFieldError(error, `${urgency}.${index}.afterMinutes`)}
        onChange={(minutes) => change({ afterMinutes: Number(minutes) })}
        className={styles.minutes}
      />
      {steps.length > 1 && (
        <IconButton
          aria-label={`${words.removeStep}: ${name}`}
          onClick={() => onChange(steps.filter((_, at) => at !== index))}
        >
          <CloseIcon size={18} />
        </IconButton>
      )}
    </Row>
  );
}

function Steps(props: StepsProps) {
  const { urgency, steps, methods, onChange } = props;
  return (
    <Stack as="fieldset">
      <legend>
        <strong>{words[urgency]}</strong>
      </legend>
      <ol className={styles.steps}>
        {describeSteps(steps, methods).map((sentence) => (
          <li key={sentence}>
            <bdi>{sentence}</bdi>
          </li>
        ))}
      </ol>
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no id and may be equal
        <StepRow key={index} {...props} index={index} step={step} />
      ))}
      {steps.length < 10 && (
        <div>
          <Button
            variant="default"
            size="xs"
            aria-label={`${words.addStep}: ${words[urgency]}`}
            onClick={() => onChange([...steps, proposeStep(steps, methods)])}
          >
            {words.addStep}
          </Button>
        </div>
      )}
    </Stack>
  );
}

interface RulesFormProps {
  readonly loaded: Version<Rules>;
  readonly methods: readonly Method[];
}

const labels: ReadonlyMap<string, string> = new Map([
  ...urgencies.map((urgency) => [urgency, words[urgency]] as const),
  ["quietHours", words.quiet.title],
]);

function formatRule(path: string, value: unknown, methods: readonly Method[]): string {
  if (path === "quietHours") return formatQuietHours(value);
  return Array.isArray(value) ? describeSteps(value, methods).join(" ") : String(value);
}

/** Edits the member's quiet hours, during which pages are delayed depending on their urgency. */
function PersonalQuietHours({ editor }: { readonly editor: Editor<Rules, Rules> }) {
  const { quietHours = null } = editor.values;
  return (
    <WeekHoursFields
      title={words.quiet.title}
      toggle={words.quiet.on}
      path="quietHours"
      initial={{ holdsHigh: false }}
      value={quietHours}
      error={editor.error}
      onChange={(next) => editor.change({ quietHours: next })}
    >
      {quietHours !== null && (
        <Switch
          label={words.quiet.holdsHigh}
          description={words.quiet.hint}
          checked={quietHours.holdsHigh ?? false}
          onChange={({ currentTarget }) =>
            editor.change({ quietHours: { ...quietHours, holdsHigh: currentTarget.checked } })
          }
        />
      )}
    </WeekHoursFields>
  );
}

function RulesForm({ loaded, methods }: RulesFormProps) {
  const queryClient = useQueryClient();
  const editor = useEditor<Rules, Rules>({
    draftKey: "notification-rules",
    stored: loaded,
    toValues: (rules) => rules,
    send: (body, version) => {
      const params = { header: ifMatch(version?.etag ?? null) };
      return sendFull(api.PUT("/v1/users/me/notification-rules", { params, body }));
    },
    refetch: () => fetchNotificationRules(),
    onSaved: () => {
      showNotice({ text: words.saved });
      return renewQueries(queryClient, ["notification-rules"]);
    },
  });
  const { values, error } = editor;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    editor.save();
  };
  const keys = urgencies.flatMap((urgency) =>
    values[urgency].flatMap((_, index) => [
      `${urgency}.${index}.methodId`,
      `${urgency}.${index}.afterMinutes`,
    ]),
  );
  const beside = getFormError(error, keys);
  return (
    <FormLayout onSubmit={submit}>
      <EditorNotices
        editor={editor}
        subject={words.subject}
        labels={labels}
        format={(path, value) => formatRule(path, value, methods)}
      />
      {urgencies.map((urgency) => (
        <Steps
          key={urgency}
          urgency={urgency}
          steps={values[urgency]}
          methods={methods}
          error={error}
          onChange={(steps) => editor.change({ ...values, [urgency]: steps })}
        />
      ))}
      <PersonalQuietHours editor={editor} />
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={editor.isSaving}>
          {words.save}
        </Button>
      </Row>
    </FormLayout>
  );
}

/** Describes the member's notification rules in sentences, with a form to edit the rules. */
export function NotificationRules({ methods }: { readonly methods: readonly Method[] }) {
  const { data, error, refetch, isFetchedAfterMount } = useQuery(notificationRulesQuery);
  const isFresh = data !== undefined && isFetchedAfterMount;
  return (
    <Stack as="section" aria-labelledby="notification-rules">
      <h2 id="notification-rules">{words.rules}</h2>
      <p className={textStyles.muted}>{words.rulesHint}</p>
      {error && !isFresh && (
        <ErrorPanel error={error} title={words.rulesFailed} onRetry={refetch} />
      )}
      {!error && !isFresh && <Skeleton rows={4} />}
      {isFresh && <RulesForm loaded={data} methods={methods} />}
    </Stack>
  );
}
