import type { Kind } from "../../kinds/kind.ts";
import { secretMask } from "../../kinds/secrets.ts";
import type { ChangeText } from "../../kinds/texts.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { CheckSettings } from "./check-settings.ts";

/** The secrets in a kind's own settings: sealed in the database, masked in every answer. */

const unlessEmpty =
  (change: ChangeText): ChangeText =>
  (text) =>
    text === "" ? "" : change(text);

export const maskSecret: ChangeText = unlessEmpty(() => secretMask);

export function createSeal(encryption: Encryption): ChangeText {
  return unlessEmpty((secret) => encryption.encrypt(secret));
}

/** What was sealed with another key has to be entered again. */
export function createOpener(encryption: Encryption): ChangeText {
  return unlessEmpty((sealed) => encryption.tryDecrypt(sealed) ?? secretMask);
}

export function mapSecrets(
  { secrets }: Pick<Kind, "secrets">,
  settings: CheckSettings,
  change: ChangeText,
): CheckSettings {
  // A kind gives back the settings that it was given, with its own fields changed.
  return secrets === undefined
    ? settings
    : (secrets.mapSettings(settings, change) as CheckSettings);
}

/** What a person would call the target, without secrets. */
export function targetOf(kind: Pick<Kind, "secrets" | "target">, settings: CheckSettings): string {
  return kind.target(mapSecrets(kind, settings, maskSecret));
}
