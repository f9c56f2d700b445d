import assert from "node:assert/strict";
import { test } from "node:test";
import {
  parseCloseNotice,
  parseFromProbe,
  parseFromServer,
  parseHello,
  parseWelcome,
} from "./link.ts";
import { parseOrder } from "./order.ts";
import { explainVersionGap, maxResultsInFrame } from "./protocol.ts";
import { noDataKinds, parseResult, parseTrialEvent } from "./result.ts";

const runId = "01934d2b-7c00-7abc-8abc-0123456789ab";
const checkId = "01934d2b-7c00-7abc-8abc-0123456789ac";
const run = { version: 1, runId, checkId, kind: "ICMP", location: "office", route: checkId };
const times = { attempt: 1, dueAtMs: 1_700_000_000_000, deadlineAtMs: 1_700_000_030_000 };
const order = {
  ...run,
  ...times,
  startAtMs: times.dueAtMs,
  tag: "tag",
  request: { hostname: "example.org" },
};
const result = {
  ...run,
  ...times,
  startedAtMs: times.dueAtMs + 3.5,
  stoppedAtMs: times.dueAtMs + 900,
  probeId: "edge",
  tag: "tag",
  request: order.request,
  outcome: { kind: "measured", measurement: { anything: true } },
};
const hello = {
  version: 1,
  name: "edge-1",
  instanceId: runId,
  programVersion: "0.1.0",
  startedAtMs: 1,
  ipv4Sources: ["192.0.2.1"],
  ipv6Sources: [],
  isSuspect: false,
  limitations: [],
  spoolDepth: 0,
  droppedResults: 0,
  maxOpen: 100,
  clockSkewMs: null,
  sentAtMs: 5.25,
};
const welcome = {
  version: 1,
  probeId: "edge-1",
  route: checkId,
  location: "office",
  sentAtMs: 5.25,
  heardAtMs: 1,
  answeredAtMs: 2,
};

const messages = [
  { name: "order", parse: parseOrder, valid: order },
  { name: "result", parse: parseResult, valid: result },
  { name: "hello", parse: parseHello, valid: hello },
  { name: "welcome", parse: parseWelcome, valid: welcome },
  { name: "farewell", parse: parseCloseNotice, valid: { version: 1, reason: "it stops" } },
] as const;

for (const { name, parse, valid } of messages) {
  test(`parses a complete ${name} and ignores fields of a newer version`, () => {
    assert.deepEqual(parse(valid), valid);
    assert.ok(parse({ ...valid, somethingNew: 1 }));
  });

  test(`rejects a ${name} with a missing field`, () => {
    for (const field of Object.keys(valid)) {
      const lacking = Object.fromEntries(Object.entries(valid).filter(([key]) => key !== field));
      // The request is validated by its kind, not by the contract.
      if (field !== "request") assert.equal(parse(lacking), null, field);
    }
  });

  test(`rejects a ${name} with a field of the wrong type or out of bounds`, () => {
    for (const field of Object.keys(valid)) {
      if (field === "request") continue;
      for (const wrong of [{}, "x".repeat(1_000_000), -1e300, Number.NaN, 1e300, [[]]]) {
        assert.equal(parse({ ...valid, [field]: wrong }), null, `${field}: ${String(wrong)}`);
      }
    }
    for (const nothing of [null, undefined, 1, "order", []]) assert.equal(parse(nothing), null);
  });
}

test("parses every known outcome and rejects any other", () => {
  const trouble = { kind: "unresolved", code: "ENOTFOUND", message: "no such name", dnsMs: 3 };
  const known = [
    { kind: "unreachable", trouble },
    ...noDataKinds.map((kind) => ({ kind, message: "nothing was learned" })),
  ];
  for (const outcome of known) assert.ok(parseResult({ ...result, outcome }), outcome.kind);
  for (const outcome of [{ kind: "passed" }, { kind: "unreachable" }, { kind: "no-answer" }]) {
    assert.equal(parseResult({ ...result, outcome }), null, outcome.kind);
  }
});

test("an event of a trial run contains only numbers and short texts", () => {
  const ofTrial = { runId, tellServer: runId };
  assert.ok(parseTrialEvent({ ...ofTrial, probeId: "edge", startedAtMs: 1 }));
  assert.equal(
    parseTrialEvent({ runId, probeId: "edge", startedAtMs: 1 }),
    null,
    "no server to notify",
  );
  const step = { step: "connected", address: "192.0.2.1", durationMs: 3 };
  assert.ok(parseTrialEvent({ ...ofTrial, elapsedMs: 4, progress: step }));
  assert.equal(
    parseTrialEvent({ ...ofTrial, elapsedMs: 4, progress: { step: "x", deep: {} } }),
    null,
  );
  assert.equal(parseTrialEvent({ ...ofTrial, elapsedMs: 4, progress: { durationMs: 3 } }), null);
});

test("frames of a link have a known type and a bounded size", () => {
  const results = Array.from({ length: maxResultsInFrame + 1 }, () => result);
  assert.ok(parseFromProbe(JSON.stringify({ type: "results", batch: 1, results: [result] })));
  assert.equal(parseFromProbe(JSON.stringify({ type: "results", batch: 1, results })), null);
  assert.equal(parseFromProbe(JSON.stringify({ type: "orders", orders: [] })), null);
  assert.equal(parseFromProbe("{"), null);
  assert.ok(parseFromServer(JSON.stringify({ type: "orders", orders: [order] })));
  assert.equal(parseFromServer(JSON.stringify({ type: "hello", hello })), null);
});

test("accepts a gap of one version; a larger gap reports which side to upgrade", () => {
  for (const [server, probe] of [
    [5, 5],
    [5, 4],
    [5, 6],
  ] as const) {
    assert.equal(explainVersionGap(server, probe), null);
  }
  assert.equal(explainVersionGap(5, 3)?.reason, "probe-too-old");
  assert.match(explainVersionGap(5, 3)?.message ?? "", /Upgrade the probe\.$/);
  assert.equal(explainVersionGap(5, 7)?.reason, "probe-too-new");
  assert.match(explainVersionGap(5, 7)?.message ?? "", /Upgrade the server\.$/);
});
