/** Values at paths, compared with what JavaScript itself reads and writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../test/support/properties.ts";
import { getAt, getTexts, isSame, mergeFields, omitAt, setAt } from "./fields.ts";

const names = fc.constantFrom("a", "b", "c", "0", "1");
const leaves = fc.constantFrom<unknown>(null, "", "x", 0, 1, false, true);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, leaves, tie("object"), tie("list")),
  object: fc.dictionary(names, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
  list: fc.array(tie("tree"), { maxLength: 3 }),
}));
const objects = fc.dictionary(names, tree, { maxKeys: 4, noNullPrototype: true });
const paths = fc.array(names, { minLength: 1, maxLength: 4 });
const options = { numRuns: propertyRuns };

/** Reads step by step, with the operators of the language. */
function readPlainly(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (current, name) =>
      typeof current === "object" && current !== null && Object.hasOwn(current, name)
        ? Reflect.get(current, name)
        : undefined,
    value,
  );
}

test("a value is read at its path, and nothing is read outside the object", () => {
  fc.assert(
    fc.property(objects, paths, (values, path) => {
      assert.deepEqual(getAt(values, path.join(".")), readPlainly(values, path));
    }),
    options,
  );
  for (const path of ["constructor", "toString", "a.length", "__proto__.x"]) {
    assert.equal(getAt({ a: "text" }, path), undefined, path);
  }
});

/** Entries of a list have numbers. */
const fits = (values: object, path: readonly string[]) =>
  path.every((name, index) => {
    const parent = readPlainly(values, path.slice(0, index));
    return !Array.isArray(parent) || /^\d+$/.test(name);
  });

test("a value that was set is read again, and the original stays as it was", () => {
  fc.assert(
    fc.property(objects, paths, leaves, (values, path, value) => {
      if (!fits(values, path)) return;
      const before = structuredClone(values);
      const changed = setAt(values, path.join("."), value);
      assert.deepEqual(getAt(changed, path.join(".")), value);
      assert.deepEqual(values, before);
    }),
    options,
  );
});

test("setting a value changes nothing beside its path", () => {
  fc.assert(
    fc.property(objects, paths, paths, leaves, (values, path, other, value) => {
      const [one, two] = [path.join("."), other.join(".")];
      const isRelated = `${one}.`.startsWith(`${two}.`) || `${two}.`.startsWith(`${one}.`);
      const parents = path.slice(0, -1).map((_, index) => path.slice(0, index + 1).join("."));
      // A parent that is no object is replaced by one.
      const isReplaced = parents.some((parent) => `${two}.`.startsWith(`${parent}.`));
      if (isRelated || isReplaced) return;
      assert.deepEqual(getAt(setAt(values, one, value), two), getAt(values, two));
    }),
    options,
  );
});

test("lists stay lists", () => {
  const changed = setAt({ rows: [{ a: 1 }, { a: 2 }] }, "rows.1.a", 3);
  assert.deepEqual(changed, { rows: [{ a: 1 }, { a: 3 }] });
  assert.ok(Array.isArray(changed.rows));
  assert.deepEqual(setAt({ rows: ["a"] }, "rows.1", "b"), { rows: ["a", "b"] });
});

test("an omitted value is gone, and a missing one leaves the object equal", () => {
  fc.assert(
    fc.property(objects, fc.array(names, { minLength: 1, maxLength: 2 }), (values, path) => {
      const parent = getAt({ values }, ["values", ...path.slice(0, -1)].join("."));
      if (Array.isArray(parent)) return;
      const text = path.join(".");
      const omitted = omitAt(values, text);
      assert.equal(getAt(omitted, text), undefined);
      if (getAt(values, text) === undefined) assert.deepEqual(omitted, values);
    }),
    options,
  );
});

test("a merge has every field of the upper object, and those that only the lower one has", () => {
  fc.assert(
    fc.property(objects, objects, (under, over) => {
      const merged = mergeFields(under, over) as Record<string, unknown>;
      const all = new Set([...Object.keys(under), ...Object.keys(over)]);
      assert.deepEqual(new Set(Object.keys(merged)), all);
      for (const name of all) {
        if (!Object.hasOwn(over, name)) assert.deepEqual(merged[name], under[name]);
        else if (!Object.hasOwn(under, name)) assert.deepEqual(merged[name], over[name]);
      }
      assert.deepEqual(mergeFields(merged, over), merged, "merging it again changes nothing");
    }),
    options,
  );
});

test("values are the same exactly if their JSON is, whatever the order of their fields", () => {
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(write).join()}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${write(one)}`).join()}}`;
  };
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      assert.equal(isSame(one, other), write(one) === write(other));
      assert.equal(isSame(one, structuredClone(one)), true);
    }),
    options,
  );
});

test("texts of a list leave out everything else", () => {
  const values = { names: ["a", 1, null, ["b"], "c"] as unknown as string[], other: "a" };
  assert.deepEqual(getTexts(values, "names"), ["a", "c"]);
});
