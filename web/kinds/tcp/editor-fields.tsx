import { assertionsOf, FamilyField, TimeLimits } from "../editor/assertions-field.tsx";
import { fieldsOf } from "../editor/fields.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeTcp } from "./describe.ts";

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
