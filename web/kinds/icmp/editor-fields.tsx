import { assertionsOf, FamilyField, LimitOrder } from "../editor/assertions-field.tsx";
import { findLimits, useEditorOf } from "../editor/editor-context.ts";
import { FieldRow, fieldsOf } from "../editor/fields.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeIcmp } from "./describe.ts";

const words = {
  packets: "Packets per run",
  packetsHint: (least: number, most: number) => `${least} to ${most}, half a second apart`,
  degraded: "Degraded at packet loss",
  failing: "Failing at packet loss",
  latency: "Latency",
  result: "Result as JSON",
  assertionsHint: "Conditions in addition to packet loss. Latencies are in milliseconds.",
} as const;

const { NumberField } = fieldsOf<"ICMP">();
const AssertionsField = assertionsOf<"ICMP">();

function WhatFields() {
  const { kind } = useEditorOf<"ICMP">();
  const { minimum = 0, maximum = 0 } = findLimits(kind, "request.pingCount");
  const hint = words.packetsHint(minimum, maximum);
  return <NumberField path="request.pingCount" label={words.packets} hint={hint} />;
}

function FailingFields() {
  return (
    <>
      <FieldRow>
        <NumberField path="degradedPacketLossThreshold" label={words.degraded} unit="%" />
        <NumberField path="maxPacketLossThreshold" label={words.failing} unit="%" />
      </FieldRow>
      <LimitOrder degraded="degradedPacketLossThreshold" failing="maxPacketLossThreshold" />
      <AssertionsField
        sources={[
          { value: "LATENCY", label: words.latency },
          { value: "JSON_RESPONSE", label: words.result, example: "$.packetLoss" },
        ]}
        hint={words.assertionsHint}
      />
    </>
  );
}

export const editor: KindEditor<"ICMP"> = {
  describe: describeIcmp,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields: () => <FamilyField />,
};
