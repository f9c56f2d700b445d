import type { Encryption } from "../../platform/encryption.ts";
import type { PrivateSettings } from "./check.ts";
import type { IcmpCheckWish } from "./schema.ts";

const names = [
  "heartbeat",
  "script",
  "scriptPath",
  "sslCheckDomain",
  "setupSnippetId",
  "tearDownSnippetId",
  "localSetupScript",
  "localTearDownScript",
] as const;

/** What is accepted, kept and never shown; values of secret variables are sealed at rest. */
export function sealPrivateSettings(
  before: PrivateSettings,
  wish: IcmpCheckWish,
  encryption: Encryption,
): PrivateSettings {
  const given = names.filter((name) => wish[name] !== undefined).map((name) => [name, wish[name]]);
  const { environmentVariables } = wish;
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
