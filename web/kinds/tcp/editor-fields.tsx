import { AssertionsField, type SourceChoice } from "../editor/assertions-field.tsx";
import { LongTextField } from "../editor/fields.tsx";
import { FamilyField, TimeLimits } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeTcp } from "./describe.ts";
import { words } from "./editor-words.ts";

const sources: readonly SourceChoice[] = [
  {
    value: "RESPONSE_DATA",
    label: words.answer,
    holds: "text",
    property: { example: words.pattern },
  },
  { value: "RESPONSE_TIME", label: words.time, holds: "number", property: null },
];

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
      <AssertionsField sources={sources} hint={words.assertionsHint} />
    </>
  );
}

export const editor: KindEditor = {
  describe: describeTcp,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields: () => <FamilyField />,
};
