import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvent } from "./agent-event.ts";

const read = (chunk: object) => readEvent(`data: ${JSON.stringify(chunk)}`);

test("the chunks of the stream become events", () => {
  assert.deepEqual(read({ type: "text-delta", delta: "Yes" }), { type: "text", text: "Yes" });
  assert.deepEqual(read({ type: "text-start" }), { type: "text", text: "\n\n" });
  assert.deepEqual(read({ type: "error", errorText: "down" }), { type: "failed", message: "down" });
  assert.deepEqual(read({ type: "tool-input-available", toolName: "mute_check" }), {
    type: "tool",
    tool: "mute_check",
  });
  assert.deepEqual(read({ type: "source-url", url: "/checks/1", title: "db-1" }), {
    type: "source",
    url: "/checks/1",
    title: "db-1",
  });
});

test("a proposed action has its id and its token", () => {
  const data = { token: "t", tool: "mute_check", title: "Mute", summary: "", changes: [] };
  const event = read({ type: "data-confirmation", id: "a-1", data });
  assert.deepEqual(event, { type: "action", action: { ...data, id: "a-1" } });
  assert.equal(read({ type: "data-confirmation", id: "a-1" }), null);
});

test("lines without an event that is shown are ignored", () => {
  for (const line of ["", ": comment", "data: [DONE]", 'data: {"type":"finish"}']) {
    assert.equal(readEvent(line), null, line);
  }
});
