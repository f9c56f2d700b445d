import type { Encryption } from "../../../platform/encryption.ts";

export interface Acknowledgeable {
  readonly checkId: string;
  readonly alertNumber: number;
}

/** Creates a link with an encrypted token that is valid for one alert of one check. */
export function createAcknowledgeUrl(
  { encryption }: { readonly encryption: Encryption },
  base: string,
  about: Acknowledgeable,
): string {
  const sealed = encryption.encrypt(JSON.stringify([about.checkId, about.alertNumber]));
  return `${base}/acknowledge/${Buffer.from(sealed, "base64").toString("base64url")}`;
}

export function readAcknowledgeToken(
  { encryption }: { readonly encryption: Encryption },
  token: string,
): Acknowledgeable | null {
  try {
    const text = encryption.decrypt(Buffer.from(token, "base64url").toString("base64"));
    const [checkId, alertNumber] = JSON.parse(text);
    return { checkId: String(checkId), alertNumber: Number(alertNumber) };
  } catch {
    return null;
  }
}
