import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, fromAnswer, fromThrown, fromUnansweredWrite } from "./api-error.ts";

const answer = (status: number, headers: Record<string, string> = {}) =>
  new Response(null, { status, headers });

test("a response has the API's message, its request id and its rejected fields", () => {
  const body = { message: "Name is required.", fieldErrors: { name: "is required" }, reason: "x" };
  const error = fromAnswer(answer(400, { "x-request-id": "r-1", "retry-after": "30" }), body);
  assert.deepEqual([error.kind, error.status, error.message], ["rejected", 400, body.message]);
  assert.deepEqual([error.requestId, error.retryAfterSeconds, error.reason], ["r-1", 30, "x"]);
  assert.deepEqual(error.fieldErrors, body.fieldErrors);
});

test("a response without a readable body is described by its status", () => {
  for (const body of [null, "<html>", { message: 7 }]) {
    const error = fromAnswer(answer(502, { "retry-after": "soon" }), body);
    assert.deepEqual([error.kind, error.retryAfterSeconds], ["failed", null]);
    assert.equal(error.message, "The server responded with status 502.");
    assert.deepEqual([error.requestId, error.validation, error.reason], [null, null, null]);
  }
});

test("the cause of a missing response is distinguished", () => {
  const known = new ApiError({ kind: "failed", message: "known" });
  assert.equal(fromThrown(known), known);
  const kinds = [new DOMException("late", "TimeoutError"), new SyntaxError("<"), new TypeError()];
  const found = kinds.map((error) => fromThrown(error).kind);
  assert.deepEqual(found, ["tooSlow", "unreadable", "unreachable"]);
});

test("a write without a response may be done, and the advice depends on its key", () => {
  const late = new DOMException("late", "TimeoutError");
  const repeatable = fromUnansweredWrite(late, true);
  const other = fromUnansweredWrite(late, false);
  assert.deepEqual([repeatable.kind, other.kind], ["maybeDone", "maybeDone"]);
  assert.match(repeatable.message, /not executed twice/);
  assert.match(other.message, /Check before you retry/);
  assert.equal(fromUnansweredWrite(new TypeError(), true).kind, "unreachable");
});
