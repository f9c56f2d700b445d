import { getNumber, getText, type PathTo } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { assertionsOf, FamilyField, LimitOrder } from "../editor/assertions-field.tsx";
import { findLimits, useEditorOf } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import type { CheckValues } from "../form-values.ts";
import type { KindEditor } from "../kind.ts";
import {
  countOf,
  describeAssertions,
  describeFamilies,
  formatFamily,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";

type Values = CheckValues<"ICMP">;

const assertionSources: SourceLabels<"ICMP"> = {
  LATENCY: "the latency",
  JSON_RESPONSE: "the result",
};

function describeIcmp(values: Values, defaults: Values): string[] {
  const numberAt = (path: PathTo<Values, number>) =>
    getNumber(values, path) ?? getNumber(defaults, path) ?? 0;
  const host = getText(values, "request.hostname") || unnamed;
  const count = numberAt("request.pingCount");
  const degraded = numberAt("degradedPacketLossThreshold");
  const failing = numberAt("maxPacketLossThreshold");
  const family = getText(values, "request.ipFamily") || getText(defaults, "request.ipFamily");
  const spacing = count === 1 ? "" : ", half a second apart";
  return [
    `Pings ${host} over ${formatFamily(family)} with ${countOf(count, "packet")}${spacing}.`,
    `It fails at ${failing} % packet loss or more.`,
    ...(degraded < failing ? [`It is degraded at ${degraded} % packet loss or more.`] : []),
    ...describeFamilies(values),
    ...describeAssertions(values, assertionSources),
  ];
}

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
