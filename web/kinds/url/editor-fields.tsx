import { assertionsOf } from "../editor/assertions-field.tsx";
import { FieldRow, fieldsOf } from "../editor/fields.tsx";
import { FamilyField, TimeLimits } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeUrl } from "./describe.ts";
import { words } from "./editor-words.ts";

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
