import { Checkbox, NativeSelect, Radio } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { nameChannel, nameChannelKind as nameKind } from "../../alerts/index.ts";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { FieldRow } from "../../kinds/editor/fields.tsx";
import { getAt, getFlag, getList, getNumber, getText } from "../../parts/fields.ts";
import { GoLink } from "../../parts/go-link.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { defaultAlertSettings } from "./check-values.ts";
import styles from "./editor.module.css";
import { IncidentFields } from "./incident-fields.tsx";
import { channelsQuery } from "./lists.ts";
import { words } from "./words.ts";

const path = "alertChannelSubscriptions";

export function NotificationFields() {
  return (
    <>
      <Channels />
      <AlertTiming />
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
  const named = getAt(values, path);
  const isEvery = isNew && named === undefined;
  const active = getList(values, path).filter(({ activated }) => activated === true);
  const ids = new Set(isEvery ? data.map(({ id }) => id) : active.map((one) => one.alertChannelId));
  const toggle = (id: number) => {
    const next = ids.has(id) ? [...ids].filter((one) => one !== id) : [...ids, id];
    set(
      path,
      next.map((alertChannelId) => ({ alertChannelId, activated: true })),
    );
  };
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={styles.legend}>{words.channels}</legend>
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
  const { values, merge, noteLabel } = useEditor();
  noteLabel("useGlobalAlertSettings", words.alertSettings);
  noteLabel("alertSettings", words.alertSettings);
  const isGlobal = getFlag(values, "useGlobalAlertSettings");
  const choose = (how: string) => {
    const own = getAt(values, "alertSettings") ?? defaultAlertSettings;
    merge({
      useGlobalAlertSettings: how === "global",
      ...(how === "own" && { alertSettings: own }),
    });
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

const runChoices = [1, 2, 3, 4, 5];
const minuteChoices = [5, 10, 15, 30];
const reminderChoices = [
  { value: "0", label: "None" },
  ...[1, 2, 3, 4, 5].map((count) => ({ value: String(count), label: String(count) })),
  { value: "100000", label: "Without end" },
];
const intervals = [1, 2, 3, 4, 5, 10, 15, 30];

function OwnSettings() {
  const { values, set } = useEditor();
  const isByTime = getText(values, "alertSettings.escalationType") === "TIME_BASED";
  const threshold = isByTime
    ? "alertSettings.timeBasedEscalation.minutesFailingThreshold"
    : "alertSettings.runBasedEscalation.failedRunThreshold";
  const escalation = `${isByTime ? "t" : "r"}${getNumber(values, threshold) ?? 1}`;
  const chooseEscalation = (choice: string) => {
    const isTime = choice.startsWith("t");
    const count = Number(choice.slice(1));
    const settings = getAt(values, "alertSettings") as object;
    set("alertSettings", {
      ...settings,
      escalationType: isTime ? "TIME_BASED" : "RUN_BASED",
      ...(isTime
        ? { timeBasedEscalation: { minutesFailingThreshold: count } }
        : { runBasedEscalation: { failedRunThreshold: count } }),
    });
  };
  const amount = getNumber(values, "alertSettings.reminders.amount") ?? 0;
  return (
    <FieldRow>
      <NativeSelect
        label={words.alertSettings}
        data-path="alertSettings.escalationType"
        data={[
          {
            group: words.afterRuns,
            items: runChoices.map((count) => ({ value: `r${count}`, label: String(count) })),
          },
          {
            group: words.afterMinutes,
            items: minuteChoices.map((count) => ({ value: `t${count}`, label: `${count} min` })),
          },
        ]}
        value={escalation}
        onChange={({ currentTarget }) => chooseEscalation(currentTarget.value)}
      />
      <NativeSelect
        label={words.reminders}
        data={reminderChoices}
        value={String(amount)}
        onChange={({ currentTarget }) =>
          set("alertSettings.reminders.amount", Number(currentTarget.value))
        }
      />
      {amount > 0 && (
        <NativeSelect
          label={words.reminderInterval}
          data={intervals.map(String)}
          value={String(getNumber(values, "alertSettings.reminders.interval") ?? 5)}
          onChange={({ currentTarget }) =>
            set("alertSettings.reminders.interval", Number(currentTarget.value))
          }
        />
      )}
    </FieldRow>
  );
}
