import type { Kind } from "../../kinds/kind.ts";
import { secretMask } from "../../kinds/secrets.ts";
import type { ChangeText } from "../../kinds/texts.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { CheckSettings } from "./check-settings.ts";

/** Secrets in the settings of a kind: encrypted in the database and masked in every response. */

const unlessEmpty =
  (change: ChangeText): ChangeText =>
  (text) =>
    text === "" ? "" : change(text);

export const maskSecret: ChangeText = unlessEmpty(() => secretMask);

export function createSeal(encryption: Encryption): ChangeText {
  return unlessEmpty((secret) => encryption.encrypt(secret));
}

/** A value encrypted with another key becomes the mask and must be entered again. */
export function createOpener(encryption: Encryption): ChangeText {
  return unlessEmpty((sealed) => encryption.tryDecrypt(sealed) ?? secretMask);
}

export function mapSecrets(
  { secrets }: Pick<Kind, "secrets">,
  settings: CheckSettings,
  change: ChangeText,
): CheckSettings {
  // `mapSettings` returns the given settings with only the kind's own fields changed.
  return secrets === undefined
    ? settings
    : (secrets.mapSettings(settings, change) as CheckSettings);
}

/** Returns a display name of the target without secrets. */
export function targetOf(kind: Pick<Kind, "secrets" | "target">, settings: CheckSettings): string {
  return kind.target(mapSecrets(kind, settings, maskSecret));
}
