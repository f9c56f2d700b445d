/** Statistics of incidents, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderScreen } from "../../test/support/components/part.tsx";
import type { Schemas } from "../api/client.ts";
import { statisticsQuery } from "./queries.ts";
import { route as statisticsRoute } from "./statistics-screen.tsx";

type Statistics = Schemas["IncidentStatistics"];
const none = { CRITICAL: 0, MAJOR: 0, MEDIUM: 0, MINOR: 0 };

const statistics = (more: Partial<Statistics> = {}) =>
  ({
    count: 1_234,
    ongoing: 1,
    meanDurationSeconds: 9_600,
    medianDurationSeconds: 2_700,
    longestDurationSeconds: 187_200,
    meanTimeToAcknowledgeSeconds: null,
    isTruncated: false,
    bySeverity: { ...none, MAJOR: 3 },
    byMonth: [
      {
        month: "2026-10",
        count: 1,
        bySeverity: { ...none, MINOR: 1 },
        meanDurationSeconds: 60,
      },
      {
        month: "2026-11",
        count: 4,
        bySeverity: { ...none, MAJOR: 3 },
        meanDurationSeconds: null,
      },
    ],
    services: [
      {
        id: "s-1",
        name: "Shop",
        incidents: 1,
        downtimeSeconds: 60,
        uptimePercent: 99.99,
      },
      {
        id: "s-2",
        name: "Pay",
        incidents: 2,
        downtimeSeconds: 3_600,
        uptimePercent: null,
      },
    ],
    ...more,
  }) as unknown as Statistics;

const renderStatistics = (more: Partial<Statistics> = {}, days = 90) =>
  renderScreen(statisticsRoute, {
    search: days === 90 ? {} : { days },
    data: [[statisticsQuery(days).queryKey, statistics(more)]],
  });

test("the figures of a period have two units at most, and a missing one is a dash", async () => {
  const part = await renderStatistics();
  assert.deepEqual(part.readFacts(), {
    Incidents: "1,234",
    "Open now": "1",
    "Mean time to resolve": "2 h 40 min",
    "Median time to resolve": "45 min",
    Longest: "2 d 4 h",
    "Mean time to respond": "–",
  });
});

test("months are listed with the newest first, and drawn on one scale", async () => {
  const part = await renderStatistics();
  const [first = [], second = []] = part.readRows();
  assert.match(first[0] ?? "", /Nov.*2026/);
  assert.deepEqual(first.slice(1), ["4", "0", "3", "0", "0", "–"]);
  assert.equal(second.at(-1), "1 min");
  const heights = part
    .locator("[aria-hidden] [data-severity]")
    .elements()
    .map((bar) => bar.style.height)
    .filter((height) => height !== "0%");
  assert.deepEqual(heights, ["25%", "75%"]);
});

test("services are sorted by downtime, and an uptime without data is not 100 %", async () => {
  const part = await renderStatistics();
  const services = part.readRows().slice(-2);
  assert.deepEqual(services, [
    ["Pay", "2", "1 h", "not enough data yet"],
    ["Shop", "1", "1 min", "99.99 %"],
  ]);
});

test("a period without incidents is calm", async () => {
  const part = await renderStatistics({ count: 0, services: [] }, 365);
  await part.getByText("No incidents in this period").waitFor();
  assert.equal(await part.getByLabel("Period").inputValue(), "365");
  assert.equal(part.locator("table").count(), 0);
});

test("statistics that leave out old incidents report it", async () => {
  const part = await renderStatistics({ isTruncated: true });
  await part.getByText("Only the newest 10,000 incidents are counted.").waitFor();
});
