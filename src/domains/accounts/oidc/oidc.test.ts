import assert from "node:assert/strict";
import { test } from "node:test";
import { roleNames } from "../../../config.ts";
import { roles } from "../role.ts";
import { decideMappedRole, decideReturn, decideRoleChange, type OidcSettings } from "./oidc.ts";

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

test("the settings know the roles of the product", () => {
  assert.deepEqual([...roleNames], [...roles]);
});

test("the most powerful role of a claim counts, wherever the claim is", () => {
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

test("a mapped role follows the claim; one given here stays", () => {
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

test("after the sign-in a browser goes to a path of ours, or home", () => {
  assert.equal(decideReturn("/checks?state=failing#x"), "/checks?state=failing#x");
  const elsewhere = [null, "", "//evil.example", "/\\evil.example", "https://evil.example"];
  for (const asked of [...elsewhere, "javascript:alert(1)", "checks", `/${"x".repeat(1_000)}`]) {
    assert.equal(decideReturn(asked), "/");
  }
  // Browsers drop tabs and line breaks from an address; so does what we check it with.
  assert.equal(decideReturn("/\t/evil.example"), "/");
  for (const dots of ["/.//evil.example", "/x/..//evil.example", "/%2e//evil.example"]) {
    assert.equal(decideReturn(dots), "/", dots);
  }
});
