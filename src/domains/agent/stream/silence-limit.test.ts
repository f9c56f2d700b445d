import assert from "node:assert/strict";
import { test } from "node:test";
import { withSilenceLimit } from "./silence-limit.ts";

async function collect<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}

async function* speakThenHang(words: readonly string[]): AsyncGenerator<string> {
  yield* words;
  await new Promise(() => {});
}

test("items pass in order, and the end is the end", async () => {
  async function* count() {
    yield* [1, 2, 3];
  }
  assert.deepEqual(await collect(withSilenceLimit(count(), 60_000)), [1, 2, 3]);
});

test("a source that falls silent is left, after what it said", async () => {
  const heard = await collect(withSilenceLimit(speakThenHang(["a", "b"]), 5));
  assert.deepEqual(heard, ["a", "b", "silence"]);
});

test("whoever stops reading tells the source", async () => {
  const told = Promise.withResolvers<string>();
  async function* watch() {
    try {
      for (;;) yield 1;
    } finally {
      told.resolve("left");
    }
  }
  for await (const _item of withSilenceLimit(watch(), 60_000)) break;
  assert.equal(await told.promise, "left");
});

test("an error of the source is an error of what reads it", async () => {
  // biome-ignore lint/correctness/useYield: it fails before it says anything.
  async function* fail(): AsyncGenerator<string> {
    throw new Error("broken");
  }
  await assert.rejects(collect(withSilenceLimit(fail(), 60_000)), /broken/);
});
