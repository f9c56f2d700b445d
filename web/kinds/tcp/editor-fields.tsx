import { getText } from "../../parts/fields.ts";
import { assertionsOf, FamilyField, TimeLimits } from "../editor/assertions-field.tsx";
import { fieldsOf } from "../editor/fields.tsx";
import type { CheckValues } from "../form-values.ts";
import type { KindEditor } from "../kind.ts";
import {
  describeAssertions,
  describeFamilies,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";
import { tcpTarget } from "../targets.ts";

const assertionSources: SourceLabels<"TCP"> = {
  RESPONSE_TIME: "the response time",
  RESPONSE_DATA: "the response",
};

function describeTcp(values: CheckValues<"TCP">): string[] {
  const target = tcpTarget.target?.write(values) || unnamed;
  const data = getText(values, "request.data");
  const sends = data === "" ? "" : ", sends the text and reads the response";
  return [
    `Connects to ${target}${sends}.`,
    "It fails if the connection fails.",
    ...describeFamilies(values),
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
  ];
}

const words = {
  data: "Text to send",
  dataHint:
    "Sent after the connection is established. If empty, nothing is sent. Can contain {{NAME}} variables.",
  answer: "Response",
  time: "Response time (ms)",
  pattern: "Regular expression",
  assertionsHint: "Conditions in addition to a successful connection.",
} as const;

const { LongTextField } = fieldsOf<"TCP">();
const AssertionsField = assertionsOf<"TCP">();

function WhatFields() {
  return (
    <LongTextField
      path="request.data"
      label={words.data}
      hint={words.dataHint}
      empty={null}
      rows={2}
    />
  );
}

function FailingFields() {
  return (
    <>
      <TimeLimits />
      <AssertionsField
        sources={[
          { value: "RESPONSE_DATA", label: words.answer, example: words.pattern },
          { value: "RESPONSE_TIME", label: words.time },
        ]}
        hint={words.assertionsHint}
      />
    </>
  );
}

export const editor: KindEditor<"TCP"> = {
  describe: describeTcp,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields: () => <FamilyField />,
};
