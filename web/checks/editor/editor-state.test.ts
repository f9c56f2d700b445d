import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Fields, isSame, setAt } from "../../kinds/fields.ts";
import { kindTargets } from "../../kinds/targets.ts";
import { combine, findChanges, isNews, listDifferences } from "./changes.ts";
import { changeKind, createValues, fromCheck, fromCopy, toChangeBody } from "./check-values.ts";
import { stripSecrets } from "./draft.ts";

const base: Fields = {
  name: "Shop",
  tags: ["a"],
  request: { url: "https://a.example", headers: [{ key: "x", value: "1", locked: false }] },
  frequency: 10,
};

const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()));
const edit = fc.tuple(fc.constantFrom("name", "tags", "frequency", "request.url"), value);
const edits = fc.array(edit, { maxLength: 5 });
const apply = (to: Fields, list: readonly (readonly [string, unknown])[]) =>
  list.reduce((state, [path, changed]) => setAt(state, path, changed), to);

test("an unchanged check sends nothing, and a changed one only the differences", () => {
  assert.deepEqual(toChangeBody(base, base), {});
  const changed = setAt(base, "request.url", "https://b.example");
  assert.deepEqual(Object.keys(toChangeBody(base, changed)), ["request"]);
});

test("after a merge, every value comes from one side, and no change is lost unless the user chose so", () => {
  fc.assert(
    fc.property(edits, edits, fc.boolean(), (own, others, keepsMine) => {
      const mine = apply(base, own);
      const theirs = apply(base, others);
      const changes = findChanges(base, mine, theirs);
      const choice = keepsMine ? ("mine" as const) : ("theirs" as const);
      const contested = changes.filter(({ isContested }) => isContested);
      const choices = new Map(contested.map(({ path }) => [path, choice]));
      const combined = combine({ base, mine, theirs }, choices);
      for (const path of ["name", "tags", "frequency"]) {
        const [was, left, right, now] = [base, mine, theirs, combined].map((state) => state[path]);
        if (isSame(was, left)) assert.ok(isSame(now, right), "theirs alone");
        else if (isSame(was, right)) assert.ok(isSame(now, left), "mine alone");
        else assert.ok(isSame(now, keepsMine ? left : right), "as it was chosen");
      }
      if (keepsMine) assert.deepEqual(combine({ base, mine, theirs: base }, new Map()), mine);
    }),
  );
});

test("a stored version is a conflict unless it equals the base or my changes", () => {
  const mine = setAt(base, "name", "Mine");
  assert.equal(isNews(base, mine, base), false);
  assert.equal(isNews(base, mine, mine), false);
  assert.equal(isNews(base, mine, setAt(mine, "tags", [])), true);
});

test("changes to different parts of a request are both kept", () => {
  const mine = setAt(base, "request.url", "https://mine.example");
  const theirs = setAt(base, "request.headers", []);
  assert.deepEqual(combine({ base, mine, theirs }, new Map()), {
    ...base,
    request: { url: "https://mine.example", headers: [] },
  });
  assert.deepEqual(listDifferences(base, mine), ["request.url"]);
});

test("a draft contains no secret, and everything else unchanged", () => {
  const typed = {
    request: {
      basicAuth: { username: "u", password: "hunter2" },
      headers: [
        { key: "authorization", value: "Bearer hunter2", locked: true },
        { key: "kept", value: "********", locked: true },
        { key: "plain", value: "visible", locked: false },
      ],
    },
    environmentVariables: [{ key: "T", value: "hunter2", secret: true, locked: false }],
  };
  const kept = stripSecrets(typed);
  assert.doesNotMatch(JSON.stringify(kept), /hunter2/);
  assert.match(JSON.stringify(kept), /visible.*|\*{8}/);
  assert.ok(isSame(stripSecrets(kept), kept));
});

test("switching the check type keeps the common fields and only the new type's own fields", () => {
  const named = { ...createValues("URL"), name: "Shop", tags: ["a"], frequency: 1 };
  for (const { type } of kindTargets) {
    const changed = changeKind(named, type);
    assert.deepEqual(Object.keys(changed).toSorted(), Object.keys(createValues(type)).toSorted());
    assert.equal(changed.name, "Shop");
    assert.equal(changed.checkType, type);
  }
});

test("a copy has no id and no ping URL", () => {
  const check = { id: "1", name: "Job", heartbeat: { period: 1, pingToken: "t", pingUrl: "u" } };
  assert.deepEqual(fromCopy(check), { name: "Job (copy)", heartbeat: { period: 1 } });
  assert.deepEqual(Object.keys(fromCheck(check)), ["name", "heartbeat"]);
});
