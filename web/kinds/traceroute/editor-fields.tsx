import { NativeSelect } from "@mantine/core";
import { getText } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { assertionsOf, FamilyField, TimeLimits } from "../editor/assertions-field.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import type { CheckValues } from "../form-values.ts";
import type { KindEditor } from "../kind.ts";
import {
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";

type Values = CheckValues<"TRACEROUTE">;

const assertionSources: SourceLabels<"TRACEROUTE"> = {
  RESPONSE_TIME: "the round trip",
  HOP_COUNT: "the number of hops",
  PACKET_LOSS: "the packet loss at the last hop",
};

function describeTraceroute(values: Values, defaults: Values): string[] {
  const protocol = getText(values, protocolPath) || getText(defaults, protocolPath);
  const host = getText(values, "request.url") || unnamed;
  return [
    `Traces the path to ${host} over ${protocol}.`,
    "It fails if the target is not reached.",
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
  ];
}

const words = {
  protocol: "Protocol",
  tcp: "TCP (as browsers)",
  udp: "UDP (without privileges)",
  icmp: "ICMP (as ping)",
  port: "Port",
  time: "Round trip (ms)",
  hops: "Number of hops",
  loss: "Packet loss at the last hop (%)",
  maxHops: "Maximum number of hops",
  maxUnknownHops: "End after silent hops",
  ptrLookup: "Look up the names of the hops",
  timeout: "Timeout",
  seconds: "s",
  packetSize: "Packet size",
  bytes: "bytes",
  packetSizeHint: "To find links with a small MTU, for example 1500. If empty, the smallest.",
  assertionsHint: "Conditions in addition to reaching the target.",
} as const;

const { FlagField, NumberField } = fieldsOf<"TRACEROUTE">();
const AssertionsField = assertionsOf<"TRACEROUTE">();

const protocolPath = "request.protocol";

/** Values that are set when a protocol is selected. */
const protocols = {
  TCP: { protocol: "TCP", port: 443, packetSize: null },
  UDP: { protocol: "UDP", port: 33_434 },
  ICMP: { protocol: "ICMP", port: null },
} as const;

const isProtocol = (text: string): text is keyof typeof protocols => Object.hasOwn(protocols, text);

function ProtocolField() {
  const { values, merge, noteLabel, findFieldError } = useEditorOf<"TRACEROUTE">();
  noteLabel(protocolPath, words.protocol);
  return (
    <NativeSelect
      label={words.protocol}
      data-path={protocolPath}
      error={findFieldError(protocolPath)}
      data={[
        { value: "TCP", label: words.tcp },
        { value: "UDP", label: words.udp },
        { value: "ICMP", label: words.icmp },
      ]}
      value={getText(values, protocolPath)}
      onChange={({ currentTarget: { value } }) => {
        if (isProtocol(value)) merge({ request: protocols[value] });
      }}
    />
  );
}

function WhatFields() {
  const { values } = useEditorOf<"TRACEROUTE">();
  return (
    <FieldRow>
      <ProtocolField />
      {getText(values, protocolPath) !== "ICMP" && (
        <NumberField path="request.port" label={words.port} />
      )}
    </FieldRow>
  );
}

function FailingFields() {
  return (
    <>
      <TimeLimits />
      <AssertionsField
        sources={[
          { value: "HOP_COUNT", label: words.hops },
          { value: "PACKET_LOSS", label: words.loss },
          { value: "RESPONSE_TIME", label: words.time },
        ]}
        hint={words.assertionsHint}
      />
    </>
  );
}

function MoreFields() {
  const { values } = useEditorOf<"TRACEROUTE">();
  return (
    <>
      <FlagField path="request.ptrLookup" label={words.ptrLookup} />
      <FieldRow>
        <NumberField path="request.maxHops" label={words.maxHops} />
        <NumberField path="request.maxUnknownHops" label={words.maxUnknownHops} />
      </FieldRow>
      <FieldRow>
        <NumberField path="request.timeout" label={words.timeout} unit={words.seconds} />
        <FamilyField />
      </FieldRow>
      {getText(values, protocolPath) !== "TCP" && (
        <NumberField
          path="request.packetSize"
          label={words.packetSize}
          unit={words.bytes}
          hint={words.packetSizeHint}
        />
      )}
    </>
  );
}

export const editor: KindEditor<"TRACEROUTE"> = {
  describe: describeTraceroute,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields,
};
