import assert from "node:assert/strict";
import { test } from "node:test";
import { decideProgress, decideStep, describePlan, type PageMessage } from "./page.ts";

const now = new Date(1_000_000);
const message = (id: string, change: Partial<PageMessage> = {}): PageMessage => ({
  id,
  status: "PENDING",
  attempts: 1,
  dueAt: new Date(now.getTime() + 5_000),
  ...change,
});
const dead = message("dead", { status: "DEAD" });
const later = (id: string, minutes: number) =>
  message(id, { attempts: 0, dueAt: new Date(now.getTime() + minutes * 60_000) });

test("a page waits while one of its messages may still be sent soon", () => {
  assert.equal(decideProgress([dead, message("retried")], now).kind, "waiting");
  const due = message("due", { attempts: 0, dueAt: now });
  assert.equal(decideProgress([dead, due, later("a", 5)], now).kind, "waiting");
});

test("a message that reached the member ends the evaluation", () => {
  const sent = message("sent", { status: "SENT" });
  assert.equal(decideProgress([dead, sent, later("a", 5)], now).kind, "reached");
});

test("if everything failed so far, all messages of the next step are sent at once", () => {
  const messages = [dead, later("b", 10), later("a", 5), later("c", 5)];
  assert.deepEqual(decideProgress(messages, now), { kind: "hurry", ids: ["a", "c"] });
});

test("a provider that is down counts as failed after three attempts", () => {
  const down = message("down", { attempts: 3 });
  assert.equal(decideProgress([dead, down], now).kind, "failed");
  assert.equal(decideProgress([dead, message("down", { attempts: 2 })], now).kind, "waiting");
});

test("a page whose steps were cancelled does not fall through", () => {
  const cancelled = message("cancelled", { status: "CANCELLED", attempts: 0 });
  assert.equal(decideProgress([dead, cancelled], now).kind, "waiting");
  assert.equal(decideProgress([dead], now).kind, "failed");
});

test("a step has failed if no other target was reached or may still be", () => {
  const sent = message("sent", { status: "SENT" });
  const down = message("down", { attempts: 3 });
  const cancelled = message("cancelled", { status: "CANCELLED" });
  assert.equal(decideStep([dead, sent]), "reached");
  assert.equal(decideStep([dead, later("a", 5)]), "waiting");
  assert.equal(decideStep([dead, down, cancelled]), "failed");
  assert.equal(decideStep([]), "failed");
});

test("the plan of a page is described by time", () => {
  const steps = [
    { name: "push", afterMinutes: 0 },
    { name: "ada@example.com", afterMinutes: 0 },
    { name: "ntfy", afterMinutes: 1 },
    { name: "SMS", afterMinutes: 5 },
  ];
  const text = "push, ada@example.com; after 1 minute ntfy; after 5 minutes SMS";
  assert.equal(describePlan(steps), text);
});
