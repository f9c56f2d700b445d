import { computeCode, stepAt } from "../../../src/access/accounts/second-factors/proof.ts";
import type { TestApp } from "../apps/app.ts";

const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    base32Letters.indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the code that an authenticator app shows at a time. */
export function readCodeAt(secret: string, nowMs: number): string {
  return computeCode(decodeBase32(secret), stepAt(nowMs));
}

export function readAppCode(app: TestApp, secret: string): string {
  return readCodeAt(secret, app.clock.nowMs());
}

/** Sets up an authenticator app (TOTP) like a user who has just signed in. */
export async function setUpTotp(
  app: TestApp,
  cookie: string,
): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] }> {
  const begun = await app.call("POST", "/v1/users/me/totp", { cookie, body: {} });
  const { setUpToken, secret } = begun.body;
  const body = { setUpToken, code: readAppCode(app, secret) };
  const confirmed = await app.call("POST", "/v1/users/me/totp/confirm", { cookie, body });
  if (confirmed.status !== 201) throw new Error(`TOTP setup failed: ${confirmed.text}`);
  return { secret, recoveryCodes: confirmed.body.recoveryCodes };
}
