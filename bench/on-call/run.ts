/**
 * Measures what `GET /v1/on-call/now` costs with 500 schedules compared with one, which renders a
 * month of each schedule; the rendering alone; and deciding on alerts that page a schedule compared
 * with the same alerts to a webhook, in alternation.
 *
 * npm run bench on-call -- --schedules 500
 */
import { randomUUIDv7 } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { insertChannel, obtainTargetChannel } from "../../src/channels/alert-channels/store.ts";
import { insertPolicy } from "../../src/channels/escalation-policies/store.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { runSql } from "../../src/platform/database.ts";
import { decideOnRuns } from "../../src/response/alerting/decider.ts";
import {
  defaultAccountAlertSettings,
  saveSettings,
} from "../../src/response/alerting/settings/settings-store.ts";
import { renderShifts } from "../../src/response/on-call/rendering.ts";
import type { Layer, Plan } from "../../src/response/on-call/schedule.ts";
import { recordResults } from "../../src/runs/recording/recorder.ts";
import {
  type AlertingContext,
  insertChecks,
  makeFailures,
  startAlerting,
} from "../alerts/fixture.ts";
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
/** Deciding on alerts to a policy ÷ to a webhook. */
const maxDecisionRatio = 1.3;

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

/** A plan like the schedules that the server has. */
function createPlan(index: number): Plan {
  const { timezone, layers } = describeSchedule(index, "user") as {
    timezone: string;
    layers: (Partial<Layer> & { name: string })[];
  };
  const defaults = { end: null, restrictions: [], participants: [], start: "" };
  const daily = { unit: "DAY", interval: 1, handoffTime: "09:00", handoffDay: "MONDAY" };
  const full = layers.map((layer) => ({
    ...{ ...defaults, ...layer },
    rotation: { ...daily, ...layer.rotation },
  }));
  const [overrides, departures] = [[], new Map()];
  return { timeZone: timezone, layers: full as Layer[], overrides, departures };
}

function renderMonth(plans: readonly Plan[], fromMs: number): number {
  const range = { fromMs, toMs: fromMs + 31 * 86_400_000 };
  const before = process.cpuUsage();
  for (const plan of plans) {
    if (renderShifts(plan, range).length < 20) throw new Error("almost no shifts");
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** CPU time of one schedule and of all, in alternation; the first rounds compile the code. */
function measureRendering() {
  const plans = Array.from({ length: scheduleCount }, (_, index) => createPlan(index));
  const [one, all]: [number[], number[]] = [[], []];
  const firstMs = renderMonth(plans.slice(0, 1), Date.now());
  for (let round = 0; round < rounds; round += 1) {
    one.push(renderMonth(plans.slice(0, 1), Date.now()));
    all.push(renderMonth(plans, Date.now()));
  }
  return { firstMs, oneMs: median(one.slice(2)), allMs: median(all.slice(2)) };
}

const checkCount = 500;
type Side = readonly string[];

/** Inserts checks whose alerts go to one webhook. */
async function addWebhookSide(context: AlertingContext, accountId: string): Promise<Side> {
  const checkIds = await insertChecks(context.db, accountId, checkCount);
  const id = await insertChannel(context.db, accountId, {
    type: "WEBHOOK",
    config: { name: "Hook", url: "http://127.0.0.1:1" },
    ...{ sendRecovery: true, sendFailure: true, sendDegraded: true },
    ...{ sslExpiry: false, sslExpiryThreshold: 30, autoSubscribe: false },
    ...{ digest: false, quietHours: null, createdAt: clock.now() },
  });
  await runSql(
    context.db,
    `insert into alert_channel_subscriptions (alert_channel_id, check_id, activated)
      select $1, id, true from unnest($2::uuid[]) as id`,
    [id, checkIds],
  );
  return checkIds;
}

/** Inserts checks whose policy pages a schedule at once. */
async function addPolicySide({ db }: AlertingContext, accountId: string): Promise<Side> {
  const checkIds = await insertChecks(db, accountId, checkCount);
  const at = clock.now();
  const obtain = (scheduleId: string | null) =>
    obtainTargetChannel(db, accountId, { target: { scheduleId, userId: null }, at });
  const id = randomUUIDv7();
  const step = { afterMinutes: 0, targets: [], channelIds: [await obtain(randomUUIDv7())] };
  await insertPolicy(db, accountId, {
    ...{ id, name: "Page", steps: [step], repeat: 0, repeatAfterMinutes: 10 },
    ...{ supportHours: null, fallbackChannelId: await obtain(null), isFromStages: false },
    ...{ createdAt: at, updatedAt: null },
  });
  const settings = { ...defaultAccountAlertSettings, escalationPolicyId: id };
  await saveSettings(db, accountId, { settings, at });
  return checkIds;
}

/** Time and CPU time of this process to decide on the first failure of every check. */
async function measureDecisions(context: AlertingContext, checkIds: Side) {
  await runSql(context.db, "truncate deliveries, alerts, alert_states", []);
  await recordResults(context, await makeFailures(context, checkIds));
  const startMs = performance.now();
  const before = process.cpuUsage();
  while ((await decideOnRuns(context)) > 0);
  const { user, system } = process.cpuUsage(before);
  const ms = performance.now() - startMs;
  const [row] = await runSql<{ count: number }>(
    context.db,
    "select count(*)::int as count from deliveries",
    [],
  );
  if (row?.count !== checkCount) throw new Error(`${row?.count} messages`);
  return { ms, cpuMs: (user + system) / 1_000 };
}

async function compareDecisions() {
  const { context, addAccount, stop } = await startAlerting();
  try {
    const hook = await addWebhookSide(context, await addAccount());
    const policy = await addPolicySide(context, await addAccount());
    const times: Record<"hookMs" | "hookCpuMs" | "policyMs" | "policyCpuMs", number[]> = {
      ...{ hookMs: [], hookCpuMs: [], policyMs: [], policyCpuMs: [] },
    };
    for (let round = 0; round < rounds; round += 1) {
      const one = await measureDecisions(context, hook);
      const other = await measureDecisions(context, policy);
      if (round < 3) continue;
      times.hookMs.push(one.ms);
      times.hookCpuMs.push(one.cpuMs);
      times.policyMs.push(other.ms);
      times.policyCpuMs.push(other.cpuMs);
    }
    const [hookMs, policyMs] = [median(times.hookMs), median(times.policyMs)];
    const [hookCpuMs, policyCpuMs] = [median(times.hookCpuMs), median(times.policyCpuMs)];
    return { hookMs, policyMs, hookCpuMs, policyCpuMs };
  } finally {
    await stop();
  }
}

const rendering = measureRendering();
const decisions = await compareDecisions();
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
  report("Rendering alone, CPU time", [
    { name: "one schedule, the first time", value: rendering.firstMs, unit: "ms" },
    { name: "one schedule", value: rendering.oneMs, unit: "ms" },
    { name: `${scheduleCount} schedules`, value: rendering.allMs, unit: "ms" },
    {
      name: `${scheduleCount} schedules ÷ one, the first time`,
      value: rendering.allMs / rendering.firstMs,
      atMost: maxRatio,
    },
  ]);
  const { hookMs, policyMs, hookCpuMs, policyCpuMs } = decisions;
  report(`Deciding on ${checkCount} failures, median`, [
    { name: "to a webhook", value: hookMs, unit: "ms" },
    { name: "to a policy that pages a schedule", value: policyMs, unit: "ms" },
    { name: "policy ÷ webhook, time", value: policyMs / hookMs, atMost: maxDecisionRatio },
    {
      name: "policy ÷ webhook, CPU time of the server",
      value: policyCpuMs / hookCpuMs,
      atMost: maxDecisionRatio,
    },
  ]);
} finally {
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
}
