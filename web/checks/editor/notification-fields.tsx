import { Checkbox, NativeSelect, Radio } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { nameChannel, nameChannelKind as nameKind } from "../../alerts/index.ts";
import { audienceQuery, incidentWords, serviceStatusesQuery } from "../../incidents/index.ts";
import { findLimits, useEditor } from "../../kinds/editor/editor-context.ts";
import { anyFields } from "../../kinds/editor/fields.tsx";
import type { AnyValues, CheckKind } from "../../kinds/form-values.ts";
import { PolicySelect } from "../../on-call/index.ts";
import { getFlag, getList, getNumber, getText, type ValueAt } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { GoLink } from "../../parts/links.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./editor.module.css";
import { channelsQuery } from "./queries.ts";
import { incidentFieldWords, words } from "./words.ts";

const { FlagField, LongTextField, SelectField, TextField } = anyFields;

const incidentPath = "triggerIncident";

/** Edits the settings of the incident that an alert of this check opens. */
function IncidentFields() {
  const { values, set, findFieldError, noteLabel } = useEditor();
  noteLabel(incidentPath, incidentFieldWords.opens);
  const trigger = values.triggerIncident ?? null;
  const before = useRef(trigger);
  const toggle = (isOn: boolean) => {
    if (!isOn) before.current = trigger;
    set(incidentPath, isOn ? (before.current ?? incidentFieldWords.firstIncident) : null);
  };
  return (
    <>
      <Checkbox
        label={incidentFieldWords.opens}
        description={incidentFieldWords.opensHint}
        data-path={incidentPath}
        error={findFieldError(incidentPath)}
        checked={trigger !== null}
        onChange={({ currentTarget }) => toggle(currentTarget.checked)}
      />
      {trigger !== null && <Incident />}
    </>
  );
}

function Incident() {
  const { data } = useQuery(serviceStatusesQuery);
  if (data?.length === 0) {
    return (
      <p className={textStyles.hint}>
        {incidentFieldWords.noServices}{" "}
        <GoLink href="/status-pages">{incidentFieldWords.addServices}</GoLink>
      </p>
    );
  }
  return (
    <>
      <FieldRow>
        <ServiceField services={data ?? []} />
        <SelectField
          path={`${incidentPath}.severity`}
          label={incidentFieldWords.severity}
          labels={incidentWords.severityMeans}
        />
      </FieldRow>
      <TextField
        path={`${incidentPath}.name`}
        label={incidentFieldWords.name}
        hint={incidentFieldWords.variables}
      />
      <LongTextField
        path={`${incidentPath}.description`}
        label={incidentFieldWords.description}
        rows={3}
      />
      <NotifyField />
    </>
  );
}

interface ServiceFieldProps {
  readonly services: readonly { readonly serviceId: string; readonly name: string }[];
}

function ServiceField({ services }: ServiceFieldProps) {
  const { values, set, findFieldError, noteLabel } = useEditor();
  const own = `${incidentPath}.serviceId` as const;
  noteLabel(own, incidentFieldWords.service);
  const id = getText(values, own);
  const isListed = services.some(({ serviceId }) => serviceId === id);
  return (
    <NativeSelect
      label={incidentFieldWords.service}
      data-path={own}
      error={findFieldError(own)}
      data={[
        ...(isListed ? [] : [{ value: id, label: id === "" ? incidentFieldWords.choose : id }]),
        ...services.map(({ serviceId, name }) => ({ value: serviceId, label: name })),
      ]}
      value={id}
      onChange={({ currentTarget }) => set(own, currentTarget.value)}
    />
  );
}

function NotifyField() {
  const { values } = useEditor();
  const id = getText(values, `${incidentPath}.serviceId`);
  const { data } = useQuery(audienceQuery(id === "" ? [] : [id]));
  const isShown = data !== undefined && data.pages.length > 0;
  const told = data === undefined ? "" : incidentFieldWords.told(data.subscribers);
  return (
    <FlagField
      path={`${incidentPath}.notifySubscribers`}
      label={incidentFieldWords.notify}
      hint={data === undefined || isShown ? told : incidentFieldWords.noPage}
    />
  );
}

const { NumberSelectField } = anyFields;

const path = "alertChannelSubscriptions";

export function NotificationFields() {
  return (
    <>
      <Channels />
      <AlertTiming />
      <Paging />
      <IncidentFields />
    </>
  );
}

export function Channels() {
  const { values, set, isNew, findFieldError, noteLabel } = useEditor();
  const { data } = useQuery(channelsQuery);
  noteLabel(path, words.channels);
  if (data === undefined) return null;
  if (data.length === 0) {
    return (
      <p className={textStyles.hint}>
        {words.noChannels} <GoLink href="/alerts/channels">{words.addChannel}</GoLink>
      </p>
    );
  }
  const isEvery = isNew && values[path] === undefined;
  const active = getList(values, path).filter(({ activated }) => activated === true);
  const ids = new Set(
    isEvery ? data.map(({ id }) => id) : active.flatMap((one) => one.alertChannelId ?? []),
  );
  const toggle = (id: number) => {
    const next = ids.has(id) ? [...ids].filter((one) => one !== id) : [...ids, id];
    set(
      path,
      next.map((alertChannelId) => ({ alertChannelId, activated: true })),
    );
  };
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={textStyles.legend}>{words.channels}</legend>
      <div className={styles.checkboxes}>
        {data.map((channel) => (
          <Checkbox
            key={channel.id}
            label={nameChannel(channel) || nameKind(channel.type)}
            description={nameKind(channel.type)}
            data-path={path}
            checked={ids.has(channel.id)}
            onChange={() => toggle(channel.id)}
          />
        ))}
      </div>
      {findFieldError(path) && <p className={textStyles.fault}>{findFieldError(path)}</p>}
    </Stack>
  );
}

function AlertTiming() {
  const { values, kind, merge, noteLabel } = useEditor();
  noteLabel("useGlobalAlertSettings", words.alertSettings);
  noteLabel("alertSettings", words.alertSettings);
  const isGlobal = getFlag(values, "useGlobalAlertSettings");
  const choose = (how: string) => {
    const alertSettings = values.alertSettings ?? kind.defaults.alertSettings;
    merge({ useGlobalAlertSettings: how === "global", ...(how === "own" && { alertSettings }) });
  };
  return (
    <>
      <Radio.Group
        label={words.alertSettings}
        value={isGlobal ? "global" : "own"}
        onChange={choose}
      >
        <Row gap={6}>
          <Radio value="global" label={words.globalSettings} />
          <Radio value="own" label={words.ownSettings} />
        </Row>
      </Radio.Group>
      {!isGlobal && <OwnSettings />}
    </>
  );
}

const policyPath = "alertSettings.escalationPolicyId";

/**
 * Edits the escalation policy and the urgency of the check. A check can have its own policy and
 * urgency even if it inherits all other alert settings.
 */
function Paging() {
  const { values, kind, merge, findFieldError, noteLabel } = useEditor();
  noteLabel(policyPath, words.policy);
  const settings = values.alertSettings ?? kind.defaults.alertSettings;
  const change = (part: Partial<NonNullable<AnyValues["alertSettings"]>>) =>
    merge({ alertSettings: { ...settings, ...part } });
  return (
    <FieldRow>
      <PolicySelect
        label={words.policy}
        none={words.nearestPolicy}
        value={settings?.escalationPolicyId ?? null}
        error={findFieldError(policyPath)}
        onChange={(escalationPolicyId) => change({ escalationPolicyId })}
      />
      <SelectField
        path="alertSettings.urgency"
        label={words.urgency}
        hint={words.urgencyHint}
        labels={words.urgencies}
        none={words.nearestUrgency}
      />
    </FieldRow>
  );
}

const runsPath = "alertSettings.runBasedEscalation.failedRunThreshold";
const minutesPath = "alertSettings.timeBasedEscalation.minutesFailingThreshold";

function listRuns(kind: CheckKind): number[] {
  const { minimum = 1, maximum = 1 } = findLimits(kind, runsPath);
  return Array.from({ length: maximum - minimum + 1 }, (_, index) => minimum + index);
}

const listMinutes = (kind: CheckKind) => findLimits(kind, minutesPath).enum?.map(Number) ?? [];

/**
 * Casts minutes to the API's type. The cast is safe, because the form offers only allowed numbers.
 */
const asMinutes = (count: number) => count as ValueAt<AnyValues, typeof minutesPath>;

const unlimited = 100_000;

function formatReminders(amount: number): string {
  if (amount === unlimited) return "Without end";
  return amount === 0 ? "None" : String(amount);
}

function OwnSettings() {
  const { values } = useEditor();
  const amount = getNumber(values, "alertSettings.reminders.amount") ?? 0;
  return (
    <FieldRow>
      <EscalationField />
      <NumberSelectField
        path="alertSettings.reminders.amount"
        label={words.reminders}
        format={formatReminders}
      />
      {amount > 0 && (
        <NumberSelectField path="alertSettings.reminders.interval" label={words.reminderInterval} />
      )}
    </FieldRow>
  );
}

/**
 * Edits the type of escalation and its threshold, which are separate API fields, with one control.
 */
function EscalationField() {
  const { values, kind, merge } = useEditor();
  const isByTime = getText(values, "alertSettings.escalationType") === "TIME_BASED";
  const threshold = getNumber(values, isByTime ? minutesPath : runsPath) ?? 1;
  const choose = (choice: string) => {
    const count = Number(choice.slice(1));
    merge({
      alertSettings: choice.startsWith("t")
        ? {
            escalationType: "TIME_BASED",
            timeBasedEscalation: { minutesFailingThreshold: asMinutes(count) },
          }
        : {
            escalationType: "RUN_BASED",
            runBasedEscalation: { failedRunThreshold: count },
          },
    });
  };
  return (
    <NativeSelect
      label={words.alertSettings}
      data-path="alertSettings.escalationType"
      data={[
        {
          group: words.afterRuns,
          items: listRuns(kind).map((count) => ({ value: `r${count}`, label: String(count) })),
        },
        {
          group: words.afterMinutes,
          items: listMinutes(kind).map((count) => ({ value: `t${count}`, label: `${count} min` })),
        },
      ]}
      value={`${isByTime ? "t" : "r"}${threshold}`}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  );
}
