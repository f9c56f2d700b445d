import { AssertionsField, type SourceChoice } from "../editor/assertions-field.tsx";
import { FieldRow, NumberField, SelectField, TextField } from "../editor/fields.tsx";
import { TimeLimits } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeDns } from "./describe.ts";
import { words } from "./editor-words.ts";

const recordTypes = ["A", "AAAA", "CNAME", "MX", "TXT", "SOA", "NS", "HTTPS", "SRV", "CAA", "PTR"];

const sources: readonly SourceChoice[] = [
  { value: "TEXT_ANSWER", label: words.text, holds: "text", property: { example: words.pattern } },
  {
    value: "JSON_ANSWER",
    label: words.json,
    holds: "anything",
    property: { example: "$.Answer[0].data" },
  },
  {
    value: "RESPONSE_CODE",
    label: words.code,
    holds: "text",
    property: { example: words.pattern },
  },
  { value: "RESPONSE_TIME", label: words.time, holds: "number", property: null },
];

function WhatFields() {
  return (
    <FieldRow>
      <SelectField path="request.recordType" label={words.recordType} choices={recordTypes} />
      <TextField
        path="request.nameServer"
        label={words.nameServer}
        example={words.systemServer}
        empty={null}
      />
    </FieldRow>
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

function MoreFields() {
  return (
    <FieldRow>
      <NumberField path="request.port" label={words.port} />
      <SelectField path="request.protocol" label={words.protocol} choices={["UDP", "TCP"]} />
    </FieldRow>
  );
}

export const editor: KindEditor = {
  describe: describeDns,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields,
};
