import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canOperatorReach, commandAs, decideOperator, type OperatorFacts } from "./operator.ts";

const ordinary: OperatorFacts = {
  isRoot: false,
  isListed: true,
  hasCluster: false,
  nobodyUid: null,
  isDataReachable: true,
  canUnshare: false,
};
const root: OperatorFacts = { ...ordinary, isRoot: true, nobodyUid: 65_534, canUnshare: true };

const anyFacts: fc.Arbitrary<OperatorFacts> = fc.record({
  isRoot: fc.boolean(),
  isListed: fc.boolean(),
  hasCluster: fc.boolean(),
  nobodyUid: fc.constantFrom(null, 65_534, 99),
  isDataReachable: fc.boolean(),
  canUnshare: fc.boolean(),
});

function kindOf(facts: OperatorFacts): string {
  const decided = decideOperator(facts);
  return "problem" in decided ? "problem" : decided.kind;
}

describe("the operator of PostgreSQL", () => {
  it("is decided by this table", () => {
    const table: readonly [string, OperatorFacts, string][] = [
      ["an ordinary user", ordinary, "self"],
      ["a user without an entry", { ...ordinary, isListed: false }, "problem"],
      ["the same in the image", { ...ordinary, isListed: false, hasCluster: true }, "unlisted"],
      [
        "the same with namespaces",
        { ...ordinary, isListed: false, canUnshare: true },
        "user-namespace",
      ],
      ["root", root, "dedicated-user"],
      ["root without namespaces", { ...root, canUnshare: false }, "dedicated-user"],
      ["root, data in its home", { ...root, isDataReachable: false }, "user-namespace"],
      ["root, no nobody", { ...root, nobodyUid: null }, "user-namespace"],
      ["root without either", { ...root, nobodyUid: null, canUnshare: false }, "problem"],
      [
        "root, data in its home, no namespaces",
        { ...root, isDataReachable: false, canUnshare: false },
        "problem",
      ],
    ];
    for (const [who, facts, kind] of table) assert.equal(kindOf(facts), kind, who);
  });

  it("is never root, and is found whenever there is a way", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const kind = kindOf(facts);
        if (facts.isRoot) assert.ok(kind !== "self" && kind !== "unlisted");
        if (kind === "unlisted") assert.ok(facts.hasCluster && !facts.isListed);
        if (kind === "self") assert.ok(facts.isListed);
        if (kind === "dedicated-user") assert.ok(facts.isRoot && facts.isDataReachable);
        if (kind === "user-namespace") assert.ok(facts.canUnshare);
        if (facts.canUnshare) assert.notEqual(kind, "problem");
        if (!facts.isRoot && facts.isListed) assert.equal(kind, "self");
      }),
    );
  });

  it("runs as a dedicated user, and initdb as a listed user", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const decided = decideOperator(facts);
        if ("problem" in decided || decided.kind !== "dedicated-user") return;
        assert.notEqual(decided.uid, 0);
        assert.notEqual(decided.uid, facts.nobodyUid);
        assert.equal(decided.initUid, facts.nobodyUid);
      }),
    );
  });

  it("if there is none, the error names every solution", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const decided = decideOperator(facts);
        if (!("problem" in decided)) return;
        assert.match(decided.problem, /DATABASE_URL/);
        assert.match(decided.problem, facts.isRoot ? /DATA_DIR=/ : /listed user/);
      }),
    );
  });

  it("can reach every folder that its own permissions allow", () => {
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

  it("ends with the unchanged program and arguments, under the right user", () => {
    fc.assert(
      fc.property(anyFacts, command, (facts, wanted) => {
        const decided = decideOperator(facts);
        if ("problem" in decided) return;
        const { file, arguments: list, identity } = commandAs(decided, wanted);
        const whole = [wanted.file, ...wanted.arguments];
        assert.deepEqual([file, ...list].slice(-whole.length), whole);
        if (decided.kind === "dedicated-user") {
          const uid = wanted.isInit ? decided.initUid : decided.uid;
          assert.deepEqual(identity, { uid, gid: uid });
        } else {
          assert.deepEqual(identity, {});
          assert.equal(file, decided.kind === "user-namespace" ? "unshare" : wanted.file);
        }
      }),
    );
  });
});
