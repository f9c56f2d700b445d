import assert from "node:assert/strict";
import { test } from "node:test";
import { TextMemory } from "./text-memory.ts";

function createCounting(maxLength: number) {
  const memory = new TextMemory(maxLength);
  const made: string[] = [];
  const ask = (text: string) =>
    memory.recallOrMake(text, (source) => {
      made.push(source);
      return source.toUpperCase();
    });
  return { memory, made, ask };
}

test("the same text is rendered once", () => {
  const { made, ask } = createCounting(100);
  assert.deepEqual([ask("a"), ask("b"), ask("a")], ["A", "B", "A"]);
  assert.deepEqual(made, ["a", "b"]);
});

test("above the limit the least recently used text is dropped", () => {
  const { made, ask, memory } = createCounting(6);
  for (const text of ["a", "b", "c", "a", "d", "a", "b"]) ask(text);
  assert.deepEqual(made, ["a", "b", "c", "d", "b"]);
  assert.deepEqual(
    ["a", "b", "c", "d"].filter((text) => memory.has(text)),
    ["a", "b", "d"],
  );
});

test("a text above the limit is rendered but not cached", () => {
  const { memory, ask } = createCounting(3);
  assert.equal(ask("long"), "LONG");
  assert.equal(memory.has("long"), false);
  assert.equal(ask("b"), "B");
  assert.equal(memory.has("b"), true);
});
