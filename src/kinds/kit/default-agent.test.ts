import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import {
  type FolderMeasurement,
  type FolderRequest,
  type FolderSettings,
  folderParts,
} from "../../../test/support/new-kind/folder-kind.ts";
import type { OwnAgent } from "./agent.ts";
import { createKind } from "./create-kind.ts";
import { readFields, readResult, schemasOf } from "./tool-fields.ts";

const parts = [
  { name: "wait", metric: "wait", unit: "milliseconds", label: "Wait for the disk" },
  {
    name: "full",
    metric: "fullness",
    unit: "percentage",
    label: "Share of the disk in use",
    summary: { noun: "disk use", examples: { avg: 1, p95: 2, p99: 3 } },
  },
] as const;

/** The folder kind with two figures: a time that is unknown, and the entries as a percentage. */
function createSample(agent: OwnAgent<FolderSettings, FolderRequest, FolderMeasurement> = {}) {
  return createKind({
    ...folderParts,
    parts,
    figures: ({ entries, readMs }) => ({
      responseMs: readMs,
      samples: [readMs],
      counters: [],
      parts: [null, entries],
    }),
    agent,
  });
}

const measured: FolderMeasurement = { entries: 41.23456, readMs: 12.34567 };

test("fields of results and figures come from the parts, with their labels and units", () => {
  const { resultFields, figureFields } = createSample().agent;
  assert.deepEqual(readResult(resultFields, measured), {
    responseTimeMs: 12.346,
    waitMs: null,
    fullnessPercent: 41.235,
  });
  assert.deepEqual(readResult(resultFields, null), {
    responseTimeMs: null,
    waitMs: null,
    fullnessPercent: null,
  });
  const { description } = schemasOf(resultFields).fullnessPercent as { description?: string };
  assert.equal(description, "Share of the disk in use");
  assert.deepEqual(readFields(figureFields, { full: 3, wait: 2 }), { fullnessPercent: 3 });
});

test("alerts get the parts that the summary shows", () => {
  const fact = { name: "fullnessPercent", label: "Share of the disk in use", unit: "%" };
  assert.deepEqual(createSample().listFacts(measured), [{ ...fact, value: 41.23456 }]);
  assert.deepEqual(createSample().listFacts(null), [{ ...fact, value: null }]);
});

test("phrases name the figures", () => {
  const { speech } = createSample().agent;
  const result = { responseTimeMs: 12.3, waitMs: null, fullnessPercent: 41 };
  assert.equal(
    speech.describeResult(result),
    "response time 12.3 ms, share of the disk in use 41 %",
  );
  assert.equal(speech.describeResult({ responseTimeMs: null }), "no measurement");
  assert.equal(speech.describeFigures({ fullnessPercent: 3 }), "disk use 3 %");
  assert.equal(speech.describeFigures({ fullnessPercent: null }), "");
  assert.equal(
    speech.describeChange({ fullnessPercent: 3 }, { fullnessPercent: 4 }),
    "disk use 3 % → 4 %",
  );
  assert.equal(speech.describeDifference({ fullnessPercent: -1 }), "disk use -1 points");
  assert.equal(speech.describeTarget({ hostname: "/var" }), "checks `/var`");
  assert.equal(speech.describeTarget({ hostname: "a", ipFamily: "IPv6" }), "checks `a` over IPv6");
});

test("a run without a measurement is described by its error", () => {
  const { speech } = createSample({ speech: { unmeasured: "the disk did not respond" } }).agent;
  assert.deepEqual(speech.describeRun({ trouble: { code: "EIO" } }), [
    "the disk did not respond: `EIO`",
  ]);
  assert.deepEqual(speech.describeRun({ trouble: null, responseTimeMs: 1 }), [
    "response time 1 ms",
  ]);
});

test("a kind replaces what it provides and keeps the rest", () => {
  const { agent } = createSample({
    names: ["disk"],
    resultFields: {},
    hints: { run: "with a", figures: "b", samples: "c", creation: "d" },
    speech: { culprits: { full: "Delete files." } },
  });
  assert.deepEqual(agent.names, ["disk"]);
  assert.deepEqual(agent.resultFields, {});
  assert.equal(agent.hints.creation, "d");
  assert.equal(agent.speech.culprits.full, "Delete files.");
  assert.ok("address-denied" in agent.speech.culprits);
});

test("a check's secrets and long texts are not shown", () => {
  const kind = createKind({
    ...folderParts,
    secrets: {
      mapSettings: ({ request, ...settings }, change) => ({
        ...settings,
        request: { ...request, folder: change(request.folder) },
      }),
      mapRequest: (request) => request,
    },
    DocumentSchema: Type.Object({ text: Type.String(), list: Type.Array(Type.Integer()) }),
    document: () => ({ text: "x".repeat(9_000), list: Array.from({ length: 99 }, () => 1) }),
  });
  const request = { folder: "hidden", most: 1 };
  const settings = { shouldFail: false, degradedResponseTime: null, maxResponseTime: null };
  assert.deepEqual(readFields(kind.agent.checkFields, { ...settings, request }), {
    folderSettings: { request: { folder: "********", most: 1 } },
    degradedResponseTime: null,
    maxResponseTime: null,
  });
  const outcome = { kind: "no-answer", message: "" } as const;
  const run = readFields(kind.agent.runFields, { request, startedAtMs: 0, outcome });
  const { text, list } = Object.values(run)[0] as { text: string; list: number[] };
  assert.ok(text.length <= 500);
  assert.equal(list.length, 10);
});
