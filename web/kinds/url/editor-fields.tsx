import { AssertionsField, type SourceChoice } from "../editor/assertions-field.tsx";
import { FieldRow, FlagField } from "../editor/fields.tsx";
import { FamilyField, TimeLimits } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { assertionSources, describeUrl } from "./describe.ts";
import { words } from "./editor-words.ts";

const sources: readonly SourceChoice[] = [
  { value: "STATUS_CODE", label: words.status, holds: "number", property: null },
];

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
    <>
      <FlagField path="request.followRedirects" label={words.redirects} />
      <FlagField path="request.skipSSL" label={words.skipSSL} />
      <FieldRow>
        <FamilyField />
      </FieldRow>
    </>
  );
}

export const editor: KindEditor = {
  describe: describeUrl,
  assertionSources,
  FailingFields,
  MoreFields,
};
