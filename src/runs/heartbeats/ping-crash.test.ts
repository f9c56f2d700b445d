/** An acknowledged ping is stored even if the server is killed; the clock is the database's. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnVedette, waitForAddress } from "../../../test/support/apps/vedette-process.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { test } from "../../../test/support/long-run.ts";
import { waitRandomly } from "../../../test/support/time/random-moment.ts";

const key = "ping-crash-test-key-0123456789";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
interface Made {
  readonly id: string;
  readonly heartbeat: { readonly pingToken: string };
}

const rounds = 2;
const senders = 10;

test("kill -9 loses no acknowledged ping and invents none", { isLong: true }, async (t) => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-ping-crash-"));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });
  const start = async () => {
    const vedette = spawnVedette(t, ["server"], {
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: "0",
      LOG_LEVEL: "silent",
      BUILT_IN_PROBE: "false",
      RATE_LIMIT_PER_MINUTE: "0",
      BOOTSTRAP_API_KEY: key,
    });
    return { vedette, url: await waitForAddress(vedette) };
  };
  let server = await start();
  const heartbeat = { period: 1, periodUnit: "hours", grace: 0, graceUnit: "seconds" };
  const checks: { id: string; token: string; answered: number; sent: number }[] = [];
  for (let number = 0; number < senders; number += 1) {
    const body = JSON.stringify({ name: `job ${number}`, heartbeat });
    const made = await fetch(`${server.url}/v1/checks/heartbeat`, {
      method: "POST",
      headers,
      body,
    });
    const { id, heartbeat: shown } = (await made.json()) as Made;
    checks.push({ id, token: shown.pingToken, answered: 0, sent: 0 });
  }
  for (let round = 0; round < rounds; round += 1) {
    const { url, vedette } = server;
    const sending = checks.map(async (check) => {
      for (let count = 0; count < 20; count += 1) {
        check.sent += 1;
        const answer = await fetch(`${url}/ping/${check.token}`).catch(() => null);
        if (answer === null) return;
        assert.equal(answer.status, 200);
        check.answered += 1;
      }
    });
    await waitRandomly(1_500);
    const gone = once(vedette.process, "exit");
    vedette.process.kill("SIGKILL");
    await Promise.all([...sending, gone]);
    server = await start();
  }
  for (const { id, answered, sent } of checks) {
    const path = `${server.url}/v1/checks/heartbeats/${id}/availability`;
    const found = await (await fetch(path, { headers })).text();
    const stats = found === "" || found === "null" ? null : JSON.parse(found);
    const stored = stats?.totalEntitiesCurrentPeriod ?? 0;
    assert.ok(stored >= answered && stored <= sent, `${answered} ≤ ${stored} ≤ ${sent}`);
    if (stored > 0) assert.equal(stats.successRatio.currentPeriod, 1);
  }
});
