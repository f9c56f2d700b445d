import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { measureCpuMs } from "../../test/support/time/cpu-time.ts";
import { BoundedMap } from "./bounded-map.ts";

const keysOf = (map: BoundedMap<string, unknown>) => [...map].map(([key]) => key);

test("drops the entry that was set longest ago beyond the limit", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  assert.deepEqual(
    [...map],
    [
      ["a", 3],
      ["c", 4],
    ],
  );
  assert.equal(map.size, 2);
  assert.equal(map.get("b"), undefined);
  assert.ok(!map.has("b"));
});

test("getOrCreate counts as a use, get does not", () => {
  const map = new BoundedMap<string, string>(2);
  const create = (key: string) => key.toUpperCase();
  assert.equal(map.getOrCreate("a", create), "A");
  assert.equal(map.getOrCreate("b", create), "B");
  assert.equal(
    map.getOrCreate("a", () => assert.fail("is known")),
    "A",
  );
  assert.equal(map.get("b"), "B");
  map.getOrCreate("c", create);
  assert.deepEqual(keysOf(map), ["a", "c"]);
});

test("creates a value once, even if it is undefined or null", () => {
  const map = new BoundedMap<string, null | undefined>(2);
  let created = 0;
  for (const value of [null, undefined]) {
    const create = () => {
      created += 1;
      return value;
    };
    assert.equal(map.getOrCreate(String(value), create), value);
    assert.equal(map.getOrCreate(String(value), create), value);
  }
  assert.equal(created, 2);
});

test("stores nothing if the value cannot be created", () => {
  const map = new BoundedMap<string, string>(2);
  const fail = () => {
    throw new RangeError("cannot be created");
  };
  assert.throws(() => map.getOrCreate("a", fail), RangeError);
  assert.equal(map.size, 0);
});

test("a value above the limit by itself is returned but not stored", () => {
  const map = new BoundedMap<string, string>(5, (key, value) => key.length + value.length);
  map.set("a", "1234");
  assert.equal(
    map.getOrCreate("b", () => "12345"),
    "12345",
  );
  assert.equal(map.size, 0);
  map.set("c", "1234");
  assert.deepEqual(keysOf(map), ["c"]);
});

test("keeps the most recent entries whose weights fit, whatever is set and deleted", () => {
  const key = fc.constantFrom("a", "b", "c", "d");
  const step = fc.record({ key, weight: fc.integer({ min: 1, max: 4 }), isDeleted: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const map = new BoundedMap<string, number>(6, (_key, weight) => weight);
      let expected: [string, number][] = [];
      for (const { key: one, weight, isDeleted } of steps) {
        const others = expected.filter(([other]) => other !== one);
        if (isDeleted) assert.equal(map.delete(one), others.length < expected.length);
        else map.set(one, weight);
        expected = isDeleted ? others : [...others, [one, weight]];
        while (expected.reduce((sum, [, each]) => sum + each, 0) > 6) expected.shift();
        assert.deepEqual([...map], expected);
      }
      map.clear();
      assert.equal(map.size, 0);
      map.set("a", 6);
      assert.equal(map.size, 1);
    }),
  );
});

test("an entry costs the same in a small and in a large map, full or not", () => {
  const measure = (size: number, keys: number) => {
    const map = new BoundedMap<number, number>(size);
    return measureCpuMs(() => {
      for (let index = 0; index < 100_000; index += 1) map.set(index % keys, index);
    });
  };
  measure(100, 100);
  const small = measure(100, 100) + measure(100, 200);
  const large = measure(40_000, 40_000) + measure(40_000, 80_000);
  assert.ok(large < 10 * small, `${large} ms in a large map, ${small} ms in a small one`);
});
