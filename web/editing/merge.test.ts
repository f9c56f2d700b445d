import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Fields, getAt, isSame } from "../parts/fields.ts";
import { mask } from "../parts/secrets.ts";
import { type Choice, combine, findChanges, hasNews, listDifferences } from "./merge.ts";

const leaf = fc.oneof(
  fc.constantFrom("", "a", "b", 0, 1, true, false, null),
  fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
);
const names = fc.constantFrom("name", "tags", "request", "limits");
/** Small sets of names and values, so that versions often agree and often clash. */
const { values } = fc.letrec<{ values: Fields; value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, leaf, tie("values")),
  values: fc.dictionary(names, tie("value"), { maxKeys: 4 }),
}));
const versions = fc.record({ base: values, mine: values, theirs: values });

const choose = (of: { base: Fields; mine: Fields; theirs: Fields }, choice: Choice) =>
  new Map(findChanges(of).map(({ path }) => [path, choice]));

test("a merge without changes of one side is the other side", () => {
  fc.assert(
    fc.property(values, values, (base, changed) => {
      assert.ok(isSame(combine({ base, mine: changed, theirs: base }), changed));
      assert.ok(isSame(combine({ base, mine: base, theirs: changed }), changed));
      assert.ok(isSame(combine({ base, mine: changed, theirs: changed }), changed));
    }),
  );
});

test("every change that only one side made is in the merge", () => {
  fc.assert(
    fc.property(versions, fc.constantFrom<Choice>("mine", "theirs"), (of, choice) => {
      const merged = combine(of, choose(of, choice));
      const contested = findChanges(of).filter(({ isContested }) => isContested);
      const isChosen = (path: string) =>
        contested.some((one) => path === one.path || path.startsWith(`${one.path}.`));
      for (const path of listDifferences(of.base, of.mine)) {
        const expected = isChosen(path) && choice === "theirs" ? of.theirs : of.mine;
        assert.ok(isSame(getAt(merged, path), getAt(expected, path)), `mine at ${path}`);
      }
      for (const path of listDifferences(of.base, of.theirs)) {
        const expected = isChosen(path) && choice === "mine" ? of.mine : of.theirs;
        assert.ok(isSame(getAt(merged, path), getAt(expected, path)), `theirs at ${path}`);
      }
    }),
  );
});

test("a merge has nothing that neither side has", () => {
  fc.assert(
    fc.property(versions, (of) => {
      const merged = combine(of);
      for (const path of listDifferences(of.theirs, merged)) {
        assert.ok(isSame(getAt(merged, path), getAt(of.mine, path)), path);
      }
    }),
  );
});

test("it makes no difference who of the two resolves the conflict", () => {
  fc.assert(
    fc.property(versions, ({ base, mine, theirs }) => {
      const one = { base, mine, theirs };
      const other = { base, mine: theirs, theirs: mine };
      const merged = combine(one, choose(one, "mine"));
      assert.ok(isSame(merged, combine(other, choose(other, "theirs"))));
    }),
  );
});

test("saving a merge again finds no conflict", () => {
  fc.assert(
    fc.property(versions, (of) => {
      const mine = combine(of);
      assert.equal(hasNews({ base: of.theirs, mine, theirs: of.theirs }), false);
    }),
  );
});

test("changes of different parts of one object do not clash", () => {
  const base = { name: "Shop", request: { url: "https://a.example", headers: ["x"] } };
  const mine = { ...base, request: { ...base.request, url: "https://mine.example" } };
  const theirs = { ...base, request: { ...base.request, headers: [] } };
  assert.deepEqual(
    findChanges({ base, mine, theirs }).map(({ path, isContested }) => [path, isContested]),
    [["request.headers", false]],
  );
  assert.deepEqual(combine({ base, mine, theirs }), {
    name: "Shop",
    request: { url: "https://mine.example", headers: [] },
  });
});

test("a part of an object that the other side replaced brings the whole object back", () => {
  const base: Fields = { alerts: { after: 1, reminders: 2 } };
  const mine: Fields = { alerts: { after: 5, reminders: 2 } };
  const theirs: Fields = { alerts: null };
  for (const of of [
    { base, mine, theirs },
    { base, mine: theirs, theirs: mine },
  ]) {
    const [change, ...others] = findChanges(of);
    assert.deepEqual([change?.path, change?.isContested, others], ["alerts", true, []]);
    assert.deepEqual(combine(of, new Map([["alerts", "mine"]])), of.mine);
    assert.deepEqual(combine(of, new Map([["alerts", "theirs"]])), of.theirs);
  }
});

test("a version conflicts unless it equals the base or what is being saved", () => {
  const [base, mine] = [{ name: "Shop" }, { name: "Mine" }];
  assert.equal(hasNews({ base, mine, theirs: base }), false);
  assert.equal(hasNews({ base, mine, theirs: mine }), false);
  assert.equal(hasNews({ base, mine, theirs: { name: "Theirs" } }), true);
});

test("a secret that I changed is contested, as a mask hides whether they changed it", () => {
  const base = { token: mask, name: "Pager" };
  const mine = { token: "typed", name: "Pager" };
  assert.equal(hasNews({ base, mine, theirs: base }), true);
  assert.equal(hasNews({ base, mine: base, theirs: base }), false);
  const [change] = findChanges({ base, mine, theirs: base });
  assert.deepEqual([change?.path, change?.isContested], ["token", true]);
});
