import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canOperatorReach, commandAs, decideOperator, type OperatorFacts } from "./operator.ts";

const ordinary: OperatorFacts = {
  isRoot: false,
  isListed: true,
  nobodyUid: null,
  isDataReachable: true,
  canUnshare: false,
};
const root: OperatorFacts = { ...ordinary, isRoot: true, nobodyUid: 65_534, canUnshare: true };

const anyFacts: fc.Arbitrary<OperatorFacts> = fc.record({
  isRoot: fc.boolean(),
  isListed: fc.boolean(),
  nobodyUid: fc.constantFrom(null, 65_534, 99),
  isDataReachable: fc.boolean(),
  canUnshare: fc.boolean(),
});

function kindOf(facts: OperatorFacts): string {
  const decided = decideOperator(facts);
  return "refusal" in decided ? "refusal" : decided.kind;
}

describe("the operator of PostgreSQL", () => {
  it("is decided by this table", () => {
    const table: readonly [string, OperatorFacts, string][] = [
      ["an ordinary user", ordinary, "self"],
      ["a user without an entry", { ...ordinary, isListed: false }, "refusal"],
      [
        "the same with namespaces",
        { ...ordinary, isListed: false, canUnshare: true },
        "user-namespace",
      ],
      ["root", root, "dedicated-user"],
      ["root without namespaces", { ...root, canUnshare: false }, "dedicated-user"],
      ["root, data in its home", { ...root, isDataReachable: false }, "user-namespace"],
      ["root, no nobody", { ...root, nobodyUid: null }, "user-namespace"],
      ["root without either", { ...root, nobodyUid: null, canUnshare: false }, "refusal"],
      [
        "root, data in its home, no namespaces",
        { ...root, isDataReachable: false, canUnshare: false },
        "refusal",
      ],
    ];
    for (const [who, facts, kind] of table) assert.equal(kindOf(facts), kind, who);
  });

  it("is never root itself, and is somebody whenever there is a way", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const kind = kindOf(facts);
        if (facts.isRoot) assert.notEqual(kind, "self");
        if (kind === "self") assert.ok(facts.isListed);
        if (kind === "dedicated-user") assert.ok(facts.isRoot && facts.isDataReachable);
        if (kind === "user-namespace") assert.ok(facts.canUnshare);
        if (facts.canUnshare) assert.notEqual(kind, "refusal");
        if (!facts.isRoot && facts.isListed) assert.equal(kind, "self");
      }),
    );
  });

  it("runs under an id of its own, and initdb under one that is listed", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const decided = decideOperator(facts);
        if ("refusal" in decided || decided.kind !== "dedicated-user") return;
        assert.notEqual(decided.uid, 0);
        assert.notEqual(decided.uid, facts.nobodyUid);
        assert.equal(decided.initUid, facts.nobodyUid);
      }),
    );
  });

  it("is told what to do when there is none: each way out is named", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const decided = decideOperator(facts);
        if (!("refusal" in decided)) return;
        assert.match(decided.refusal, /DATABASE_URL/);
        assert.match(decided.refusal, facts.isRoot ? /DATA_DIR=/ : /listed user/);
      }),
    );
  });

  it("reaches every folder it may enter with its own rights", () => {
    assert.equal(canOperatorReach({ kind: "self" }, "/nowhere"), true);
    assert.equal(canOperatorReach({ kind: "user-namespace" }, "/nowhere"), true);
  });
});

describe("a command of the operator", () => {
  const command = fc.record({
    file: fc.constant("/bin/postgres"),
    arguments: fc.array(fc.string()),
    isInit: fc.boolean(),
  });

  it("ends with the program and its arguments as they are, under the right identity", () => {
    fc.assert(
      fc.property(anyFacts, command, (facts, wanted) => {
        const decided = decideOperator(facts);
        if ("refusal" in decided) return;
        const { file, arguments: list, identity } = commandAs(decided, wanted);
        const whole = [wanted.file, ...wanted.arguments];
        assert.deepEqual([file, ...list].slice(-whole.length), whole);
        if (decided.kind === "dedicated-user") {
          const uid = wanted.isInit ? decided.initUid : decided.uid;
          assert.deepEqual(identity, { uid, gid: uid });
        } else {
          assert.deepEqual(identity, {});
          assert.equal(file, decided.kind === "self" ? wanted.file : "unshare");
        }
      }),
    );
  });
});
