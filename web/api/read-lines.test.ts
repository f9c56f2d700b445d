import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../test/support/properties.ts";
import { readLines } from "./read-lines.ts";

function streamOf(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const ends = [...cuts, bytes.length].sort((one, other) => one - other);
  const parts = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

async function readAll(text: string, cuts: readonly number[] = [], limit = 1_000) {
  const lines: string[] = [];
  for await (const line of readLines(streamOf(new TextEncoder().encode(text), cuts), limit)) {
    lines.push(line);
  }
  return lines;
}

test("lines do not depend on where the response is cut, not even within a letter", async () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\ufeff\n]/g, "x"));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat(60)), async (lines, cuts) => {
      const text = lines.map((one) => `${one}\n`).join("");
      const { length } = new TextEncoder().encode(text);
      const inside = cuts.map((cut) => Math.min(cut, length));
      assert.deepEqual(
        await readAll(text, inside),
        lines.filter((one) => one !== ""),
      );
    }),
    { numRuns: propertyRuns },
  );
});

test("a line that has not ended is not read", async () => {
  assert.deepEqual(await readAll("whole\nhalf"), ["whole"]);
});

test("a line that is too long ends the response", async () => {
  await assert.rejects(readAll("x".repeat(11), [], 10), SyntaxError);
});
