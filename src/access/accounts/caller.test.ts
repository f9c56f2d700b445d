import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../../../test/support/properties.ts";
import {
  type Access,
  addRoles,
  type Credential,
  decideCaller,
  grantableRoles,
  isAllowed,
  isAtLeast,
  isExpired,
  lesserRole,
  type Role,
  roles,
} from "./caller.ts";

const origin = { address: "192.0.2.1", requestId: "r1" };

function newCredential(change: Partial<Credential> = {}): Credential {
  return {
    type: "API_KEY",
    id: "key",
    userId: "ada",
    label: "CI …abcd",
    homeAccountId: "home",
    roleLimit: null,
    expiresAt: null,
    roles: { home: "OWNER", other: "READ_ONLY" },
    accountIds: ["home", "other"],
    accountsRequiringSecondFactor: [],
    ...change,
  };
}

test("each role has the permissions of the roles before it", () => {
  const allowed: Readonly<Record<Exclude<Access, "public" | "self">, readonly Role[]>> = {
    read: ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"],
    run: ["READ_RUN", "READ_WRITE", "ADMIN", "OWNER"],
    write: ["READ_WRITE", "ADMIN", "OWNER"],
    admin: ["ADMIN", "OWNER"],
    owner: ["OWNER"],
  };
  for (const [access, expected] of Object.entries(allowed)) {
    for (const isSession of [false, true]) {
      const found = roles.filter((role) => isAllowed(access as Access, role, isSession));
      assert.deepEqual(found, expected, access);
    }
  }
});

test("users manage their own data with any role, and keys only with write access", () => {
  assert.deepEqual(
    roles.filter((role) => isAllowed("self", role, true)),
    roles,
  );
  assert.deepEqual(
    roles.filter((role) => isAllowed("self", role, false)),
    ["READ_WRITE", "ADMIN", "OWNER"],
  );
  assert.ok(roles.every((role) => isAllowed("public", role, false)));
});

test("an invite cannot grant ownership", () => {
  assert.deepEqual(
    new Set<string>(grantableRoles),
    new Set(roles.filter((role) => role !== "OWNER")),
  );
});

test("the lesser of two roles is one of them, and at most either", () => {
  const role = fc.constantFrom(...roles);
  fc.assert(
    fc.property(role, role, (one, other) => {
      const lesser = lesserRole(one, other);
      assert.ok(lesser === one || lesser === other);
      assert.ok(isAtLeast(one, lesser) && isAtLeast(other, lesser));
      assert.equal(lesserRole(other, one), lesser);
    }),
  );
});

test("the lowest role of an operation is that of its access, for users and for keys", () => {
  const rows: readonly (readonly [Exclude<Access, "public">, Role, Role])[] = [
    ["read", "READ_ONLY", "READ_ONLY"],
    ["run", "READ_RUN", "READ_RUN"],
    ["write", "READ_WRITE", "READ_WRITE"],
    ["admin", "ADMIN", "ADMIN"],
    ["owner", "OWNER", "OWNER"],
    ["self", "READ_ONLY", "READ_WRITE"],
  ];
  const operation = { operationId: "x", summary: "X", tag: "t", method: "GET", path: "/x" };
  for (const [access, leastRole, leastKeyRole] of rows) {
    assert.deepEqual(addRoles({ ...operation, access }), {
      ...operation,
      ...{ access, leastRole, leastKeyRole },
    });
  }
});

test("a request acts for the account that it names, or else for the home account", () => {
  const home = decideCaller(newCredential(), null, origin);
  assert.deepEqual([home?.accountId, home?.role], ["home", "OWNER"]);
  const other = decideCaller(newCredential(), "other", origin);
  assert.deepEqual([other?.accountId, other?.role], ["other", "READ_ONLY"]);
  assert.deepEqual([other?.address, other?.requestId, other?.userId], ["192.0.2.1", "r1", "ada"]);
});

test("a credential acts for no account that it has no role in", () => {
  assert.equal(decideCaller(newCredential(), "foreign", origin), null);
  assert.equal(decideCaller(newCredential({ homeAccountId: null }), null, origin), null);
  assert.equal(decideCaller(newCredential({ homeAccountId: "gone" }), null, origin), null);
  // An account that has removed the user is still listed in the key.
  const removed = newCredential({ roles: { other: "ADMIN" } });
  assert.equal(decideCaller(removed, null, origin), null);
  assert.equal(decideCaller(removed, "other", origin)?.role, "ADMIN");
});

test("names that every object has are not accounts", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    assert.equal(decideCaller(newCredential(), name, origin), null, name);
    assert.equal(decideCaller(newCredential(), null, origin)?.roleIn(name), null, name);
  }
});

test("a key never has more than its limit, in any account", () => {
  const role = fc.constantFrom(...roles);
  fc.assert(
    fc.property(role, role, role, (limit, home, other) => {
      const credential = newCredential({ roleLimit: limit, roles: { home, other } });
      const caller = decideCaller(credential, null, origin);
      assert.equal(caller?.role, lesserRole(limit, home));
      assert.equal(caller?.roleIn("other"), lesserRole(limit, other));
      assert.equal(caller?.roleIn("foreign"), null);
    }),
  );
});

test("a credential expires at its time, and without one never", () => {
  const expiresAt = new Date(1_000);
  assert.equal(isExpired(newCredential({ expiresAt }), 999), false);
  assert.equal(isExpired(newCredential({ expiresAt }), 1_000), true);
  assert.equal(isExpired(newCredential(), Number.MAX_SAFE_INTEGER), false);
});
