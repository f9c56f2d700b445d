/** Parts of a check's page that show loaded data, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../../test/support/components/part.tsx";
import { listParts } from "./chart/check-chart.tsx";
import { SlotTip } from "./chart/slot-tip.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { MarksList } from "./marks-list.tsx";
import {
  historyQuery,
  type ListedRun,
  runsQuery,
  type Slot,
  type StateChange,
  type Timeline,
  timelineQuery,
} from "./queries.ts";
import { RunList } from "./run-list.tsx";
import type { CheckSearch, SearchChange } from "./search.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 15, 12, minute)).toISOString();

const noMarks: Timeline = {
  incidents: [],
  maintenance: [],
  alerts: [],
  annotations: [],
  edits: [],
  missedRuns: [],
} as unknown as Timeline;

const slot = {
  at: at(0),
  state: "failing",
  p50: 8.31,
  p95: 240,
  p99: 1_250,
  min: 0.02,
  max: 3_000,
  runs: 1_234,
  failing: 2,
  loss: 12.5,
} as unknown as Slot;

type Model = Parameters<typeof SlotTip>[0]["model"];
const model = {
  slotSeconds: 300,
  unit: "milliseconds",
  limits: { bornSecond: 0, endSecond: 4_000_000_000 },
  before: [null],
  timeline: null,
} as unknown as Model;

test("the tip of a slot has all figures with their unit", () => {
  const part = renderPart(<SlotTip slot={slot} place={0} model={model} leftPx={10} />);
  const facts = part.readFacts();
  assert.equal(facts.P50, "8.31 ms");
  assert.equal(facts.P95, "240 ms");
  assert.equal(facts.P99, "1.25 s");
  assert.equal(facts.Runs, (1_234).toLocaleString());
  assert.equal(facts.Failing, "2");
  assert.match(facts["Min to max"] ?? "", /^20 µs – 3\.00 s$/);
  assert.match(facts.Loss ?? "", /12\.5/);
  assert.equal("P50 of the previous period" in facts, false);
  assert.match(part.readText(), /Failing/);
});

test("the tip of a slot without loss and with a comparison", () => {
  const part = renderPart(
    <SlotTip
      slot={{ ...slot, loss: null, p50: null } as Slot}
      place={0}
      model={{ ...model, before: [7] }}
      leftPx={10}
    />,
  );
  const facts = part.readFacts();
  assert.equal(facts["P50 of the previous period"], "7.00 ms");
  assert.equal(facts.P50, "–");
  assert.equal("Loss" in facts, false);
});

test("the tip lists what happened within the slot, at most four", () => {
  const timeline = {
    ...noMarks,
    incidents: [
      { name: "Cable cut", from: at(-60), to: null },
      { name: "Earlier", from: at(-60), to: at(-1) },
    ],
    alerts: [{ at: at(1), alertType: "ALERT_FAILURE" }],
    annotations: [
      { at: at(2), type: "NOTE", text: "Failover" },
      { at: at(6), type: "NOTE", text: "Later" },
    ],
    edits: Array.from({ length: 4 }, (_, n) => ({ at: at(3), by: `ada ${n}`, fields: ["name"] })),
  } as unknown as Timeline;
  const part = renderPart(
    <SlotTip slot={slot} place={0} model={{ ...model, timeline }} leftPx={10} />,
  );
  const text = part.readText();
  assert.match(text, /Incident: Cable cut/);
  assert.match(text, /Note: Failover/);
  assert.match(text, /Edit: ada 0/);
  assert.doesNotMatch(text, /Earlier|Later|ada 1/);
});

const search = { range: "24h" } as unknown as CheckSearch;

function renderMarks(timeline: Partial<Timeline>, role: "OWNER" | "READ_ONLY" = "OWNER") {
  return renderPart(<MarksList checkId="c-1" search={search} />, {
    role,
    data: [[timelineQuery("c-1", search).queryKey, { ...noMarks, ...timeline }]],
  });
}

test("the marks of a chart are listed as text, the newest first", () => {
  const part = renderMarks({
    incidents: [{ id: "i-1", name: "Cable cut", from: at(10), to: null }],
    maintenance: [{ id: 7, name: "Upgrade", from: at(20), to: at(30) }],
    missedRuns: [{ to: at(5), location: null, count: 2 }],
    edits: [
      { id: "e-1", at: at(1), by: "ada", action: "check.created", fields: [] },
      { id: "e-2", at: at(2), by: "bob", action: "check.updated", fields: ["name"] },
      { id: "e-4", at: at(4), by: "cleo", action: "alert.acknowledged", fields: [] },
    ],
  } as unknown as Partial<Timeline>);
  const lines = part.locator("li > span:last-child").allTextContents();
  assert.deepEqual(lines, [
    "Maintenance: Upgrade",
    "Incident: Cable cut (still open)",
    "2 runs were missed before this run",
    "cleo acknowledged the alert",
    "bob changed name",
    "ada created this check",
  ]);
});

const note = { id: "n-1", type: "NOTE", text: "Failover", url: null, at: at(1), by: "ada" };

test("a note is deleted by a writer, and a link leads to its address", async () => {
  const annotations = [note, { ...note, id: "n-2", type: "DEPLOYMENT", url: "https://x.test/7" }];
  const part = renderMarks({ annotations } as unknown as Partial<Timeline>);
  await part.getByRole("button", { name: "Delete “Note: Failover, by ada”" }).waitFor();
  const link = part.getByRole("link", { name: "Deployment: Failover, by ada" });
  assert.equal(await link.getAttribute("href"), "https://x.test/7");
  assert.equal(await link.getAttribute("rel"), "noreferrer");
});

test("a read-only user sees notes and cannot delete them", () => {
  const part = renderMarks({ annotations: [note] } as unknown as Partial<Timeline>, "READ_ONLY");
  assert.match(part.readText(), /Note: Failover, by ada/);
  assert.equal(part.getByRole("button").count(), 0);
});

test("a chart without marks has no list, and many are limited", () => {
  const none = renderMarks({});
  assert.equal(none.getByRole("list").count(), 0);
  const many = Array.from({ length: 20 }, (_, n) => ({ ...note, id: `n-${n}`, at: at(n) }));
  const part = renderMarks({ annotations: many } as unknown as Partial<Timeline>);
  assert.equal(part.getByRole("listitem").count(), 6);
});

function createRun(more: object = {}): ListedRun {
  return {
    id: "r-1",
    verdict: "passing",
    startedAt: at(0),
    runLocation: "eu-central-1",
    probeId: "p-1",
    responseTime: 12.3,
    explanation: "All within limits.",
    reasons: [{ name: "all-within-limits" }],
    attempts: 1,
    ...more,
  } as unknown as ListedRun;
}

function renderRuns(
  runs: readonly ListedRun[],
  more: Partial<CheckSearch> = {},
  locations: readonly string[] = ["eu-central-1", "us-east-1"],
) {
  const changes: SearchChange[] = [];
  const shown = { ...search, ...more } as CheckSearch;
  const pages = { pages: [{ entries: runs, nextId: null }], pageParams: [null] };
  const part = renderPart(
    <RunList
      checkId="c-1"
      search={shown}
      locations={locations}
      onSearch={(change) => changes.push(change)}
    />,
    { data: [[runsQuery("c-1", shown).queryKey, pages]] },
  );
  return { part, changes };
}

test("a run shows when, from where, how long, and why it did not pass", () => {
  const { part } = renderRuns([
    createRun(),
    createRun({
      id: "r-2",
      verdict: "failing",
      responseTime: 0,
      explanation: "Connection refused on port 443.",
      reasons: [{ name: "error" }],
      attempts: 3,
    }),
  ]);
  const [passing = "", failing = ""] = part.getByRole("listitem").allTextContents();
  assert.match(passing, /^Passing.*eu-central-1.*12\.3 ms$/);
  assert.doesNotMatch(passing, /All within limits/);
  assert.match(failing, /no response.*Connection refused on port 443\. \(attempt 3\)$/);
});

test("a ping from outside has neither location nor duration", () => {
  const { part } = renderRuns([createRun({ probeId: "none" })]);
  assert.doesNotMatch(
    part.getByRole("listitem").allTextContents().join(),
    /eu-central-1|ms|no resp/,
  );
});

test("a run opens, and closes when it is pressed again", async () => {
  const { part, changes } = renderRuns([createRun()]);
  await part.getByRole("listitem").getByRole("button").click();
  assert.deepEqual(changes, [{ run: "r-1" }]);
  const open = renderRuns([createRun({ id: "r-9" })], { run: "r-9" } as Partial<CheckSearch>);
  const button = open.part.locator("[aria-current=true]");
  await button.click();
  assert.deepEqual(open.changes, [{ run: undefined }]);
});

test("runs are filtered by state and location, and one location is no choice", async () => {
  const { part, changes } = renderRuns([createRun()]);
  await part.getByLabel("State").selectOption("Failing");
  await part.getByLabel("Location").selectOption("us-east-1");
  await part.getByLabel("State").selectOption("All");
  assert.deepEqual(changes, [
    { state: "failing" },
    { location: "us-east-1" },
    { state: undefined },
  ]);
  part.rerender(<p />);
  const { part: one } = renderRuns([createRun()], {}, ["eu-central-1"]);
  assert.equal(one.getByLabel("Location").count(), 0);
});

test("a list without runs says whether a filter is the reason", async () => {
  const { part } = renderRuns([]);
  await part.getByText("The first result appears here shortly.").waitFor();
  part.rerender(<p />);
  const { part: filtered } = renderRuns([], { state: "failing" } as Partial<CheckSearch>);
  await filtered.getByText("No run matches this range and these filters.").waitFor();
});

function createChange(more: object = {}): StateChange {
  return {
    id: "s-1",
    from: "passing",
    to: "failing",
    at: at(0),
    until: at(14),
    explanation: "100 % of the packets were lost.",
    resultId: "r-1",
    decision: { votes: [] },
    ...more,
  } as unknown as StateChange;
}

function renderHistory(changes: readonly StateChange[]) {
  const opened: string[] = [];
  const pages = { pages: [{ entries: changes, nextId: null }], pageParams: [null] };
  const part = renderPart(<HistoryTab checkId="c-1" onOpenRun={(id) => opened.push(id)} />, {
    data: [[historyQuery("c-1").queryKey, pages]],
  });
  return { part, opened };
}

test("a state change shows its reason, its duration and the state before", async () => {
  const { part, opened } = renderHistory([createChange()]);
  const text = part.readText();
  assert.match(text, /Failing.*lasted 14 min.*previously: passing/);
  assert.match(text, /100 % of the packets were lost\./);
  await part.getByRole("button", { name: "View run" }).click();
  assert.deepEqual(opened, ["r-1"]);
});

test("the current state lasts until now, and a lost reason is explained", () => {
  const { part } = renderHistory([createChange({ until: null, explanation: "", decision: null })]);
  assert.match(part.readText(), /until now/);
  assert.match(part.readText(), /The reason is no longer stored\./);
});

test("the results of several locations open their runs", async () => {
  const votes = [
    { location: "eu-central-1", verdict: "failing", resultId: "r-1" },
    { location: "us-east-1", verdict: "passing", resultId: "r-2" },
  ];
  const { part, opened } = renderHistory([createChange({ decision: { votes } })]);
  const list = part.getByRole("list", { name: "Result per location" });
  await list.getByRole("button").nth(1).click();
  assert.deepEqual(opened, ["r-2"]);
});

test("a check that never changed reports it", async () => {
  const { part } = renderHistory([]);
  await part.getByText("No state changes yet").waitFor();
});

test("the legend lists what is drawn, and what the user has hidden", () => {
  const quiet = { failing: 0, loss: null, runs: 1, min: 9, max: 9, p50: 9, p95: 9, p99: 9 };
  const series = (more: object) =>
    ({ series: [{ runLocation: null, slots: [{ ...quiet, ...more }] }] }) as never;
  const alerts = [{ id: "a-1", at: at(1), alertType: "ALERT_FAILURE" }];
  assert.deepEqual(listParts(series({}), undefined, {}), ["p50"]);
  assert.deepEqual(listParts(series({ p99: 20, max: 20 }), undefined, {}), ["p50", "p99", "band"]);
  assert.deepEqual(listParts(series({ failing: 1 }), { ...noMarks, alerts } as never, {}), [
    "p50",
    "bars",
    "alert",
  ]);
  assert.deepEqual(listParts(series({}), undefined, { hide: "p95" }), ["p50", "p95"]);
});
