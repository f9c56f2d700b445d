import assert from "node:assert/strict";
import { test } from "node:test";
import { maxRunAssetBytes, maxRunAssets } from "../../contract/run-asset.ts";
import { isScriptMeasurement } from "../../kinds/kit/scripts/measurement.ts";
import { EventCollector } from "./collect-events.ts";

function collect(events: readonly unknown[]) {
  const collector = new EventCollector(1_000);
  const isAccepted = events
    .map((event) => collector.add("events", Buffer.from(`${JSON.stringify(event)}\n`)))
    .every(Boolean);
  return { ...collector.finish(), isAccepted };
}

test("characters whose bytes arrive in two parts stay whole, in each stream", () => {
  const collector = new EventCollector(0);
  const streams = [
    ["output", "Größe: 5 €\n"],
    ["error", "漢字 🙂"],
    ["events", `${JSON.stringify({ kind: "step", title: "Zur Kasse → 🛒", category: "step" })}\n`],
  ] as const;
  const bytes = streams.map(([stream, text]) => [stream, Buffer.from(text)] as const);
  // One byte of each stream after the other.
  for (let index = 0; index < 100; index += 1) {
    for (const [stream, whole] of bytes) collector.add(stream, whole.subarray(index, index + 1));
  }
  const { logs, steps } = collector.finish();
  assert.deepEqual(
    logs.map(({ level, text }) => [level, text]),
    [
      ["info", "Größe: 5 €"],
      ["error", "漢字 🙂"],
    ],
  );
  assert.equal(steps[0]?.title, "Zur Kasse → 🛒");
});

const png = Buffer.from("89504e470d0a1a0a00", "hex");
const asset = (id: number, own: object = {}) => ({
  ...{ kind: "asset", id, type: "screenshot", name: "shot.png" },
  ...{ part: png.toString("base64"), isLast: true, ...own },
});

test("files are joined from their parts, and get safe and unique names and checked types", () => {
  const { assets } = collect([
    asset(1, { part: png.subarray(0, 4).toString("base64"), isLast: false }),
    asset(1, { part: png.subarray(4).toString("base64") }),
    asset(2),
    asset(3, { name: "../../etc/pass wd", type: "trace" }),
    asset(4, { type: "program" }),
    asset(5, { part: 5 }),
    asset(6, { isLast: false }),
  ]);
  assert.deepEqual(
    assets.map(({ type, name, contentType }) => [type, name, contentType]),
    [
      ["screenshot", "shot.png", "image/png"],
      ["screenshot", "shot-2.png", "image/png"],
      ["trace", "pass-wd", "application/octet-stream"],
    ],
  );
  assert.ok(png.equals(assets[0]?.content ?? Buffer.alloc(0)));
});

test("too many and too large files are left out, and endless ones end the script", () => {
  const many = collect(Array.from({ length: maxRunAssets + 2 }, (_, index) => asset(index)));
  assert.deepEqual([many.assets.length, many.isCut, many.isAccepted], [maxRunAssets, true, true]);
  const part = Buffer.alloc(45_000).toString("base64");
  const partsOf = (bytes: number) =>
    Array.from({ length: Math.ceil(bytes / 45_000) }, () => asset(1, { part, isLast: false }));
  const large = collect([...partsOf(maxRunAssetBytes + 1), asset(1)]);
  assert.deepEqual([large.assets.length, large.isCut, large.isAccepted], [0, true, true]);
  assert.equal(collect(partsOf(2 * maxRunAssetBytes)).isAccepted, false);
});

test("pages are listed in their order, and what is forged is cut to the limits of a measurement", () => {
  const long = "x".repeat(5_000);
  const forged = {
    ...{ kind: "page", url: long, startedAt: "soon", status: 1e9 },
    vitals: { lcpMs: -1, fcpMs: 12.345678, ttfbMs: Number.MAX_VALUE, cls: "0" },
    consoleErrors: Array.from({ length: 100 }, () => long),
    pageErrors: "none",
    requestErrors: [null, 7, { url: 7 }, { url: long, method: long, status: 404, error: long }],
  };
  const { pages } = collect([
    { kind: "page", url: "http://b/", startedAt: 3_000 },
    { kind: "page" },
    { kind: "page", url: "http://a/", startedAt: 2_000, status: 200, vitals: null },
    forged,
  ]);
  assert.deepEqual(
    pages.map(({ url, startMs }) => [url.slice(0, 9), startMs]),
    [
      ["xxxxxxxxx", 0],
      ["http://a/", 1_000],
      ["http://b/", 2_000],
    ],
  );
  const [page] = pages;
  assert.deepEqual(page?.vitals, { lcpMs: null, fcpMs: 12.3457, ttfbMs: null, cls: null });
  assert.equal(page?.status, null);
  assert.equal(page?.requestErrors.length, 1);
  const rest = { end: "passed", durationMs: 1, cpuMs: null, memoryBytes: null, runtime: "r" };
  const lists = { steps: [], errors: [], logs: [], connections: [], isCut: false };
  assert.ok(isScriptMeasurement({ ...rest, ...lists, isolation: "A1", pages }));
  const many = collect(Array.from({ length: 60 }, () => ({ kind: "page", url: "http://a/" })));
  assert.deepEqual([many.pages.length, many.isCut], [50, true]);
});
