import { AssertionsField, type SourceChoice } from "../editor/assertions-field.tsx";
import { FieldRow, NumberField } from "../editor/fields.tsx";
import { FamilyField, LimitOrder } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeIcmp } from "./describe.ts";
import { words } from "./editor-words.ts";

const sources: readonly SourceChoice[] = [
  {
    value: "LATENCY",
    label: words.latency,
    holds: "number",
    property: { example: "avg", names: ["avg", "min", "max", "stdDev"] },
  },
  {
    value: "JSON_RESPONSE",
    label: words.result,
    holds: "anything",
    property: { example: "$.packetLoss" },
  },
];

function WhatFields() {
  return <NumberField path="request.pingCount" label={words.packets} hint={words.packetsHint} />;
}

function FailingFields() {
  return (
    <>
      <FieldRow>
        <NumberField path="degradedPacketLossThreshold" label={words.degraded} unit="%" />
        <NumberField path="maxPacketLossThreshold" label={words.failing} unit="%" />
      </FieldRow>
      <LimitOrder degraded="degradedPacketLossThreshold" failing="maxPacketLossThreshold" />
      <AssertionsField sources={sources} hint={words.assertionsHint} />
    </>
  );
}

export const editor: KindEditor = {
  describe: describeIcmp,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields: () => <FamilyField />,
};
