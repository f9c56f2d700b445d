import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decideOutcome, describeHost, joinUrl, parseRetryAfter } from "./http-delivery.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const rules = { provider: "It", permanentStatuses: new Set([401, 404]), now };

test("Retry-After is seconds or a date, and at most an hour", () => {
  const cases: readonly (readonly [string | undefined, number | null])[] = [
    [undefined, null],
    ["7", 7],
    [" 0 ", 0],
    ["0.3", 1],
    ["999999999", 3_600],
    ["Sun, 01 Mar 2026 12:01:30 GMT", 90],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["Fri, 01 Mar 2126 12:00:00 GMT", 3_600],
    ["Sun, 99 Xxx 2026 12:00:00 GMT", null],
    ["-1", null],
    ["1e9", null],
    ["soon", null],
    ["", null],
    ["9".repeat(50), null],
  ];
  for (const [value, expected] of cases) {
    assert.equal(parseRetryAfter(value, now), expected, value ?? "none");
  }
  fc.assert(
    fc.property(fc.string(), (value) => {
      const seconds = parseRetryAfter(value, now);
      assert.ok(seconds === null || (seconds >= 0 && seconds <= 3_600));
    }),
  );
});

test("a response is sent, retryable or permanent by its status", () => {
  const answered = (status: number) =>
    decideOutcome(
      {
        kind: "answered",
        status,
        headers: { "retry-after": "5" },
        bodyText: "",
        bodyBytes: Buffer.alloc(0),
      },
      rules,
    );
  assert.deepEqual(answered(204), { kind: "sent", statusCode: 204 });
  assert.deepEqual(answered(404), {
    kind: "failed",
    isPermanent: true,
    statusCode: 404,
    retryAfterSeconds: 5,
    reason: "It answered 404.",
  });
  for (const status of [304, 408, 425, 429, 500, 503]) {
    const outcome = answered(status);
    assert.ok(outcome.kind === "failed" && !outcome.isPermanent, String(status));
  }
});

test("an incomplete response is retried, unless its status was a success", () => {
  const failed = (reason: "too-large" | "timeout", status: number | null) =>
    decideOutcome({ kind: "failed", reason, message: "m", status }, rules);
  assert.deepEqual(failed("too-large", 200), { kind: "sent", statusCode: 200 });
  for (const outcome of [
    failed("too-large", 500),
    failed("timeout", 200),
    failed("timeout", null),
  ]) {
    assert.ok(outcome.kind === "failed" && !outcome.isPermanent);
  }
  const refused = decideOutcome({ kind: "refused", reason: "port", message: "m" }, rules);
  assert.ok(refused.kind === "failed" && refused.isPermanent);
});

test("a host is shown without possible secrets", () => {
  assert.equal(
    describeHost("https://u:s3cret@h.example:8443/s3cret?s3cret#s3cret"),
    "h.example:8443",
  );
  assert.equal(describeHost("s3cret"), "an invalid URL");
  assert.equal(joinUrl("https://h.example//", "/x"), "https://h.example/x");
});
