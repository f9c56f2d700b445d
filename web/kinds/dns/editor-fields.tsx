import { getList, getText } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
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

type Values = CheckValues<"DNS">;

const assertionSources: SourceLabels<"DNS"> = {
  RESPONSE_TIME: "the response time",
  RESPONSE_CODE: "the response code",
  TEXT_ANSWER: "the answer",
  JSON_ANSWER: "the answer as JSON",
};

function describeDns(values: Values, defaults: Values): string[] {
  const server = getText(values, "request.nameServer") || "the probe's default name server";
  const type = getText(values, "request.recordType") || getText(defaults, "request.recordType");
  const protocol = getText(values, "request.protocol") || getText(defaults, "request.protocol");
  const judgesCode = getList(values, "request.assertions").some(
    ({ source }) => source === "RESPONSE_CODE",
  );
  const query = getText(values, "request.query") || "the name";
  return [
    `Queries ${server} over ${protocol} for the ${type} records of ${query === "the name" ? unnamed : query}.`,
    ...(judgesCode ? [] : ["It fails if the response is an error such as NXDOMAIN."]),
    ...describeFamilies(values),
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
  ];
}

const words = {
  recordType: "Record type",
  nameServer: "Name server",
  systemServer: "System default of the probe",
  port: "Name server port",
  protocol: "Protocol",
  eitherFamily: "Either, IPv4 first",
  text: "Answer as text",
  json: "Answer as JSON",
  code: "Response code",
  time: "Response time (ms)",
  pattern: "Regular expression",
  assertionsHint:
    "A run fails if an assertion fails. Without an assertion on the response code, it must be NOERROR.",
} as const;

const { NumberField, SelectField, TextField } = fieldsOf<"DNS">();
const AssertionsField = assertionsOf<"DNS">();

function WhatFields() {
  return (
    <FieldRow>
      <SelectField path="request.recordType" label={words.recordType} />
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
      <AssertionsField
        sources={[
          { value: "TEXT_ANSWER", label: words.text, example: words.pattern },
          { value: "JSON_ANSWER", label: words.json, example: "$.Answer[0].data" },
          { value: "RESPONSE_CODE", label: words.code, example: words.pattern },
          { value: "RESPONSE_TIME", label: words.time },
        ]}
        hint={words.assertionsHint}
      />
    </>
  );
}

function MoreFields() {
  return (
    <>
      <FieldRow>
        <NumberField path="request.port" label={words.port} />
        <SelectField path="request.protocol" label={words.protocol} />
      </FieldRow>
      <FamilyField none={words.eitherFamily} />
    </>
  );
}

export const editor: KindEditor<"DNS"> = {
  describe: describeDns,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields,
};
