import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../../../test/support/properties.ts";
import { Encryption } from "../../platform/encryption.ts";
import { invalid, KnownError, notFound } from "../../platform/errors.ts";
import { keepFields, omitFields } from "./kept-fields.ts";
import type { PlanEntry } from "./plan.ts";
import {
  type Fields,
  isReference,
  nameResource,
  openRemembered,
  resolveReferences,
  sealRemembered,
} from "./resource.ts";
import { toOldEntry, toWireEntry } from "./wire-diff.ts";

const ids: Readonly<Record<string, string | number>> = {
  "check-group shop": 7,
  "status-page-service web": "service-id",
  "alert-channel ops": 12,
  "on-call-schedule primary": "schedule-id",
};
const resolve = (payload: Fields) =>
  resolveReferences({ payload }, (type, logicalId) => ids[`${type} ${logicalId}`] ?? null);

test("references become the ids of their resources, in lists and in objects", () => {
  const resolved = resolve({
    name: "Web",
    groupId: { ref: "shop" },
    serviceIds: [{ ref: "web" }, "another-id"],
    triggerIncident: { serviceId: { ref: "web" }, name: "Down" },
    steps: [{ targets: [{ scheduleId: { ref: "primary" } }, { channelId: { ref: "ops" } }] }],
    empty: null,
  });
  assert.deepEqual(resolved, {
    name: "Web",
    groupId: 7,
    serviceIds: ["service-id", "another-id"],
    triggerIncident: { serviceId: "service-id", name: "Down" },
    steps: [{ targets: [{ scheduleId: "schedule-id" }, { channelId: 12 }] }],
    empty: null,
  });
  assert.deepEqual(resolve({ services: [{ ref: "web" }] }), { services: [{ id: "service-id" }] });
  assert.deepEqual(
    resolveReferences({ payload: null }, () => null),
    {},
  );
});

test("a reference to nothing is rejected with its path", () => {
  const rows: readonly (readonly [Fields, string])[] = [
    [{ groupId: { ref: "gone" } }, "groupId"],
    // Of another type.
    [{ groupId: { ref: "web" } }, "groupId"],
    [{ steps: [{ targets: [{ scheduleId: { ref: "ops" } }] }] }, "steps.0.targets.0.scheduleId"],
    [{ tags: [{ ref: "shop" }] }, "tags.0"],
    [{ constructor: { ref: "shop" } }, "constructor"],
  ];
  for (const [payload, path] of rows) {
    assert.throws(
      () => resolve(payload),
      (error) => error instanceof KnownError && error.message.startsWith(`${path} refers to "`),
      path,
    );
  }
});

test("only an object with nothing but a name is a reference", () => {
  assert.ok(isReference({ ref: "shop" }));
  for (const value of [null, "ref", [], {}, { ref: 5 }, { ref: "a", id: 1 }, ["ref"]]) {
    assert.equal(isReference(value), false, JSON.stringify(value));
  }
});

test("an error names the resource that it is about", () => {
  const check = { type: "check", logicalId: "web" } as const;
  const named = nameResource(check, invalid("frequency", "must be positive"));
  assert.ok(named instanceof KnownError);
  assert.equal(named.message, 'check "web": frequency must be positive');
  assert.deepEqual(named.validation?.keys, ["frequency"]);
  // The route exists: what is missing is a part of the request.
  const missing = nameResource(check, notFound());
  assert.ok(missing instanceof KnownError && missing.errorName === "invalidRequest");
  const bug = new TypeError("x");
  assert.equal(nameResource(check, bug), bug);
});

test("what was deployed is readable with the same key only", () => {
  const [own, other] = [new Encryption(Buffer.alloc(32, 1)), new Encryption(Buffer.alloc(32, 2))];
  const definition = { clear: { a: "secret" }, shown: { a: "********" } };
  const remembered = { deployed: { a: "secret" }, baseline: definition };
  const sealed = sealRemembered(own, remembered);
  assert.ok(sealed !== null && !Buffer.from(sealed, "base64").includes("secret"));
  assert.deepEqual(openRemembered(own, sealed), remembered);
  const nothing = { deployed: null, baseline: null };
  assert.deepEqual(openRemembered(other, sealed), nothing);
  assert.deepEqual(openRemembered(own, null), nothing);
  assert.equal(sealRemembered(own, nothing), null);
});

test("an imported resource keeps what its code never mentioned", () => {
  const stored = {
    checkType: "URL",
    name: "Web",
    frequency: 5,
    muted: true,
    config: { a: 1, b: 2 },
  };
  const payload = { checkType: "URL", name: "Shop", config: { a: 3 } };
  assert.deepEqual(keepFields(payload, stored, null), {
    payload: { ...payload, frequency: 5, muted: true, config: { a: 3, b: 2 } },
    keptPaths: [["frequency"], ["muted"], ["config", "b"]],
  });
  // The code mentioned these once, so that their absence means the default.
  const deployed = { frequency: 5, config: { b: 2 } };
  assert.deepEqual(keepFields(payload, stored, deployed), {
    payload: { ...payload, muted: true },
    keptPaths: [["muted"]],
  });
});

test("nothing is kept of a resource of another type, or of none", () => {
  const payload = { checkType: "API", name: "Web" };
  const unchanged = { payload, keptPaths: [] };
  assert.deepEqual(keepFields(payload, { checkType: "URL", muted: true }, null), unchanged);
  assert.deepEqual(keepFields(payload, null, null), unchanged);
  assert.deepEqual(keepFields(payload, { checkType: "API", muted: null }, null), unchanged);
});

test("the kept fields are exactly those that can be omitted again", () => {
  const fields = fc.dictionary(
    fc.constantFrom("a", "b", "c", "d"),
    fc.oneof(fc.nat(), fc.constant(null)),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fields, fields, (payload, stored) => {
      const kept = keepFields(payload, stored, null);
      assert.deepEqual(omitFields(kept.payload, kept.keptPaths), payload);
    }),
  );
});

test("a plan is shown in as much detail as the client asks for", () => {
  const entry: PlanEntry = {
    type: "check-group",
    logicalId: "shop",
    physicalId: "7",
    action: "UPDATE",
    origin: "remote",
    changes: [{ path: "/name", origin: "remote", before: "a", after: "b" }],
    before: { name: "a" },
    after: { name: "b" },
  };
  const base = { logicalId: "shop", physicalId: 7, type: "check-group", action: "UPDATE" };
  const { changes } = entry;
  assert.deepEqual(toWireEntry(entry, "summary"), base);
  assert.deepEqual(toWireEntry(entry, "changes"), { ...base, origin: "remote", changes });
  assert.deepEqual(toWireEntry(entry, "full"), {
    ...{ ...base, origin: "remote", changes },
    ...{ before: { id: 7, name: "a" }, after: { name: "b" } },
  });
  const created = { ...entry, physicalId: null, action: "CREATE", before: null } as const;
  assert.equal("physicalId" in toWireEntry(created, "summary"), false);
  assert.equal(toWireEntry(created, "full").before, null);
  assert.equal(toWireEntry({ ...entry, type: "check" }, "summary").physicalId, "7");
});

test("old clients receive the words that they know", () => {
  const rows = {
    UNCHANGED: "UPDATE",
    ADOPT: "UPDATE",
    DETACH: "DETACHED",
    CREATE: "CREATE",
    DELETE: "DELETE",
  } as const;
  for (const [action, old] of Object.entries(rows)) {
    const entry = { logicalId: "web", type: "check", action: action as keyof typeof rows } as const;
    const full = { ...entry, physicalId: "1", changes: [], before: null, after: null };
    assert.deepEqual(toOldEntry(full), { ...entry, physicalId: "1", action: old });
    assert.deepEqual(toOldEntry(entry), { ...entry, action: old });
  }
});
