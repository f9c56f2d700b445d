import { Radio } from "@mantine/core";
import { CopyButton } from "../../parts/buttons.tsx";
import { getAt, getNumber, getText, type PathTo } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import type { CheckValues } from "../form-values.ts";
import type { KindEditor } from "../kind.ts";

type Values = CheckValues<"HEARTBEAT">;

function formatAmount(amount: number, unit: string): string {
  return amount === 1 ? `1 ${unit.replace(/s$/, "")}` : `${amount} ${unit}`;
}

function describeHeartbeat(values: Values, defaults: Values): string[] {
  const textAt = (path: PathTo<Values, string>) => getText(values, path) || getText(defaults, path);
  const cron = getText(values, "heartbeat.cron");
  const zone = textAt("heartbeat.timezone");
  const period = getNumber(values, "heartbeat.period") ?? 0;
  const grace = getNumber(values, "heartbeat.grace") ?? 0;
  const graceUnit = textAt("heartbeat.graceUnit");
  const every = formatAmount(period, textAt("heartbeat.periodUnit")).replace(/^1 /, "");
  const late = grace === 0 ? "immediately" : `${formatAmount(grace, graceUnit)} later`;
  return [
    cron === ""
      ? `Expects a ping from your job every ${every}.`
      : `Expects a ping from your job on the cron schedule ${cron} (${zone}).`,
    `If no ping arrives in time, it fails ${late}.`,
    "It also fails immediately if the job reports a failure.",
    ...(getText(values, "heartbeat.pingUrl") === ""
      ? ["The ping URL is shown after you save."]
      : []),
  ];
}

const words = {
  address: "Ping URL",
  expected: "A ping is expected",
  everyPeriod: "At a fixed interval",
  byCron: "On a cron schedule",
  period: "Every",
  unit: "Unit",
  cron: "Cron expression",
  timezone: "Time zone",
  grace: "Grace period",
  graceHint: "The check fails after it",
  graceUnit: "Grace period unit",
  graceUnitHint: "Unit of the grace period",
} as const;

const { NumberField, SelectField, TextField } = fieldsOf<"HEARTBEAT">();

function WhenFields() {
  const { values, set } = useEditorOf<"HEARTBEAT">();
  // The form uses a cron expression if `heartbeat.cron` is a text, and a period otherwise. An empty
  // text counts as a cron expression, because the user may have cleared the field to type another
  // expression.
  const usesCron = typeof getAt(values, "heartbeat.cron") === "string";
  return (
    <>
      <Radio.Group
        label={words.expected}
        value={usesCron ? "cron" : "period"}
        onChange={(how) => set("heartbeat.cron", how === "cron" ? "0 3 * * *" : null)}
      >
        <FieldRow>
          <Radio value="period" label={words.everyPeriod} />
          <Radio value="cron" label={words.byCron} />
        </FieldRow>
      </Radio.Group>
      {usesCron ? (
        <FieldRow>
          <TextField path="heartbeat.cron" label={words.cron} example="0 3 * * *" />
          <TextField path="heartbeat.timezone" label={words.timezone} example="Europe/Berlin" />
        </FieldRow>
      ) : (
        <FieldRow>
          <NumberField path="heartbeat.period" label={words.period} />
          <SelectField path="heartbeat.periodUnit" label={words.unit} />
        </FieldRow>
      )}
    </>
  );
}

function FailingFields() {
  return (
    <FieldRow>
      <NumberField path="heartbeat.grace" label={words.grace} hint={words.graceHint} />
      <SelectField path="heartbeat.graceUnit" label={words.graceUnit} hint={words.graceUnitHint} />
    </FieldRow>
  );
}

function WhatFields() {
  const { values } = useEditorOf<"HEARTBEAT">();
  const address = getText(values, "heartbeat.pingUrl");
  if (address === "") return null;
  return (
    <p>
      {words.address} <code>{address}</code> <CopyButton text={address} />
    </p>
  );
}

export const editor: KindEditor<"HEARTBEAT"> = {
  describe: describeHeartbeat,
  WhatFields,
  WhenFields,
  FailingFields,
};
