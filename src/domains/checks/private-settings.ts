import type { Kind } from "../../kinds/kind.ts";
import type { PrivateSettings } from "./check.ts";
import type { CheckInput } from "./check-settings.ts";

const names = [
  "scriptPath",
  "sslCheckDomain",
  "setupSnippetId",
  "tearDownSnippetId",
  "localSetupScript",
  "localTearDownScript",
] as const;

/** Merges fields that are stored but never shown. */
export function mergePrivateSettings(
  kind: Pick<Kind, "fields">,
  before: PrivateSettings,
  input: CheckInput,
): PrivateSettings {
  const given = [...Object.keys(kind.fields.unused.create), ...names]
    .filter((name) => input[name] !== undefined)
    .map((name) => [name, input[name]]);
  return {
    ...before,
    ...Object.fromEntries(given),
  };
}
