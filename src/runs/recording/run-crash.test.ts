/** Kills processes at random times and verifies that no run is lost or recorded twice. */
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
import { waitRandomly } from "../../../test/support/time/random-moment.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { planSchedule } from "../scheduling/schedule.ts";

const key = "run-crash-test-key-0123456789";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const checkCount = 40;
const periodMs = 10_000;
type Victim = "server" | "postmaster" | "both";
const victims: readonly Victim[] = ["server", "postmaster", "both", "server"];
const newResultsPerRound = 12;
/**
 * Longer than a run of two packets and its recording, so that no run in progress is older at a
 * kill.
 */
const runMs = 2_000;

interface Listed {
  readonly id: string;
  readonly checkId: string;
  readonly checkRunId: number;
  readonly resultType: string;
  readonly verdict: string;
}

interface Server {
  readonly vedette: VedetteProcess;
  readonly url: string;
  readonly listensAtMs: number;
}

async function startServer(t: TestContext, dataDir: string): Promise<Server> {
  const vedette = spawnVedette(t, ["server"], {
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "silent",
    RATE_LIMIT_PER_MINUTE: "0",
    BOOTSTRAP_API_KEY: key,
  });
  return { vedette, url: await waitForAddress(vedette), listensAtMs: Date.now() };
}

async function ask<Body>(url: string, body: unknown = null): Promise<Body> {
  const options = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { ...options, headers });
  const text = await answer.text();
  assert.ok(answer.ok, `${url}: ${answer.status} ${text}`);
  return JSON.parse(text) as Body;
}

async function createChecks(url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= checkCount; number += 1) {
    const { id } = await ask<{ id: string }>(`${url}/v1/checks/icmp`, {
      name: `loopback ${number}`,
      frequency: 0,
      frequencyOffset: periodMs / 1_000,
      request: { hostname: `127.0.0.${number}`, pingCount: 2 },
    });
    ids.push(id);
  }
  return ids;
}

/** Lists all results of a check, newest first. One page is enough for a check. */
async function listResults(url: string, checkId: string): Promise<Listed[]> {
  const query = "resultType=ALL&limit=100";
  const page = await ask<{ entries: Listed[] }>(`${url}/v2/check-results/${checkId}?${query}`);
  return page.entries;
}

async function listAllResults(url: string, checkIds: readonly string[]): Promise<Listed[]> {
  return (await Promise.all(checkIds.map((id) => listResults(url, id)))).flat();
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

/** Waits until the state of the check matches its newest final result. */
async function assertStateAgrees(url: string, checkId: string): Promise<void> {
  await waitUntil(`the state of ${checkId} agrees with its newest result`, async () => {
    const address = `${url}/v1/check-statuses/${checkId}`;
    // On a slow machine the server may not have run long enough for this check: its run is still
    // due.
    const { status: code } = await fetch(address, { headers });
    if (code === 404) return false;
    const status = await ask<{ status: string; lastCheckRunId: string }>(address);
    const newest = (await listResults(url, checkId)).find((one) => one.resultType === "FINAL");
    // A new result may have arrived between the two requests; then retry.
    if (newest?.id !== status.lastCheckRunId) return false;
    assert.equal(status.status, newest.verdict);
    return true;
  });
}

interface Life {
  readonly fromMs: number;
  readonly toMs: number;
}

function findMissing(results: readonly Listed[], checkIds: readonly string[], lives: Life[]) {
  const recorded = new Set(results.map(({ checkId, checkRunId }) => `${checkId} ${checkRunId}`));
  const missing: string[] = [];
  for (const checkId of checkIds) {
    const { splayMs } = planSchedule({ checkId, frequencyMinutes: 0, frequencyOffset: 10 });
    for (const { fromMs, toMs } of lives) {
      const firstMs = splayMs + Math.ceil((fromMs - splayMs) / periodMs) * periodMs;
      for (let dueAtMs = firstMs; dueAtMs < toMs - runMs; dueAtMs += periodMs) {
        const run = `${checkId} ${dueAtMs}`;
        if (!recorded.has(run)) missing.push(`${run}, ${dueAtMs - fromMs} ms after its start`);
      }
    }
  }
  return missing;
}

function assertRecordedOnce(results: readonly Listed[]): void {
  assert.equal(new Set(results.map(({ id }) => id)).size, results.length);
  const finals = results.filter(({ resultType }) => resultType === "FINAL");
  const runs = new Set(finals.map(({ checkId, checkRunId }) => `${checkId} ${checkRunId}`));
  assert.equal(runs.size, finals.length, "a run has one final result");
  for (const { checkId, checkRunId, verdict } of results) {
    const { splayMs } = planSchedule({ checkId, frequencyMinutes: 0, frequencyOffset: 10 });
    assert.equal((checkRunId - splayMs) % periodMs, 0, `${checkId} is on its schedule`);
    assert.match(
      verdict,
      /^(passing|unknown)$/,
      "an internal fault is never reported as packet loss",
    );
  }
}

/** Returns how far a server had come; on a busy machine it lags behind the clock. */
function findNewestDueMs(results: Iterable<Listed>): number {
  return Math.max(...[...results].map(({ checkRunId }) => checkRunId));
}

const title =
  "loses no run and records none twice through kill -9 of the server, PostgreSQL or both";
it(title, { isLong: true }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "vedette-run-crash-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const dataDir = join(folder, "data");
  let server = await startServer(t, dataDir);
  const checkIds = await createChecks(server.url);
  const visible = new Map<string, Listed>();
  const lives: Life[] = [];
  let livesFromMs = Date.now();
  const look = async () => {
    const results = await listAllResults(server.url, checkIds);
    for (const result of results) visible.set(result.id, result);
    return results;
  };
  for (const victim of victims) {
    const before = visible.size;
    const hasNews = async () => (await look()).length >= before + newResultsPerRound;
    await waitUntil("results arrive", hasNews);
    await waitRandomly(300);
    await look();
    await kill(victim, server, dataDir);
    if (victim === "postmaster") continue;
    lives.push({ fromMs: livesFromMs, toMs: findNewestDueMs(visible.values()) });
    server = await startServer(t, dataDir);
    livesFromMs = server.listensAtMs;
  }
  const enough = visible.size + checkCount;
  await waitUntil("every check has run again", async () => (await look()).length >= enough);
  lives.push({ fromMs: livesFromMs, toMs: findNewestDueMs(visible.values()) });

  const results = await listAllResults(server.url, checkIds);
  assertRecordedOnce(results);
  const byId = new Map(results.map((result) => [result.id, result]));
  for (const [id, seen] of visible)
    assert.deepEqual(byId.get(id), seen, "a visible result stays unchanged");
  assert.deepEqual(
    findMissing(results, checkIds, lives),
    [],
    "every run due while the server was up is recorded",
  );
  for (const checkId of checkIds) await assertStateAgrees(server.url, checkId);
  const unknown = results.filter(({ verdict }) => verdict === "unknown").length;
  t.diagnostic(`${results.length} results, ${unknown} of them without data`);
});
