import assert from "node:assert/strict";
import { test } from "node:test";
import { roleNames } from "../../../config.ts";
import { roles } from "../caller.ts";
import {
  combineClaims,
  decideMappedRole,
  decideReturn,
  decideRoleChange,
  decideSource,
  isAcceptedAlgorithm,
  type OidcSettings,
} from "./oidc.ts";

const settings: OidcSettings = {
  issuer: "https://id.example.com",
  clientId: "vedette",
  clientSecret: null,
  name: "Example",
  allowedDomains: null,
  roleClaim: "realm_access.roles",
  roles: new Map([
    ["admins", "ADMIN"],
    ["readers", "READ_ONLY"],
  ]),
  defaultRole: null,
};

test("the settings accept exactly the roles of the product", () => {
  assert.deepEqual([...roleNames], [...roles]);
});

test("the highest role of a claim applies, also for nested claims", () => {
  const inside = (value: unknown) => ({ realm_access: { roles: value } });
  assert.equal(decideMappedRole(settings, inside(["readers", "admins", "others"])), "ADMIN");
  assert.equal(decideMappedRole(settings, inside("readers")), "READ_ONLY");
  assert.equal(decideMappedRole(settings, { "realm_access.roles": ["admins"] }), "ADMIN");
  for (const nothing of [[], ["others"], 5, null, undefined, { admins: true }]) {
    assert.equal(decideMappedRole(settings, inside(nothing)), null);
  }
  assert.equal(decideMappedRole(settings, { realm_access: "admins" }), null);
  assert.equal(decideMappedRole({ ...settings, roleClaim: null }, inside(["admins"])), null);
  assert.equal(decideMappedRole({ ...settings, roleClaim: "constructor.name" }, {}), null);
});

test("only algorithms that need the issuer's private key are accepted", () => {
  const token = (header: unknown) =>
    `${Buffer.from(JSON.stringify(header)).toString("base64url")}.e30.c2ln`;
  for (const alg of ["RS256", "PS512", "ES384", "EdDSA"]) {
    assert.equal(isAcceptedAlgorithm(token({ alg })), true, alg);
  }
  for (const alg of ["none", "None", "NONE", "", "HS256", "HS512", "rs256", ["RS256"], null, 256]) {
    assert.equal(isAcceptedAlgorithm(token({ alg })), false, String(alg));
  }
  for (const text of ["", ".", "e30", "bm8ganNvbg.e30.c2ln", token(null), token("RS256")]) {
    assert.equal(isAcceptedAlgorithm(text), false, text);
  }
});

test("claims come from one document, whose subject matches the token", () => {
  assert.equal(decideSource({ sub: "a", email: "ada@example.com" }), "id-token");
  assert.equal(decideSource({ sub: "a", email: "" }), "id-token");
  assert.equal(decideSource({ sub: "a", email_verified: true }), "userinfo");
  const token = { iss: "https://id.example.com", sub: "a", amr: ["mfa"], email_verified: true };
  const userinfo = {
    sub: "a",
    email: "ada@example.com",
    amr: ["pwd"],
    iss: "https://evil.example",
  };
  assert.deepEqual(combineClaims(token, userinfo), {
    iss: "https://id.example.com",
    sub: "a",
    email: "ada@example.com",
    amr: ["mfa"],
  });
  for (const sub of ["b", "A", "", undefined]) {
    assert.throws(() => combineClaims(token, { ...userinfo, sub }), { reason: "untrusted" });
  }
});

test("a mapped role follows the claim; a role granted locally stays", () => {
  const decide = (known: Parameters<typeof decideRoleChange>[1], more = {}) =>
    decideRoleChange({ ...settings, ...more }, known);
  const set = (role: string) => ({ kind: "set", role });
  assert.deepEqual(decide({ mappedRole: "ADMIN", wasMapped: false }), set("ADMIN"));
  assert.deepEqual(decide({ mappedRole: null, wasMapped: false }), { kind: "keep" });
  assert.deepEqual(decide({ mappedRole: null, wasMapped: true }), { kind: "remove" });
  const withDefault = { defaultRole: "READ_ONLY" };
  const lost = { mappedRole: null, wasMapped: true };
  assert.deepEqual(decide(lost, withDefault), set("READ_ONLY"));
});

test("after signing in, a browser is redirected only to a path of this server", () => {
  assert.equal(decideReturn("/checks?state=failing#x"), "/checks?state=failing#x");
  const elsewhere = [null, "", "//evil.example", "/\\evil.example", "https://evil.example"];
  for (const requested of [
    ...elsewhere,
    "javascript:alert(1)",
    "checks",
    `/${"x".repeat(1_000)}`,
  ]) {
    assert.equal(decideReturn(requested), "/");
  }
  // Browsers remove tabs and line breaks from a URL, and so does the URL parser.
  assert.equal(decideReturn("/\t/evil.example"), "/");
  for (const dots of ["/.//evil.example", "/x/..//evil.example", "/%2e//evil.example"]) {
    assert.equal(decideReturn(dots), "/", dots);
  }
});
