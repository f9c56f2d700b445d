/**
 * Kills processes at random times and verifies that no alert is lost, that a repeated message
 * carries the same key, and that each alert opens exactly one incident.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  readPostmasterPid,
  spawnVedette,
  type VedetteProcess,
  waitForAddress,
} from "../../../test/support/apps/vedette-process.ts";
import { it } from "../../../test/support/long-run.ts";
import { isGone } from "../../../test/support/programs/processes.ts";
import {
  type HttpReceiver,
  startHttpReceiver,
} from "../../../test/support/servers/http-receiver.ts";
import {
  type MailReceiver,
  startMailReceiver,
} from "../../../test/support/servers/mail-receiver.ts";
import { waitRandomly } from "../../../test/support/time/random-moment.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

const key = "alert-crash-test-key-0123456789";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
type Victim = "server" | "postmaster" | "both";
const victims: readonly Victim[] = ["server", "postmaster", "both"];
const checksPerRound = 5;
/**
 * The first rounds kill the server while a message waits for its response, so its claim must
 * expire.
 */
const roundsWhileSending = 2;

interface Server {
  readonly vedette: VedetteProcess;
  readonly url: string;
}

interface Fixture {
  readonly dataDir: string;
  readonly http: HttpReceiver;
  readonly mail: MailReceiver;
  /** Maps the name of each check to its id. */
  readonly checks: Map<string, string>;
  /** The service for which every check opens its incident. */
  readonly service: { id: string };
  /** Number of messages that wait for a response of the receiver. */
  readonly waiting: () => number;
}

async function startServer(t: TestContext, { dataDir, mail }: Fixture): Promise<Server> {
  const vedette = spawnVedette(t, ["server"], {
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "silent",
    RATE_LIMIT_PER_MINUTE: "0",
    BOOTSTRAP_API_KEY: key,
    OUTBOUND_ALLOW_PRIVATE: "true",
    SMTP_URL: mail.url,
  });
  return { vedette, url: await waitForAddress(vedette) };
}

async function ask<Body>(url: string, body: unknown = null): Promise<Body> {
  const options = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { ...options, headers });
  const text = await answer.text();
  assert.ok(answer.ok, `${url}: ${answer.status} ${text}`);
  return JSON.parse(text) as Body;
}

async function createChannels({ url }: Server, { http, service }: Fixture): Promise<void> {
  const name = "Website";
  service.id = (await ask<{ id: string }>(`${url}/v1/status-pages/services`, { name })).id;
  const channels = `${url}/v1/alert-channels`;
  const config = { name: "Hook", url: `${http.url}/hook` };
  await ask(channels, { type: "WEBHOOK", config });
  const mailbox = { address: "owner@example.com" };
  await ask(channels, { type: "EMAIL", config: mailbox, digest: false });
}

/**
 * Creates checks that fail: names that do not resolve, and an open port that is expected to be
 * closed.
 */
async function createChecks({ url }: Server, { checks, service, http }: Fixture): Promise<void> {
  const port = Number(new URL(http.url).port);
  for (let made = 0; made < checksPerRound; made += 1) {
    const name = `crash-${checks.size + 100}`;
    const isUnknown = made % 2 === 0;
    const hostname = isUnknown ? `${name}.nowhere.invalid` : "127.0.0.1";
    const { id } = await ask<{ id: string }>(`${url}/v1/checks/tcp`, {
      name,
      frequency: 0,
      frequencyOffset: 10,
      shouldFail: !isUnknown,
      request: { hostname, port },
      triggerIncident: { serviceId: service.id, name: "{{CHECK_NAME}}", description: "It fails." },
    });
    checks.set(name, id);
  }
}

async function kill(victim: Victim, server: Server, dataDir: string) {
  const { vedette, url } = server;
  const postmasterPid = readPostmasterPid(dataDir);
  if (victim !== "server") process.kill(postmasterPid, "SIGKILL");
  if (victim !== "postmaster") process.kill(vedette.pid, "SIGKILL");
  if (victim !== "postmaster") return void (await vedette.exited);
  await waitUntil("PostgreSQL is gone", () => isGone(postmasterPid));
  await waitUntil("the server has recovered", async () => {
    const { status } = await fetch(`${url}/readyz`);
    return status === 200 && readPostmasterPid(dataDir) !== postmasterPid;
  });
}

type Keys = Map<string, string[]>;

function gather(pairs: readonly (readonly [string, string])[]): Keys {
  const keys: Keys = new Map();
  for (const [name, one] of pairs) keys.set(name, [...(keys.get(name) ?? []), one]);
  return keys;
}

interface HookMessage {
  readonly alertType: string;
  readonly checkName?: string;
  readonly alerts?: readonly HookMessage[];
}

/** Returns the keys of each ALERT_FAILURE received by webhook, by check name. */
function listHookKeys({ http }: Fixture): Keys {
  const received = http.requests.flatMap(({ body, headers: sent }) => {
    const message = JSON.parse(body) as HookMessage;
    // Alerts of a digest arrive together under one key.
    const { alerts = [message] } = message;
    const key = String(sent["idempotency-key"]);
    return alerts.map(({ alertType, checkName = "" }) => [alertType, checkName, key] as const);
  });
  const failures = received.filter(([alertType]) => alertType === "ALERT_FAILURE");
  return gather(failures.map(([, name, sent]) => [name, sent]));
}

function listMailKeys({ mail }: Fixture): Keys {
  const failures = mail.mails.filter(({ raw }) => /^X-Vedette-Alert: ALERT_FAILURE\r$/im.test(raw));
  return gather(
    failures.map(({ raw }) => [
      /crash-\d+/.exec(raw)?.[0] ?? "",
      /^Message-ID:\s*(\S+)/im.exec(raw)?.[1] ?? "",
    ]),
  );
}

/** Lists the checks with a failed final run; an alert must have been sent for each. */
async function listFailed({ url }: Server, { checks }: Fixture): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, id] of checks) {
    const path = `/v2/check-results/${id}?resultType=FINAL&limit=100`;
    const { entries } = await ask<{ entries: { verdict: string }[] }>(`${url}${path}`);
    if (entries.some(({ verdict }) => verdict === "failing")) failed.push(name);
  }
  return failed;
}

/** Lists the names of all incidents, which equal the names of the checks that opened them. */
async function listIncidents({ url }: Server): Promise<string[]> {
  const path = "/v1/status-pages/incidents?limit=100";
  const { entries } = await ask<{ entries: { name: string }[] }>(`${url}${path}`);
  return entries.map(({ name }) => name).toSorted();
}

function findLost(failed: readonly string[], fixture: Fixture): string[] {
  const [hook, mail] = [listHookKeys(fixture), listMailKeys(fixture)];
  return failed.filter((name) => !hook.has(name) || !mail.has(name));
}

function assertRepeatsAreMarked(keys: Keys, what: string): number {
  let repeats = 0;
  for (const [name, list] of keys) {
    assert.equal(new Set(list).size, 1, `${what} of ${name} has one key: ${list.join(", ")}`);
    repeats += list.length - 1;
  }
  return repeats;
}

async function createFixture(t: TestContext): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-alert-crash-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const mail = await startMailReceiver(t);
  // The receiver responds slowly, so that many kills fall between sending a message and its
  // response.
  let waiting = 0;
  const http = await startHttpReceiver(t, async () => {
    waiting += 1;
    await waitRandomly(500);
    waiting -= 1;
    return {};
  });
  const dataDir = join(folder, "data");
  const service = { id: "" };
  return { dataDir, http, mail, checks: new Map(), service, waiting: () => waiting };
}

const title =
  "kill -9 of the server, PostgreSQL or both: no alert is lost, repeats are marked, one incident each";
it(title, { isLong: true }, async (t) => {
  const fixture = await createFixture(t);
  let server = await startServer(t, fixture);
  await createChannels(server, fixture);
  for (const [round, victim] of victims.entries()) {
    const before = (await listFailed(server, fixture)).length;
    await createChecks(server, fixture);
    const hasFailed = async () => (await listFailed(server, fixture)).length > before;
    await waitUntil("one of the new checks has failed", hasFailed);
    if (round < roundsWhileSending) {
      await waitUntil("a message waits for its answer", () => fixture.waiting() > 0);
    } else {
      await waitRandomly(700);
    }
    await kill(victim, server, fixture.dataDir);
    if (victim !== "postmaster") server = await startServer(t, fixture);
  }
  const haveAllFailed = async () =>
    (await listFailed(server, fixture)).length === fixture.checks.size;
  await waitUntil("every check has failed", haveAllFailed);
  const failed = await listFailed(server, fixture);
  const areAllReceived = () => findLost(failed, fixture).length === 0;
  await waitUntil("all alerts were received", areAllReceived).catch(() => {});
  assert.deepEqual(findLost(failed, fixture), [], "no alert is lost");
  // An incident that could not be opened with its alert is opened later.
  const areAllOpen = async () => (await listIncidents(server)).length >= failed.length;
  await waitUntil("every incident is open", areAllOpen);
  const incidents = await listIncidents(server);
  assert.deepEqual(incidents, failed.toSorted(), "each alert has opened one incident");
  const repeats = [
    assertRepeatsAreMarked(listHookKeys(fixture), "the webhook"),
    assertRepeatsAreMarked(listMailKeys(fixture), "the mail"),
  ];
  t.diagnostic(`${failed.length} alerts; repeated ${repeats.join(" times by webhook, ")} by mail`);
});
