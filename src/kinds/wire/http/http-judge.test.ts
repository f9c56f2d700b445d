import assert from "node:assert/strict";
import { test } from "node:test";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { judgeOutcome } from "../../kit/verdict.ts";
import { explainHttp, type HttpReason, httpTroubles, judgeAnswer } from "./http-judge.ts";
import { bodyEnds, type HttpMeasurement, httpTroubleKinds } from "./http-measurement.ts";

const answered: HttpMeasurement = {
  hops: [],
  url: "http://a.example/",
  resolvedIp: "192.0.2.1",
  status: 200,
  statusText: "OK",
  httpVersion: "1.1",
  headers: [],
  phases: { dnsMs: 1, connectMs: 1, tlsMs: null, firstByteMs: 1, bodyMs: 1 },
  redirectMs: 0,
  totalMs: 4,
  receivedBytes: 2,
  bodyEnd: "complete",
  tls: null,
};
const limits = { shouldFail: false, degradedResponseTime: 100, maxResponseTime: 200 };
const isOk: Assertion = {
  source: "STATUS_CODE",
  property: "",
  comparison: "EQUALS",
  target: "404",
};
const none = { assertions: [], results: [] };

test("a status of 400 or above fails unless an assertion covers the status", () => {
  const notFound = { ...answered, status: 404, statusText: "Not Found" };
  const { verdict, reasons, isNetworkError } = judgeAnswer(limits, notFound, none);
  assert.deepEqual([verdict, isNetworkError], ["failing", false]);
  assert.deepEqual(reasons, [{ name: "error-status", status: 404, statusText: "Not Found" }]);
  const [reason] = reasons as readonly HttpReason[];
  assert.equal(
    reason && explainHttp(reason),
    "the status code was 404 Not Found, expected below 400",
  );
  const wanted = { assertions: [isOk], results: [{ passed: true, actual: 404, message: "" }] };
  assert.equal(judgeAnswer(limits, notFound, wanted).verdict, "passing");
  assert.equal(judgeAnswer(limits, { ...answered, status: 399 }, none).verdict, "passing");
});

test("a failed assertion is reported with its index and actual value", () => {
  const results = [{ passed: false, actual: 200, message: "Status code is 200, expected 404" }];
  const { reasons } = judgeAnswer(limits, answered, { assertions: [isOk], results });
  const { passed: _passed, ...found } = results[0] ?? {};
  assert.deepEqual(reasons, [{ name: "assertion-failed", index: 0, assertion: isOk, ...found }]);
});

test("a slow response is degraded, a slower one failing", () => {
  const verdictOf = (totalMs: number) =>
    judgeAnswer(limits, { ...answered, totalMs }, none).verdict;
  assert.deepEqual([100, 100.1, 200, 200.1].map(verdictOf), [
    "passing",
    "degraded",
    "degraded",
    "failing",
  ]);
});

test("an incomplete body is a network failure", () => {
  for (const bodyEnd of bodyEnds) {
    const { verdict, isNetworkError } = judgeAnswer(limits, { ...answered, bodyEnd }, none);
    const isFine = bodyEnd === "complete" || bodyEnd === "cut";
    assert.deepEqual([verdict, isNetworkError], isFine ? ["passing", false] : ["failing", true]);
  }
});

test("every failure has a reason and a sentence, and some can be retried", () => {
  const worthIt = httpTroubleKinds.filter((kind) => {
    const trouble = { kind, code: "ECODE", message: "The message." };
    const outcome = { kind: "unreachable", trouble } as const;
    const { verdict, isNetworkError, reasons } = judgeOutcome(outcome, httpTroubles, assert.fail);
    assert.equal(verdict, "failing");
    const [reason] = reasons as readonly HttpReason[];
    assert.match(reason ? explainHttp(reason) : "", /the message$/);
    return isNetworkError;
  });
  assert.deepEqual(worthIt, [
    "unresolved",
    "refused",
    "unreachable",
    "timed-out",
    "reset",
    "closed",
    "tls-failed",
    "broken-answer",
    "failed",
  ]);
});
