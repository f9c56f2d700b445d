import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createRecoveryCodes,
  decideFactorsToOffer,
  type FactorsOfUser,
  hashRecoveryCode,
} from "./second-factor.ts";

const none: FactorsOfUser = {
  totpSince: null,
  recoveryCodesLeft: 0,
  passkeyCount: 0,
  usablePasskeyCount: 0,
};
const totp = { totpSince: new Date(0) };
const offer = (factors: Partial<FactorsOfUser>) => decideFactorsToOffer({ ...none, ...factors });

test("without an app or a passkey, signing in needs no second factor", () => {
  assert.equal(offer({}), null);
  assert.equal(
    offer({ recoveryCodesLeft: 10 }),
    null,
    "recovery codes are no factor by themselves",
  );
});

test("only what the user can use here is offered", () => {
  assert.deepEqual(offer(totp), ["TOTP"]);
  assert.deepEqual(offer({ ...totp, recoveryCodesLeft: 1 }), ["TOTP", "RECOVERY_CODE"]);
  assert.deepEqual(offer({ passkeyCount: 1, usablePasskeyCount: 1 }), ["PASSKEY"]);
  const elsewhere = { passkeyCount: 2, recoveryCodesLeft: 3 };
  assert.deepEqual(offer(elsewhere), ["RECOVERY_CODE"], "its passkeys are for another host");
});

test("passkeys of another host do not let anybody in without a second factor", () => {
  assert.deepEqual(offer({ passkeyCount: 1 }), []);
});

test("recovery codes differ, and have no characters that look alike", () => {
  const codes = createRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^(?:[a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}$/);
});

test("a recovery code is recognized however it is typed", () => {
  const [code = ""] = createRecoveryCodes();
  const hash = hashRecoveryCode(code);
  for (const typed of [
    code.toUpperCase(),
    code.replaceAll("-", ""),
    ` ${code.replaceAll("-", " ")}\n`,
    code.replaceAll("-", "–"),
  ]) {
    assert.deepEqual(hashRecoveryCode(typed), hash, typed);
  }
  assert.notDeepEqual(hashRecoveryCode(code.slice(1)), hash);
});
