import { Radio } from "@mantine/core";
import { CopyButton } from "../../parts/copy-button.tsx";
import { getText } from "../../parts/fields.ts";
import { useEditorOf } from "../editor/editor-context.ts";
import { FieldRow, fieldsOf } from "../editor/fields.tsx";
import type { KindEditor } from "../kind.ts";
import { describeHeartbeat } from "./describe.ts";

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
  const usesCron = getText(values, "heartbeat.cron") !== "";
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
          <TextField path="heartbeat.cron" label={words.cron} example="0 3 * * *" empty={null} />
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
