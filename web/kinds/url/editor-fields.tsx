import { assertionsOf, FamilyField, TimeLimits } from "../editor/assertions-field.tsx";
import { FieldRow, fieldsOf } from "../editor/fields.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeUrl } from "./describe.ts";

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
