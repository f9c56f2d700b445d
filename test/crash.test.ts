/** No acknowledged write is lost, whatever is killed and whenever. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import {
  readPostmasterPid,
  spawnVedette,
  type VedetteProcess,
  waitForAddress,
} from "./support/apps/vedette-process.ts";
import { isLongRun } from "./support/long-run.ts";
import { isGone } from "./support/programs/processes.ts";
import { waitRandomly } from "./support/time/random-moment.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const key = "crash-test-key-0123456789";
const writers = 3;
/** An account has at most 1000 keys, and each round may create this many. */
const maxKeysPerRound = 90;
const paceMs = 40;
const timeoutMs = 60_000;
type Victim = "server" | "postmaster" | "both";
const victims: readonly Victim[] = isLongRun ? ["server", "postmaster", "both"] : ["both"];

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

/** Returns `null` if the connection broke without a response; a timeout is a failure. */
async function ask(url: string, body: unknown = null): Promise<number | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  const options = body === null ? {} : { method: "POST", body: JSON.stringify(body), headers };
  try {
    const answer = await fetch(url, { ...options, signal });
    await answer.arrayBuffer();
    return answer.status;
  } catch (error) {
    assert.notEqual((error as Error).name, "TimeoutError", `no answer from ${url}`);
    return null;
  }
}

/** Writes continuously, and records what was acknowledged. */
class Writer {
  readonly attempted = new Set<string>();
  readonly acknowledged = new Set<string>();
  readonly statuses = new Map<number | null, number>();
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();

  start(url: string, round: number): void {
    this.#isStopped = false;
    const last = this.acknowledged.size + maxKeysPerRound - writers;
    const write = async (writer: number) => {
      for (let turn = 0; !this.#isStopped && this.acknowledged.size < last; turn += 1) {
        const name = `round ${round}, writer ${writer}, turn ${turn}`;
        this.attempted.add(name);
        const status = await ask(`${url}/v1/api-keys`, { name });
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        if (status === 201) this.acknowledged.add(name);
        await waitRandomly(paceMs);
      }
    };
    this.#running = Promise.all(Array.from({ length: writers }, (_, index) => write(index)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }
}

async function startServer(
  t: TestContext,
  dataDir: string,
): Promise<{ vedette: VedetteProcess; url: string }> {
  const vedette = spawnVedette(t, ["server"], {
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "silent",
    RATE_LIMIT_PER_MINUTE: "0",
    BOOTSTRAP_API_KEY: key,
  });
  const url = await waitForAddress(vedette);
  assert.equal(await ask(`${url}/readyz`), 200);
  return { vedette, url };
}

/** Waits until the server has recovered on its own; meanwhile it may respond only with 503. */
async function waitForRecovery(url: string, killedPid: number, dataDir: string): Promise<void> {
  const isBack = async () => {
    const status = await ask(`${url}/readyz`);
    assert.ok(status === 200 || status === 503, `/readyz answered ${status}`);
    return status === 200 && readPostmasterPid(dataDir) !== killedPid;
  };
  await waitUntil("the server has recovered", isBack);
}

async function listKeyNames(url: string): Promise<string[]> {
  const names: string[] = [];
  for (let query = "limit=100"; query !== ""; ) {
    const answer = await fetch(`${url}/v1/api-keys?${query}`, { headers });
    assert.equal(answer.status, 200);
    const page = (await answer.json()) as { entries: { name: string }[]; nextId: string | null };
    names.push(...page.entries.map((entry) => entry.name));
    query = page.nextId === null ? "" : `limit=100&nextId=${page.nextId}`;
  }
  return names;
}

const title = "keeps every acknowledged key after kill -9 of the server, PostgreSQL or both";
it(title, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "vedette-crash-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const dataDir = join(folder, "data");
  const writer = new Writer();
  t.after(() => writer.stop());
  let running = await startServer(t, dataDir);
  for (const [round, victim] of victims.entries()) {
    const { vedette, url } = running;
    const acknowledgedBefore = writer.acknowledged.size;
    const brokenBefore = writer.statuses.get(null);
    writer.start(url, round);
    await waitUntil(
      "one write is acknowledged",
      () => writer.acknowledged.size > acknowledgedBefore,
    );
    await waitRandomly(300);
    const postmasterPid = readPostmasterPid(dataDir);
    if (victim !== "server") process.kill(postmasterPid, "SIGKILL");
    if (victim !== "postmaster") process.kill(vedette.pid, "SIGKILL");
    if (victim === "postmaster") {
      await waitUntil("PostgreSQL is gone", () => isGone(postmasterPid));
      await waitForRecovery(url, postmasterPid, dataDir);
      await writer.stop();
      assert.equal(vedette.hasExited(), false, "the server was not restarted");
      assert.equal(writer.statuses.get(null), brokenBefore, "every request got a response");
    } else {
      await vedette.exited;
      await writer.stop();
      running = await startServer(t, dataDir);
    }
  }
  t.diagnostic(`answers: ${JSON.stringify([...writer.statuses])}`);
  const strange = [...writer.statuses.keys()].filter((code) => ![201, 503, null].includes(code));
  assert.deepEqual(strange, [], "a caller sees 201 or 503 and never a 500");
  const names = await listKeyNames(running.url);
  const counts = Map.groupBy(names, (name) => name);
  for (const name of writer.acknowledged) assert.equal(counts.get(name)?.length, 1, name);
  for (const name of names) assert.ok(name === "First key" || writer.attempted.has(name), name);
});
