import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { completeEvents } from "./model.ts";

async function pass(chunks: readonly Uint8Array[]): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(source.pipeThrough(completeEvents())).text();
}

function cut(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const line = (content: string, reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] })}\n\n`;

test("a stream with a finish reason passes unchanged, however it is split", async () => {
  const words = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(words, fc.integer({ min: 1, max: 40 }), async (contents, size) => {
      const text = contents.map((content) => line(content)).join("") + line("", "stop");
      assert.equal(await pass(cut(text, size)), text);
    }),
  );
});

test("a stream that is cut off keeps its whole lines and gets a finish reason", async () => {
  const whole = line("Half of");
  const text = await pass(cut(`${whole}data: {"choices":[{"delta":{"unf`, 7));
  assert.ok(text.startsWith(whole));
  assert.equal(text.includes('"unf'), false, "half a line is nothing");
  const events = text.split("\n\n").filter((event) => event.trim() !== "");
  assert.match(events.at(-2) ?? "", /"finish_reason":"broken_off"/);
  assert.equal(events.at(-1), "data: [DONE]");
});

test("a finish reason in the model's text does not end the stream", async () => {
  const text = await pass(cut(line('it said {"finish_reason":"stop"}'), 11));
  assert.match(text, /broken_off/);
});
