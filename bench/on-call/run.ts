/**
 * Measures what `GET /v1/on-call/now` costs with 500 schedules compared with one. It renders a month
 * of each schedule.
 *
 * npm run bench on-call -- --schedules 500
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, report, spawnServer } from "../support.ts";

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "500" },
    rounds: { type: "string", default: "40" },
  },
});
const scheduleCount = Number(values.schedules);
const rounds = Number(values.rounds);
const key = "bench-key-bench-key-bench-key";
/** All schedules ÷ one. */
const maxRatio = 20;

const zones = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "UTC"];
const units = ["WEEK", "DAY", "DAY", "WEEK"];

/** Every schedule has a rotation, and somebody else at night. */
function describeSchedule(index: number, userId: string): object {
  const rotation = { unit: units[index % units.length], handoffTime: "09:00" };
  const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"];
  const start = "2020-01-06T09:00";
  const participants = [userId, userId, userId];
  return {
    name: `Schedule ${index}`,
    timezone: zones[index % zones.length],
    layers: [
      { name: "Day", participants, rotation, start },
      {
        ...{ name: "Night", participants, rotation: { unit: "WEEK" }, start },
        restrictions: [{ days, from: "18:00", to: "08:00" }],
      },
    ],
  };
}

async function call(url: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { headers, ...init });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

async function measureNow(url: string, expected: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startMs = performance.now();
    const now = await call(url, "/v1/on-call/now");
    times.push(performance.now() - startMs);
    if (now.length !== expected) throw new Error(`${now.length} schedules`);
  }
  return median(times);
}

const folder = mkdtempSync(join(tmpdir(), "vedette-on-call-"));
const product = await spawnServer("bin/vedette.ts", ["server"], {
  PORT: "0",
  DATA_DIR: folder,
  BOOTSTRAP_API_KEY: key,
  EXAMPLE: "false",
  RATE_LIMIT_PER_MINUTE: "0",
  LOG_LEVEL: "warn",
});
try {
  const { url } = product;
  const { id: userId } = await call(url, "/v1/users/me");
  const create = (index: number) =>
    call(url, "/v1/on-call/schedules", describeSchedule(index, userId));
  await create(0);
  // The first measurement compiles the code and is not counted.
  await measureNow(url, 1);
  const oneMs = await measureNow(url, 1);
  for (let index = 1; index < scheduleCount; index += 1) await create(index);
  await measureNow(url, scheduleCount);
  const allMs = await measureNow(url, scheduleCount);
  report(`Who is on call, with a month of ${scheduleCount} schedules`, [
    { name: "one schedule", value: oneMs, unit: "ms" },
    { name: `${scheduleCount} schedules`, value: allMs, unit: "ms" },
    { name: `${scheduleCount} schedules ÷ one`, value: allMs / oneMs, atMost: maxRatio },
  ]);
} finally {
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
