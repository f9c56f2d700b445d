import type { Kind } from "../../kinds/kind.ts";
import type { Encryption } from "../../platform/encryption.ts";
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

/** Fields that are stored and never shown. The values of secret variables are encrypted. */
export function sealPrivateSettings(
  kind: Pick<Kind, "fields">,
  before: PrivateSettings,
  input: CheckInput,
  encryption: Encryption,
): PrivateSettings {
  const given = [...Object.keys(kind.fields.unused.create), ...names]
    .filter((name) => input[name] !== undefined)
    .map((name) => [name, input[name]]);
  const { environmentVariables } = input;
  const variables = environmentVariables?.map((variable) =>
    variable.secret === true
      ? { ...variable, value: encryption.encrypt(variable.value), isSealed: true }
      : variable,
  );
  return {
    ...before,
    ...Object.fromEntries(given),
    ...(environmentVariables === undefined ? {} : { environmentVariables: variables ?? null }),
  };
}
