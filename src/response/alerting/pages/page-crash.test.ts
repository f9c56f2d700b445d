/**
 * Kills the server ten times while alerts go through escalation policies, a provider is down and a
 * device is gone. Every alert must reach somebody or the fallback, and nobody twice for one step of
 * a round.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { spawnVedette, waitForAddress } from "../../../../test/support/apps/vedette-process.ts";
import { createTestDatabase, openTestPool } from "../../../../test/support/database/database.ts";
import { it } from "../../../../test/support/long-run.ts";
import { insertMember } from "../../../../test/support/modules/pages.ts";
import {
  type HttpReceiver,
  startHttpReceiver,
} from "../../../../test/support/servers/http-receiver.ts";
import { createPushReceiver } from "../../../../test/support/servers/push-receiver.ts";
import { waitRandomly } from "../../../../test/support/time/random-moment.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { systemClock } from "../../../platform/clock.ts";

const key = "page-crash-test-key-0123456789";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const kills = 10;
const alertsPerPolicy = 200;
/** 1,000 per minute. */
const paceMs = 60;
const minuteMs = 60_000;
/** The server decides on what is due at intervals, and has been down meanwhile. */
const settleMs = 10 * minuteMs;

/** How often the receiver must get an alert at each path, under as many keys. */
type Expected = Readonly<Record<string, number>>;

interface Scenario {
  readonly name: string;
  /** Minutes of the three steps. */
  readonly minutes: readonly [number, number, number];
  readonly schedule: string;
  readonly member: string;
  readonly channel: string;
  readonly repeat: number;
  readonly expected: Expected;
}

const last = { ben: 1, team: 1, fallback: 1 };
const healthy = { schedule: "ada", member: "ben", channel: "team", repeat: 0 };
const oneByOne = [0, 1, 2] as const;
const scenarios: readonly Scenario[] = [
  { name: "healthy", minutes: oneByOne, ...healthy, expected: { ada: 1, ...last } },
  {
    ...{ name: "repeated", minutes: [0, 1, 1], ...healthy, repeat: 1 },
    expected: { ada: 2, ben: 2, team: 2, fallback: 1 },
  },
  { name: "provider", minutes: oneByOne, ...healthy, schedule: "down", expected: last },
  { name: "device", minutes: oneByOne, ...healthy, schedule: "owner", expected: last },
  {
    ...{ name: "nobody", minutes: oneByOne, schedule: "down", member: "gone", channel: "down" },
    ...{ repeat: 0, expected: { fallback: 1 } },
  },
];

const listNames = ({ name }: Scenario) =>
  Array.from({ length: alertsPerPolicy }, (_, number) => `${name}-${number}`);

interface Scene {
  readonly http: HttpReceiver;
  readonly query: (text: string, ...values: readonly unknown[]) => Promise<Row[]>;
  readonly server: { url: string; kill: () => Promise<void> };
  readonly start: () => Promise<void>;
  readonly ask: <Body>(path: string, body?: object, method?: string) => Promise<Body>;
}
type Row = Record<string, unknown>;

async function createScene(t: TestContext): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-page-crash-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const database = await createTestDatabase();
  t.after(database.drop);
  const pool = openTestPool(database.url);
  t.after(() => pool.end());
  const http = await startHttpReceiver(t, async ({ path }) => {
    // Many kills fall between sending a message and its response.
    await waitRandomly(300);
    return { status: { "/down": 503, "/gone": 410, "/device": 410 }[path] ?? 200 };
  });
  const server: Scene["server"] = { url: "", kill: async () => {} };
  const start = async () => {
    const vedette = spawnVedette(t, ["server"], {
      DATA_DIR: join(folder, "data"),
      DATABASE_URL: database.url,
      PORT: "0",
      LOG_LEVEL: "silent",
      RATE_LIMIT_PER_MINUTE: "0",
      BUILT_IN_PROBE: "false",
      BOOTSTRAP_API_KEY: key,
      OUTBOUND_ALLOW_PRIVATE: "true",
    });
    server.url = await waitForAddress(vedette);
    server.kill = async () => {
      process.kill(vedette.pid, "SIGKILL");
      await vedette.exited;
    };
  };
  await start();
  const ask = async <Body>(path: string, body?: object, method = body ? "POST" : "GET") => {
    const sent = body && { body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Body;
  };
  const query = async (text: string, ...values: readonly unknown[]) =>
    (await pool.query<Row>(text, [...values])).rows;
  return { http, query, server, start, ask };
}

/** Members by the path of their only contact method; the owner has a device that is gone. */
async function createMembers({ query, http, ask }: Scene): Promise<Map<string, string>> {
  const { id: owner } = await ask<{ id: string }>("/v1/users/me");
  const { p256dh, auth } = createPushReceiver();
  const device = { name: "Phone", endpoint: `${http.url}/device`, keys: { p256dh, auth } };
  await ask("/v1/users/me/push-subscriptions", device);
  const accountId = String((await query("select id from accounts"))[0]?.id);
  const fixture = { query, accountId, http, clock: systemClock };
  const members = new Map([["owner", owner]]);
  for (const name of ["ada", "ben", "down", "gone"]) {
    const member = { name, steps: [[name, 0] as const], role: "READ_ONLY" };
    members.set(name, await insertMember(fixture, member));
  }
  // With a template, a webhook receives every alert by itself.
  const template = '{"checkName":"{{CHECK_NAME}}"}';
  await query("update contact_methods set config = config || $1", { template });
  return members;
}

/**
 * Creates a policy, a group that uses it, a source of alerts, and checks for its alerts that
 * subscribe to no channel themselves. Returns the source's path.
 */
async function createPolicy(
  { ask }: Scene,
  scenario: Scenario,
  ids: { readonly members: Map<string, string>; readonly channels: Map<string, number> },
): Promise<string> {
  const { name, minutes, repeat } = scenario;
  const start = "2020-01-06T09:00";
  const participants = [ids.members.get(scenario.schedule)];
  const layers = [{ name: "All", participants, rotation: { unit: "WEEK" }, start }];
  const schedule = { name, timezone: "UTC", layers };
  const { id: scheduleId } = await ask<{ id: string }>("/v1/on-call/schedules", schedule);
  const targets = [
    { scheduleId },
    { userId: ids.members.get(scenario.member) },
    { channelId: ids.channels.get(scenario.channel) },
  ];
  const steps = targets.map((target, index) => ({
    afterMinutes: minutes[index],
    targets: [target],
  }));
  const policy = { name, steps, repeat, repeatAfterMinutes: 1 };
  const { id: escalationPolicyId } = await ask<{ id: string }>("/v1/escalation-policies", policy);
  const group = { name, alertSettings: { escalationPolicyId } };
  const { id: groupId } = await ask<{ id: number }>("/v1/check-groups", group);
  const source = await ask<{ id: string; url: string }>("/v1/alert-sources", { name });
  for (const groupKey of listNames(scenario)) {
    const alertGroup = { sourceId: source.id, groupKey };
    const check = { name: groupKey, groupId, alertGroup };
    await ask("/v1/checks/alert-group?autoAssignAlerts=false", check);
  }
  return new URL(source.url).pathname;
}

async function createPolicies(scene: Scene): Promise<Map<string, string>> {
  const { ask, http } = scene;
  const channels = new Map<string, number>();
  for (const name of ["team", "down", "fallback"]) {
    const config = { name, url: `${http.url}/${name}` };
    const channel = { type: "WEBHOOK", config, autoSubscribe: false, digest: false };
    channels.set(name, (await ask<{ id: number }>("/v1/alert-channels", channel)).id);
  }
  const settings = { fallbackAlertChannelId: channels.get("fallback") };
  await ask("/v1/alert-settings", settings, "PUT");
  const members = await createMembers(scene);
  const sources = new Map<string, string>();
  for (const scenario of scenarios) {
    sources.set(scenario.name, await createPolicy(scene, scenario, { members, channels }));
  }
  return sources;
}

/** Sends a notification like Alertmanager, which repeats it until it is accepted. */
async function fire({ server }: Scene, source: string, name: string): Promise<void> {
  const startsAt = new Date().toISOString();
  const labels = { alertname: name };
  const body = JSON.stringify({
    ...{ version: "4", status: "firing", groupKey: name, groupLabels: labels },
    ...{ alerts: [{ status: "firing", labels, annotations: {}, startsAt }] },
    ...{ receiver: "vedette", commonLabels: labels, commonAnnotations: {}, truncatedAlerts: 0 },
  });
  const isAccepted = async () => {
    const options = { method: "POST", headers: { "content-type": "application/json" }, body };
    const answer = await fetch(`${server.url}${source}`, options).catch(() => null);
    await answer?.arrayBuffer().catch(() => {});
    assert.ok(answer === null || [200, 503].includes(answer.status), `${answer?.status}`);
    return answer?.status === 200;
  };
  await waitUntil("the notification is accepted", isAccepted);
}

async function fireAll(scene: Scene, sources: ReadonlyMap<string, string>): Promise<void> {
  const sent: Promise<void>[] = [];
  const beganMs = performance.now();
  for (let number = 0; number < alertsPerPolicy * scenarios.length; number += 1) {
    const isTime = () => performance.now() >= beganMs + number * paceMs;
    await waitUntil("the next alert is due", isTime);
    const { name = "" } = scenarios[number % scenarios.length] ?? {};
    const own = `${name}-${Math.floor(number / scenarios.length)}`;
    sent.push(fire(scene, sources.get(name) ?? "", own));
  }
  await Promise.all(sent);
}

interface Received {
  /** Idempotency keys by path and name of the alert. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  readonly repeats: number;
}

function readReceived({ http }: Scene): Received {
  const keys = new Map<string, Set<string>>();
  let repeats = 0;
  for (const { path, body, headers: sent } of http.requests) {
    if (["/device", "/down", "/gone"].includes(path)) continue;
    const message = JSON.parse(body) as { checkName: string; alerts?: { checkName: string }[] };
    for (const { checkName } of message.alerts ?? [message]) {
      const place = `${path.slice(1)} ${checkName}`;
      const own = keys.get(place) ?? new Set();
      const idempotencyKey = String(sent["idempotency-key"]);
      if (own.has(idempotencyKey)) repeats += 1;
      keys.set(place, own.add(idempotencyKey));
    }
  }
  return { keys, repeats };
}

/** Lists the alerts that arrived too seldom or too often somewhere. */
function findWrong(scene: Scene): string[] {
  const { keys } = readReceived(scene);
  return scenarios.flatMap((scenario) =>
    listNames(scenario).flatMap((name) =>
      ["ada", "ben", "team", "fallback"].flatMap((path) => {
        const count = keys.get(`${path} ${name}`)?.size ?? 0;
        const wanted = scenario.expected[path] ?? 0;
        return count === wanted ? [] : [`${name} at ${path}: ${count}, not ${wanted}`];
      }),
    ),
  );
}

interface Decision {
  readonly decidedAt: string;
  readonly explanation: string;
  readonly at: string;
}

/** The steps of a story are in order, and none comes before its minutes unless it was hurried. */
function checkStory({ minutes, repeat }: Scenario, decisions: readonly Decision[]): string[] {
  const rounds = Array.from({ length: repeat + 1 }, (_, round) => round);
  const roundMinutes = minutes[2] + 1;
  const due = [...rounds.flatMap((round) => minutes.map((one) => round * roundMinutes + one))];
  due.push((repeat + 1) * roundMinutes);
  const [first, ...later] = decisions;
  const openedMs = Date.parse(first?.at ?? "");
  let reached = 0;
  const wrong: string[] = [];
  for (const [index, { explanation, at }] of later.entries()) {
    const found = /step (\d) of 3(?:, round (\d) of 2)?/.exec(explanation);
    const isFallback = explanation.includes("the fallback");
    if (found === null && !isFallback) wrong.push(`not an escalation: ${explanation}`);
    const place = isFallback
      ? due.length - 1
      : (Number(found?.[2] ?? 1) - 1) * 3 + Number(found?.[1]) - 1;
    if (place <= reached) wrong.push(`out of order: ${explanation}`);
    reached = place;
    const isEarly = Date.parse(at) - openedMs < (due[place] ?? 0) * minuteMs;
    if (isEarly && !explanation.includes("at once")) wrong.push(`too early: ${explanation}`);
    if (at < (decisions[index]?.at ?? "")) wrong.push(`before the one before: ${explanation}`);
  }
  return reached === due.length - 1 ? wrong : [...wrong, `ended after step ${reached + 1}`];
}

async function findWrongStories({ ask, query }: Scene): Promise<string[]> {
  const rows = await query(
    "select distinct on (check_id) a.id, c.name from alerts a join checks c on c.id = check_id " +
      "order by check_id, a.id",
  );
  assert.equal(rows.length, alertsPerPolicy * scenarios.length, "every alert has a story");
  const wrong: string[] = [];
  for (const { id, name } of rows) {
    const scenario = scenarios.find((one) => String(name).startsWith(`${one.name}-`));
    const story = await ask<{ decisions: Decision[] }>(`/v1/alert-stories/${id}`);
    const own = checkStory(scenario ?? assert.fail(String(name)), story.decisions);
    wrong.push(...own.map((what) => `${name}: ${what}`));
  }
  return wrong;
}

const title =
  "kill -9 of the server while policies escalate: every alert arrives, once for each step of a round";
it(title, { isLong: true }, async (t) => {
  const scene = await createScene(t);
  const sources = await createPolicies(scene);
  const firing = fireAll(scene, sources);
  for (let killed = 0; killed < kills; killed += 1) {
    await waitRandomly(12_000);
    await scene.server.kill();
    await scene.start();
  }
  await firing;
  const isDone = () => findWrong(scene).length === 0;
  await waitUntil("every alert was received", isDone, settleMs).catch(() => {});
  assert.deepEqual(findWrong(scene).slice(0, 20), []);
  const twice = await scene.query(
    `select alert_id, user_id, count(*)::int from deliveries
      where method_id is null and user_id is not null and status <> 'CANCELLED'
      group by 1, 2 having count(*) > 1 limit 5`,
  );
  assert.deepEqual(twice, [], "nobody is paged twice for one step");
  assert.deepEqual((await findWrongStories(scene)).slice(0, 20), []);
  const { keys, repeats } = readReceived(scene);
  const { requests } = scene.http;
  const countAt = (path: string) => requests.filter((one) => one.path === path).length;
  t.diagnostic(
    `${alertsPerPolicy * scenarios.length} alerts, ${kills} kills, ${keys.size} places, ` +
      `${requests.length} messages (${repeats} repeated under their keys; ` +
      `${countAt("/device")} to the device that is gone, ${countAt("/down")} to the provider)`,
  );
});
