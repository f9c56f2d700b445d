import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import {
  type DesiredState,
  keepRemoteChanges,
  type MissingRule,
  type PlanEntry,
  type PlanInput,
  planChanges,
} from "./plan.ts";
import { type Definition, type Fields, keyOf, type OwnedResource } from "./resource.ts";

const plain = (clear: Fields): Definition => ({ clear, shown: clear });

const state = (logicalId: string, definition: Definition): DesiredState => ({
  type: "check",
  logicalId,
  definition,
});

const own = (
  logicalId: string,
  deployed: Fields | null,
  stored: Fields | null = deployed,
): OwnedResource => ({
  type: "check",
  logicalId,
  physicalId: `id ${logicalId}`,
  deployed,
  baseline: stored && plain(stored),
});

function plan(input: Partial<PlanInput>): PlanEntry[] {
  return planChanges({
    desired: [],
    owned: [],
    current: new Map(),
    missing: "delete",
    ...input,
  });
}

/** Applies a plan to a model of the store. */
function apply(input: PlanInput, entries: readonly PlanEntry[]): PlanInput {
  const desired = new Map(input.desired.map((one) => [keyOf(one), one]));
  const current = new Map(input.current);
  const owned = new Map(input.owned.map((one) => [keyOf(one), one]));
  for (const entry of entries) {
    const key = keyOf(entry);
    const definition = desired.get(key)?.definition;
    if (entry.action === "DELETE" || entry.action === "DETACH") {
      owned.delete(key);
      current.delete(key);
    } else if (definition !== undefined && entry.action !== "UNCHANGED") {
      current.set(key, definition);
      owned.set(key, own(entry.logicalId, definition.clear));
    }
  }
  return { ...input, current, owned: [...owned.values()] };
}

const fields = fc.dictionary(
  fc.constantFrom("name", "frequency", "request", "tags"),
  fc.oneof(
    fc.constantFrom(1, 2, "a", null, true),
    fc.array(fc.constantFrom(1, "b"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("url", "a/b", "c~d"), fc.constantFrom(1, "x"), { maxKeys: 2 }),
  ),
);
const logicalIds = fc.constantFrom("a", "b", "c", "d");
const byId = fc.dictionary(logicalIds, fields);

const inputs = fc.record({
  desired: byId,
  owned: fc.dictionary(logicalIds, fc.tuple(fc.option(fields), fields)),
  current: byId,
  missing: fc.constantFrom("delete", "detach", "keep"),
});

function toInput({
  desired,
  owned,
  current,
  missing,
}: {
  readonly desired: Readonly<Record<string, Fields>>;
  readonly owned: Readonly<Record<string, readonly [Fields | null, Fields]>>;
  readonly current: Readonly<Record<string, Fields>>;
  readonly missing: MissingRule;
}): PlanInput {
  return {
    desired: Object.entries(desired).map(([id, one]) => state(id, plain(one))),
    owned: Object.entries(owned).map(([id, [deployed, baseline]]) =>
      own(id, deployed, deployed && baseline),
    ),
    current: new Map(
      Object.entries(current)
        .filter(([id]) => id in owned)
        .map(([id, one]) => [`check ${id}`, plain(one)]),
    ),
    missing,
  };
}

test("applying a plan and planning again yields no change", () => {
  fc.assert(
    fc.property(inputs, (drawn) => {
      const input = toInput(drawn);
      const applied = apply(input, planChanges(input));
      const again = planChanges(applied);
      assert.deepEqual(
        again.filter(({ action }) => action !== "UNCHANGED" && action !== "KEEP"),
        [],
      );
      const unchanged = again.filter(({ action }) => action === "UNCHANGED");
      assert.equal(unchanged.length, applied.desired.length);
    }),
    { numRuns: propertyRuns },
  );
});

test("every resource of the code or of the project has one entry", () => {
  fc.assert(
    fc.property(inputs, (drawn) => {
      const input = toInput(drawn);
      const keys = planChanges(input).map(keyOf).sort();
      const expected = new Set([...input.desired.map(keyOf), ...input.owned.map(keyOf)]);
      assert.deepEqual(keys, [...expected].sort());
    }),
    { numRuns: propertyRuns },
  );
});

test("a change is attributed to the code, to somebody else or to both", () => {
  const deployed = { name: "a", muted: false, tags: ["x"], same: 1 };
  const [entry] = plan({
    desired: [state("one", plain({ ...deployed, name: "b", tags: ["y"] }))],
    owned: [own("one", deployed)],
    current: new Map([["check one", plain({ ...deployed, muted: true, tags: ["z"] })]]),
  });
  assert.equal(entry?.action, "UPDATE");
  assert.deepEqual(entry?.changes, [
    {
      path: "/muted",
      origin: "remote",
      before: true,
      after: false,
      remote: { before: false, after: true },
    },
    { path: "/name", origin: "code", before: "a", after: "b" },
    {
      path: "/tags",
      origin: "both",
      before: ["z"],
      after: ["y"],
      remote: { before: ["x"], after: ["z"] },
    },
  ]);
});

test("a value that the product stores in another form is not a change", () => {
  const [entry] = plan({
    desired: [state("one", plain({ theme: null }))],
    owned: [own("one", { theme: null }, { theme: "AUTO" })],
    current: new Map([["check one", plain({ theme: "AUTO" })]]),
  });
  assert.equal(entry?.action, "UNCHANGED");
});

test("a secret that changes is masked, and a long value is a hash", () => {
  const is = { clear: { password: "old", text: "a" }, shown: { password: "****", text: "a" } };
  const text = "b".repeat(3_000);
  const want = { clear: { password: "new", text }, shown: { password: "****", text } };
  const [entry] = plan({
    desired: [state("one", want)],
    owned: [own("one", is.clear)],
    current: new Map([["check one", is]]),
  });
  const [password, long] = entry?.changes ?? [];
  const masked = { $masked: "changed" };
  assert.deepEqual(password, {
    path: "/password",
    origin: "code",
    before: masked,
    after: masked,
    secret: true,
  });
  assert.match(JSON.stringify(long?.after), /^\{"\$hash":"[0-9a-f]{64}"\}$/);
  assert.equal(JSON.stringify(entry).includes("old"), false);
});

test("a secret of the last deployment is masked in the change that somebody else made", () => {
  const deployed = { password: "old" };
  const owned = own("one", deployed);
  const baseline = { clear: deployed, shown: { password: "****" } };
  const [entry] = plan({
    desired: [state("one", plain({ password: "" }))],
    owned: [{ ...owned, baseline }],
    current: new Map([["check one", plain({ password: "plain" })]]),
  });
  assert.equal(entry?.changes[0]?.origin, "both");
  assert.equal(JSON.stringify(entry).includes("old"), false);
});

test("a resource that somebody deleted is created again, one without a baseline is updated", () => {
  const entries = plan({
    desired: [state("gone", plain({ name: "a" })), state("imported", plain({ name: "b" }))],
    owned: [own("gone", { name: "a" }), own("imported", null)],
    current: new Map([["check imported", plain({ name: "b" })]]),
  });
  assert.deepEqual(
    entries.map(({ action, origin, physicalId }) => [action, origin, physicalId]),
    [
      ["CREATE", "remote", null],
      ["UPDATE", "code", "id imported"],
    ],
  );
});

test("a resource that the code no longer contains is deleted, detached or kept", () => {
  const owned = [own("old", { name: "a" })];
  assert.equal(plan({ owned })[0]?.action, "DELETE");
  assert.equal(plan({ owned, missing: "detach" })[0]?.action, "DETACH");
  assert.equal(plan({ owned, missing: "keep" })[0]?.action, "KEEP");
});

test("a property that only somebody else changed is kept, the others come from the code", () => {
  const leaf = fc.constantFrom("a", "b", "c");
  const nests = fc.record({ name: leaf, nested: fc.record({ "x/y": leaf, "z~": leaf }) });
  const check = (want: Fields, deployed: Fields, is: Fields) => {
    const sides = { want: plain(want), is: plain(is), owned: own("p", deployed) };
    const kept = keepRemoteChanges(want, sides);
    const read = (one: Fields) => {
      const { name, nested } = one as { name: string; nested: Record<string, string> };
      return [name, nested["x/y"], nested["z~"]];
    };
    const isCode = read(want).map((value, index) => value !== read(deployed)[index]);
    const expected = read(want).map((value, index) => (isCode[index] ? value : read(is)[index]));
    assert.deepEqual(read(kept), expected);
  };
  fc.assert(fc.property(nests, nests, nests, check), { numRuns: propertyRuns });
});
