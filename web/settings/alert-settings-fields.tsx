import { Button, Checkbox, NativeSelect, NumberInput, Switch } from "@mantine/core";
import { describeChannel } from "../alerts/index.ts";
import type { Schemas } from "../api/client.ts";
import { getFieldError } from "../editing/index.ts";
import { PolicySelect } from "../on-call/index.ts";
import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.alertSettings;
type Settings = Schemas["AccountAlertSettings"];
type Channel = Schemas["AlertChannel"];

interface FieldsProps {
  readonly settings: Settings;
  readonly channels: readonly Channel[];
  readonly error: unknown;
  readonly isReadOnly: boolean;
  readonly onChange: (settings: Settings) => void;
}

interface CountProps {
  readonly label: string;
  readonly hint?: string;
  readonly field: string;
  readonly value: number;
  readonly error: unknown;
  readonly onChange: (value: number) => void;
}

function Count({ label, hint, field, value, error, onChange }: CountProps) {
  return (
    <NumberInput
      label={label}
      description={hint}
      value={value}
      min={0}
      allowDecimal={false}
      error={getFieldError(error, field)}
      onChange={(next) => onChange(Number(next))}
      className={styles.count}
    />
  );
}

interface ChoiceProps<Value extends number> {
  readonly label: string;
  readonly field: string;
  readonly value: Value;
  readonly values: readonly Value[];
  readonly say?: (value: Value) => string;
  readonly error: unknown;
  readonly onChange: (value: Value) => void;
}

/** Shows a select field with a fixed list of numbers. */
function Choice<Value extends number>(props: ChoiceProps<Value>) {
  const { label, field, value, values, say = String, error, onChange } = props;
  return (
    <NativeSelect
      label={label}
      value={String(value)}
      error={getFieldError(error, field)}
      onChange={(event) => {
        const chosen = values.find((one) => String(one) === event.currentTarget.value);
        if (chosen !== undefined) onChange(chosen);
      }}
      data={values.map((one) => ({ value: String(one), label: say(one) }))}
      className={styles.count}
    />
  );
}

const failedRuns = [1, 2, 3, 4, 5] as const;
const failingMinutes = [5, 10, 15, 30] as const;
const percentages = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100] as const;
const withoutEnd = 100_000;
const amounts = [0, 1, 2, 3, 4, 5, withoutEnd] as const;
export const formatAmount = (amount: number) =>
  amount === withoutEnd ? own.withoutEnd : String(amount);
const intervals = [1, 2, 3, 4, 5, 10, 15, 30] as const;

/** Edits the threshold of failing locations and the alerts for missing data. */
function Extent({ settings, error, onChange }: FieldsProps) {
  const parallel = settings.parallelRunFailureThreshold;
  return (
    <>
      <Switch
        label={own.locations}
        checked={parallel.enabled}
        onChange={(event) =>
          onChange({
            ...settings,
            parallelRunFailureThreshold: { ...parallel, enabled: event.currentTarget.checked },
          })
        }
      />
      {parallel.enabled && (
        <Choice
          label={own.percentage}
          values={percentages}
          field="parallelRunFailureThreshold"
          value={parallel.percentage}
          error={error}
          onChange={(percentage) =>
            onChange({ ...settings, parallelRunFailureThreshold: { ...parallel, percentage } })
          }
        />
      )}
      <Switch
        label={own.noData}
        checked={settings.noDataMinutes !== null}
        onChange={(event) =>
          onChange({ ...settings, noDataMinutes: event.currentTarget.checked ? 10 : null })
        }
      />
      {settings.noDataMinutes !== null && (
        <Count
          label={own.noDataMinutes}
          field="noDataMinutes"
          value={settings.noDataMinutes}
          error={error}
          onChange={(noDataMinutes) => onChange({ ...settings, noDataMinutes })}
        />
      )}
    </>
  );
}

function When(props: FieldsProps) {
  const { settings, error, onChange } = props;
  const { escalationType, runBasedEscalation, timeBasedEscalation } = settings;
  const isByRuns = escalationType === "RUN_BASED";
  return (
    <Stack as="section">
      <h2>{own.when}</h2>
      <Row gap={3} align="end">
        <NativeSelect
          aria-label={own.when}
          value={escalationType}
          onChange={(event) =>
            onChange({
              ...settings,
              escalationType: event.currentTarget.value as Settings["escalationType"],
            })
          }
          data={[
            { value: "RUN_BASED", label: own.runBased },
            { value: "TIME_BASED", label: own.timeBased },
          ]}
        />
        {isByRuns ? (
          <Choice
            label={own.failedRuns}
            field="runBasedEscalation"
            values={failedRuns}
            value={runBasedEscalation.failedRunThreshold as (typeof failedRuns)[number]}
            error={error}
            onChange={(failedRunThreshold) =>
              onChange({ ...settings, runBasedEscalation: { failedRunThreshold } })
            }
          />
        ) : (
          <Choice
            label={own.failingMinutes}
            field="timeBasedEscalation"
            values={failingMinutes}
            value={timeBasedEscalation.minutesFailingThreshold}
            error={error}
            onChange={(minutesFailingThreshold) =>
              onChange({ ...settings, timeBasedEscalation: { minutesFailingThreshold } })
            }
          />
        )}
      </Row>
      <Extent {...props} />
    </Stack>
  );
}

function Reminders({ settings, error, onChange }: FieldsProps) {
  const { reminders, flapDamping } = settings;
  return (
    <>
      <Stack as="section">
        <h2>{own.reminders}</h2>
        <Row gap={3} align="end">
          <Choice
            label={own.reminderAmount}
            values={amounts}
            say={formatAmount}
            field="reminders.amount"
            value={reminders.amount}
            error={error}
            onChange={(amount) => onChange({ ...settings, reminders: { ...reminders, amount } })}
          />
          <Choice
            label={own.reminderInterval}
            values={intervals}
            field="reminders.interval"
            value={reminders.interval}
            error={error}
            onChange={(interval) =>
              onChange({ ...settings, reminders: { ...reminders, interval } })
            }
          />
        </Row>
        <p className={textStyles.muted}>{own.reminderHint}</p>
      </Stack>
      <Stack as="section">
        <h2>{own.flapping}</h2>
        <Switch
          label={own.damping}
          checked={flapDamping !== null}
          onChange={(event) =>
            onChange({
              ...settings,
              flapDamping: event.currentTarget.checked
                ? { transitions: 6, windowMinutes: 60 }
                : null,
            })
          }
        />
        {flapDamping !== null && (
          <Row gap={3} align="end">
            <Count
              label={own.transitions}
              field="flapDamping.transitions"
              value={flapDamping.transitions}
              error={error}
              onChange={(transitions) =>
                onChange({ ...settings, flapDamping: { ...flapDamping, transitions } })
              }
            />
            <Count
              label={own.window}
              field="flapDamping.windowMinutes"
              value={flapDamping.windowMinutes}
              error={error}
              onChange={(windowMinutes) =>
                onChange({ ...settings, flapDamping: { ...flapDamping, windowMinutes } })
              }
            />
          </Row>
        )}
      </Stack>
    </>
  );
}

/**
 * Selects an escalation policy. If none is selected, escalation stages and their channels are
 * edited instead.
 */
function Escalation(props: FieldsProps) {
  const { settings, onChange } = props;
  return (
    <Stack as="section">
      <h2>{own.escalation}</h2>
      <PolicySelect
        label={own.policy}
        none={own.noPolicy}
        value={settings.escalationPolicyId ?? null}
        error={getFieldError(props.error, "escalationPolicyId")}
        onChange={(escalationPolicyId) =>
          onChange({ ...settings, escalationPolicyId, escalationStages: [] })
        }
      />
      {!settings.escalationPolicyId && <Stages {...props} />}
    </Stack>
  );
}

function Stages({ settings, channels, error, isReadOnly, onChange }: FieldsProps) {
  const { escalationStages: stages } = settings;
  const setStages = (escalationStages: Settings["escalationStages"]) =>
    onChange({ ...settings, escalationStages });
  return (
    <>
      {stages.length === 0 && <p className={textStyles.muted}>{own.noStages}</p>}
      {stages.map((stage, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stages have no id
        <Stack key={index}>
          <Row gap={3} align="end">
            <Count
              label={own.afterMinutes}
              field={`escalationStages.${index}`}
              value={stage.afterMinutes}
              error={error}
              onChange={(afterMinutes) => setStages(stages.with(index, { ...stage, afterMinutes }))}
            />
            {!isReadOnly && (
              <Button variant="default" onClick={() => setStages(stages.toSpliced(index, 1))}>
                {own.removeStage} {index + 1}
              </Button>
            )}
          </Row>
          <Checkbox.Group
            label={own.alsoTell}
            value={stage.alertChannelIds.map(String)}
            onChange={(ids) =>
              setStages(stages.with(index, { ...stage, alertChannelIds: ids.map(Number) }))
            }
          >
            <Stack>
              {channels.map((channel) => (
                <Checkbox
                  key={channel.id}
                  value={String(channel.id)}
                  label={describeChannel(channel)}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        </Stack>
      ))}
      {channels.length === 0 && <p className={textStyles.muted}>{own.noChannels}</p>}
      {!isReadOnly && channels.length > 0 && stages.length < 5 && (
        <div>
          <Button
            variant="default"
            onClick={() => setStages([...stages, { afterMinutes: 15, alertChannelIds: [] }])}
          >
            {own.addStage}
          </Button>
        </div>
      )}
    </>
  );
}

/** Selects the channel that receives a page if the page has reached nobody. */
function Fallback({ settings, channels, error, onChange }: FieldsProps) {
  const { fallbackAlertChannelId: id } = settings;
  return (
    <Stack as="section">
      <h2>{own.fallback}</h2>
      <NativeSelect
        label={own.fallbackChannel}
        description={own.fallbackHint}
        value={id === null ? "" : String(id)}
        error={getFieldError(error, "fallbackAlertChannelId")}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange({ ...settings, fallbackAlertChannelId: value === "" ? null : Number(value) });
        }}
        data={[
          { value: "", label: own.ownersEmail },
          ...channels
            .filter(({ type }) => type !== "ONCALL")
            .map((channel) => ({ value: String(channel.id), label: describeChannel(channel) })),
        ]}
        className={styles.count}
      />
    </Stack>
  );
}

/**
 * Edits alert settings in the order in which they take effect: first alert, reminders, escalation,
 * fallback channel.
 */
export function AlertSettingsFields(props: FieldsProps) {
  return (
    <>
      <When {...props} />
      <Reminders {...props} />
      <Escalation {...props} />
      <Fallback {...props} />
    </>
  );
}
