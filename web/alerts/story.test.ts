import assert from "node:assert/strict";
import { test } from "node:test";
import { listEvents, pickLeadingRuns, type Story } from "./story.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 3, minute)).toISOString();
const decision = (id: string, minute: number) =>
  ({
    id,
    at: at(minute),
    messages: { sent: 1, pending: 0, dead: 0 },
  }) as Story["decisions"][number];

test("the acknowledgement is placed at its time, and each decision has its own notifications", () => {
  const message = { id: "m", alertId: "b" } as Story["messages"][number];
  const story = {
    decisions: [decision("a", 0), decision("b", 5), decision("c", 20)],
    decisionsTotal: 3,
    messages: [message],
    acknowledgement: { at: at(10), by: "ada" },
    responses: [],
  } as unknown as Story;
  const events = listEvents(story);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["decision", "decision", "acknowledged", "decision"],
  );
  const second = events[1];
  assert.ok(second?.type === "decision");
  assert.deepEqual(second.messages, [message]);
});

test("what people did is placed at its time, and a snooze is shown once", () => {
  const response = (id: string, minute: number, action: string) => ({ id, at: at(minute), action });
  const story = {
    decisions: [decision("a", 0), decision("b", 10)],
    decisionsTotal: 2,
    messages: [],
    acknowledgement: { at: at(20), by: "ada" },
    responses: [response("r", 5, "REASSIGNED"), response("s", 20, "SNOOZED")],
  } as unknown as Story;
  assert.deepEqual(
    listEvents(story).map((event) => (event.type === "responded" ? event.response.id : event.type)),
    ["decision", "r", "decision", "s"],
  );
});

test("omitted decisions of a long alert are marked at their position", () => {
  const decisions = Array.from({ length: 200 }, (_, n) => decision(String(n), n));
  const story = {
    decisions,
    decisionsTotal: 1_001,
    messages: [],
    acknowledgement: null,
    responses: [],
  };
  const events = listEvents(story as unknown as Story);
  assert.deepEqual(events[50], { type: "omitted", at: at(50), count: 801 });
});

test("the runs of the problem and the last runs before it are listed, oldest first", () => {
  const runs = Array.from({ length: 20 }, (_, n) => ({ startedAt: at(40 - n) }));
  const picked = pickLeadingRuns(runs, at(38)).map(({ startedAt }) => startedAt);
  assert.deepEqual(picked, [at(36), at(37), at(38), at(39), at(40)]);
  assert.equal(pickLeadingRuns(runs, at(0)).length, 8);
  assert.deepEqual(pickLeadingRuns([], at(0)), []);
});
