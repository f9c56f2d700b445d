import { getFlag, getList, getText } from "../../parts/fields.ts";
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

const assertionSources: SourceLabels<"URL"> = { STATUS_CODE: "the status code" };

function describeUrl(values: CheckValues<"URL">): string[] {
  const redirects = getFlag(values, "request.followRedirects")
    ? " and follows redirects"
    : " and does not follow redirects";
  const hasRules = getList(values, "request.assertions").length > 0;
  return [
    `Requests ${getText(values, "request.url") || unnamed}${redirects}.`,
    ...(hasRules
      ? describeAssertions(values, assertionSources)
      : ["It fails if the status code is 400 or above, or if there is no response."]),
    ...describeFamilies(values),
    ...describeTimeLimits(values),
    ...(getFlag(values, "request.skipSSL") ? ["Certificate errors are ignored."] : []),
  ];
}

const words = {
  status: "Status code",
  assertionsHint: "Expected status code. Without assertions, a status code below 400 passes.",
  redirects: "Follow redirects",
  skipSSL: "Ignore certificate errors",
} as const;

const { FlagField } = fieldsOf<"URL">();
const AssertionsField = assertionsOf<"URL">();

function FailingFields() {
  return (
    <>
      <TimeLimits />
      <AssertionsField
        sources={[{ value: "STATUS_CODE", label: words.status }]}
        hint={words.assertionsHint}
      />
    </>
  );
}

function MoreFields() {
  return (
    <>
      <FlagField path="request.followRedirects" label={words.redirects} />
      <FlagField path="request.skipSSL" label={words.skipSSL} />
      <FieldRow>
        <FamilyField />
      </FieldRow>
    </>
  );
}

export const editor: KindEditor<"URL"> = {
  describe: describeUrl,
  assertionSources,
  FailingFields,
  MoreFields,
};
