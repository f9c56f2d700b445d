/**
 * Measures the cost of dashboards: the data of a page with 500 checks and a month of runs every
 * minute, with ten times that history, and 200 open dashboards without changes. The time is the
 * worst of an hour, when the last hour is not rolled up yet.
 *
 * npm run bench dashboards -- --checks 500 --days 30
 */
import { parseArgs } from "node:util";
import { hourMs } from "../../src/runs/statistics/window.ts";
import { report } from "../support.ts";
import { createFixture } from "./dashboard-database.ts";
import { measureOpenStreams } from "./open-streams.ts";
import { measurePageData } from "./page-data.ts";

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "500" },
    days: { type: "string", default: "30" },
    "no-streams": { type: "boolean", default: false },
  },
});
const checkCount = Number(values.checks);
const days = Number(values.days);
// Five minutes past a recent hour, because the viewers use the real clock.
const nowMs = Math.floor(Date.now() / hourMs) * hourMs - hourMs + 5 * 60_000;

const long = await createFixture({ checkCount, days: 10 * days, nowMs });
const short = await createFixture({ checkCount, days, nowMs });
const { dataDir } = short;
const { dashboardId } = short.dashboard;
try {
  const data = await measurePageData(short, long);
  await long.stop();
  await short.pause();
  const streams = values["no-streams"] ? [] : await measureOpenStreams(dataDir, dashboardId);
  report(`Dashboards of ${checkCount} checks, medians`, [...data, ...streams]);
} finally {
  await long.stop();
  await short.stop();
}
