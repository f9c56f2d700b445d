import assert from "node:assert/strict";
import { test } from "node:test";
import { dayMs } from "../reading/moment.ts";
import {
  checkIdsOf,
  describeWindow,
  duringWindow,
  isAhead,
  isUnclear,
  noteUnknown,
  pastWindow,
  type Situation,
  spanOf,
  taggedIds,
} from "./situation.ts";

const nowMs = Date.parse("2026-11-16T12:00:00Z");

/** A situation, and the lines of its answer. */
function create(subject: object = {}, window: object | null = null, checks: object[] = []) {
  const lines: string[] = [];
  const all = { checks: [], ids: [], tags: [], places: [], incidents: [], things: [] };
  const situation = {
    nowMs,
    intent: { subject: { ...all, unknown: [], ambiguities: [], ...subject }, window },
    answer: { line: (text: string) => lines.push(text) },
    vocabulary: { checks },
  } as unknown as Situation;
  return { situation, lines };
}

const check = (checkId: string, ...tags: readonly string[]) => ({ checkId, name: checkId, tags });
const window = (from: string, to: string, label: string) => ({
  fromMs: Date.parse(from),
  toMs: Date.parse(to),
  label,
});

test("named checks and ids are looked at, at most fifty", () => {
  const { situation } = create({ checks: [check("a")], ids: ["b"] });
  assert.deepEqual(checkIdsOf(situation.intent), ["a", "b"]);
  const many = Array.from({ length: 80 }, (_, index) => check(String(index)));
  assert.equal(checkIdsOf(create({ checks: many }).situation.intent).length, 50);
});

test("checks with any of the named tags are found", () => {
  const checks = [check("a", "eu"), check("b", "us", "prod"), check("c")];
  const { situation } = create({ tags: ["eu", "prod"] }, null, checks);
  assert.deepEqual(taggedIds(situation), ["a", "b"]);
});

test("without a time, the last day counts", () => {
  const { situation } = create();
  assert.deepEqual(pastWindow(situation), {
    ...{ fromMs: nowMs - dayMs, toMs: nowMs, label: "the last 24 hours" },
  });
  assert.equal(pastWindow(situation, 7 * dayMs).label, "the last 7 days");
});

test("of a time that has not ended, the past part counts", () => {
  const today = window("2026-11-16T00:00Z", "2026-11-17T00:00Z", "today");
  assert.deepEqual(pastWindow(create({}, today).situation), { ...today, toMs: nowMs });
  const past = window("2026-11-15T00:00Z", "2026-11-16T00:00Z", "yesterday");
  assert.deepEqual(pastWindow(create({}, past).situation), past);
  // A window always has a length.
  const next = window("2026-11-17T00:00Z", "2026-11-18T00:00Z", "tomorrow");
  assert.equal(pastWindow(create({}, next).situation).toMs, next.fromMs + 1);
});

test("there is no data for the future", () => {
  const { situation, lines } = create({}, window("2026-11-16T12:00Z", "2026-11-17T00:00Z", "x"));
  assert.ok(isAhead(situation));
  assert.deepEqual(lines, ["There is no data for x: it lies in the future."]);
  const begun = create({}, window("2026-11-16T11:59Z", "2026-11-17T00:00Z", "x"));
  assert.equal(isAhead(begun.situation), false);
  assert.equal(isAhead(create().situation), false);
  assert.deepEqual(begun.lines, []);
});

test("a time is written with its dates, and with the word that fits", () => {
  const [from, to] = ["2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z"];
  const dates = /\(2026-11-15 00:00 UTC to 2026-11-16 00:00 UTC\)$/;
  const rows: Readonly<Record<string, string>> = {
    yesterday: "yesterday (",
    "the last 24 hours": "in the last 24 hours (",
    "Sunday 15 November": "on Sunday 15 November (",
    "2026-11-15": "on 2026-11-15 (",
    "10:30 yesterday": "around 10:30 yesterday (",
    "November 2026": "in November 2026 (",
  };
  for (const [label, opening] of Object.entries(rows)) {
    const text = duringWindow(window(from, to, label));
    assert.ok(text.startsWith(opening), text);
    assert.match(text, dates);
  }
  assert.match(describeWindow(window(from, to, "yesterday")), /^yesterday \(/);
  assert.deepEqual(spanOf(window(from, to, "x")), {
    from: "2026-11-15T00:00:00.000Z",
    to: "2026-11-16T00:00:00.000Z",
  });
});

test("of several checks that fit, at most eight are offered", () => {
  const candidates = Array.from({ length: 10 }, (_, index) => check(`c${index}`));
  const { situation, lines } = create({ ambiguities: [{ phrase: "web", candidates }] });
  assert.ok(isUnclear(situation, "its status"));
  assert.match(lines[0] ?? "", /^10 checks fit `web`\. Which one do you mean\?$/);
  assert.equal(lines.length, 10);
  assert.match(lines.at(-1) ?? "", /^And 2 more/);
  // A check that was named beside it is enough.
  const named = create({ ambiguities: [{ phrase: "web", candidates }], checks: [check("a")] });
  assert.equal(isUnclear(named.situation, "its status"), false);
  assert.deepEqual(named.lines, []);
});

test("an unknown name is reported, quoted so that it is only text", () => {
  const { situation, lines } = create({ unknown: ["a`[x](https://evil.example)"] });
  assert.ok(isUnclear(situation, "its status"));
  assert.match(lines[0] ?? "", /^I know nothing called `a'\[x\]\(https:\/\/evil\.example\)`\.$/);
  assert.match(lines[1] ?? "", /ask again for its status/);
});

test("a group or a service without checks has no data", () => {
  const { situation, lines } = create({ things: [{ kind: "group", name: "Shop" }] });
  assert.ok(isUnclear(situation, "x"));
  assert.deepEqual(lines, ["No check belongs to the group `Shop`: no data."]);
  assert.equal(isUnclear(create().situation, "x"), false);
});

test("an unknown name is noted only if nothing else was named", () => {
  const note = (subject: object) => {
    const { situation, lines } = create(subject);
    noteUnknown(situation);
    return lines;
  };
  assert.deepEqual(note({ unknown: ["x"] }), ["(I know nothing called `x`.)"]);
  assert.deepEqual(note({}), []);
  for (const named of ["checks", "tags", "places", "incidents", "things"]) {
    assert.deepEqual(note({ unknown: ["x"], [named]: ["y"] }), [], named);
  }
});
