import assert from "node:assert/strict";
import { test } from "node:test";
import { withSilenceLimit } from "../answer.ts";

async function collect<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}

async function* yieldThenHang(words: readonly string[]): AsyncGenerator<string> {
  yield* words;
  await new Promise(() => {});
}

test("items pass in order until the end", async () => {
  async function* count() {
    yield* [1, 2, 3];
  }
  assert.deepEqual(await collect(withSilenceLimit(count(), 60_000)), [1, 2, 3]);
});

test("a source that becomes silent is abandoned after its last item", async () => {
  const received = await collect(withSilenceLimit(yieldThenHang(["a", "b"]), 5));
  assert.deepEqual(received, ["a", "b", "silence"]);
});

test("a consumer that stops reading ends the source", async () => {
  const ended = Promise.withResolvers<string>();
  async function* watch() {
    try {
      for (;;) yield 1;
    } finally {
      ended.resolve("left");
    }
  }
  for await (const _item of withSilenceLimit(watch(), 60_000)) break;
  assert.equal(await ended.promise, "left");
});

test("an error of the source is passed to the consumer", async () => {
  // biome-ignore lint/correctness/useYield: it fails before it says anything.
  async function* fail(): AsyncGenerator<string> {
    throw new Error("broken");
  }
  await assert.rejects(collect(withSilenceLimit(fail(), 60_000)), /broken/);
});
