import assert from "node:assert/strict";
import { test } from "node:test";
import { APICallError } from "ai";
import { OutboundError } from "../platform/outbound-fetch.ts";
import { describeEnd, describeModelError, type EndReason } from "./answer-event.ts";

function newCall(statusCode: number | undefined, cause?: unknown): APICallError {
  return new APICallError({
    message: "secret text of the model's server",
    url: "https://model.example/v1?key=secret",
    requestBodyValues: { key: "secret" },
    responseBody: "secret",
    ...(statusCode !== undefined && { statusCode }),
    ...(cause !== undefined && { cause }),
  });
}

/** As the library throws it after the last attempt. */
const retried = (lastError: unknown) => Object.assign(new Error("secret"), { lastError });

test("an error of the model is a status or a fixed sentence", () => {
  const rejected = "The model rejected the request (HTTP 401).";
  const rows: readonly (readonly [unknown, string])[] = [
    [newCall(401), rejected],
    [retried(newCall(401)), rejected],
    [retried(retried(newCall(401))), rejected],
    [newCall(undefined, newCall(401)), rejected],
    [newCall(200), "The model failed."],
    [newCall(undefined), "The model failed."],
    [new Error("secret"), "The model failed."],
    ["secret", "The model failed."],
    [null, "The model failed."],
    [undefined, "The model failed."],
  ];
  for (const [error, text] of rows) assert.equal(describeModelError(error), text);
});

test("a model that cannot be reached is reported with the reason of this server", () => {
  const outbound = new OutboundError("The connection failed. (ECONNREFUSED)");
  const text = `The model cannot be reached: ${outbound.message}`;
  assert.equal(describeModelError(outbound), text);
  assert.equal(describeModelError(retried(newCall(undefined, outbound))), text);
});

test("every end that needs an explanation has its own sentence", () => {
  const explained: readonly EndReason[] = [
    ...(["model-error", "broken-off", "refused", "silence", "out-of-time"] as const),
    ...(["too-long", "too-many-steps", "stopping"] as const),
  ];
  const texts = explained.map((reason) => describeEnd({ reason, error: newCall(503) }) ?? "");
  assert.equal(new Set(texts).size, explained.length);
  for (const text of texts) {
    assert.match(text, /^The .*\.$/);
    assert.doesNotMatch(text, /secret/);
  }
  assert.equal(texts[0], "The model rejected the request (HTTP 503). The answer ends here.");
  assert.equal(describeEnd({ reason: "complete" }), null);
  assert.equal(describeEnd({ reason: "closed" }), null);
});
