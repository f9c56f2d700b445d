import { assertionsOf } from "../editor/assertions-field.tsx";
import { fieldsOf } from "../editor/fields.tsx";
import { FamilyField, TimeLimits } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeTcp } from "./describe.ts";
import { words } from "./editor-words.ts";

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
