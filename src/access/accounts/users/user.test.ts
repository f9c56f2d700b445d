import assert from "node:assert/strict";
import { test } from "node:test";
import { findPasswordFault } from "./user.ts";

const email = "Ada.Lovelace@example.com";

test("a new password that breaks a rule is rejected with the rule", () => {
  const faults: Readonly<Record<string, RegExp>> = {
    "ada.lovelace@EXAMPLE.com": /your email address/,
    "ADA.lovelace": /your email address/,
    aaaaaaaaaaaa: /four different/,
    "12121212121212": /four different/,
    Password123: /common password/,
    QWERTYUIOP: /common password/,
  };
  for (const [password, rule] of Object.entries(faults)) {
    assert.match(findPasswordFault(password, email) ?? "", rule, password);
  }
});

test("any other password is accepted, in any alphabet", () => {
  const fine = [
    "correct horse battery",
    "ada.lovelace@example.com!",
    "пароль для Ады",
    "🐴🔋📎✅x",
  ];
  for (const password of fine) assert.equal(findPasswordFault(password, email), null, password);
});
