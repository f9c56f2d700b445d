/** Tests the states of checks after a stop and a start, with real parts and real pings. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Answer, ownerKey } from "../../../test/support/apps/app.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase, openTestPool } from "../../../test/support/database/database.ts";
import { TestClock } from "../../../test/support/time/clock.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { startApp } from "../../app/app.ts";
import { parseConfig } from "../../config.ts";

async function createFixture(t: TestContext) {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-test-stop-"));
  const pool = openTestPool(database.url);
  const clock = new TestClock();
  const { log } = captureLog();
  let stop = async () => {};
  t.after(async () => {
    await stop();
    await pool.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = async (drainSeconds: number) => {
    const config = parseConfig({
      PORT: "0",
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      RATE_LIMIT_PER_MINUTE: "0",
      BOOTSTRAP_API_KEY: ownerKey,
      EXAMPLE: "false",
      DRAIN_SECONDS: String(drainSeconds),
    });
    const app = await startApp(config, { clock, log });
    stop = app.stop;
    const call = async (method: string, path: string, body?: unknown): Promise<Answer["body"]> => {
      const headers = { authorization: `Bearer ${ownerKey}`, "content-type": "application/json" };
      const text = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(`${app.url}${path}`, { method, headers, body: text });
      assert.ok(response.ok, `${method} ${path}: ${response.status}`);
      return response.json();
    };
    return { app, call };
  };
  const listVerdicts = async (): Promise<number[]> => {
    const { rows } = await pool.query("select verdict from results order by id");
    return rows.map(({ verdict }) => verdict);
  };
  return { start, clock, listVerdicts };
}

const [unknown, passing] = [0, 1];
const cannotPing = "this machine may not send pings";
const runAgain = { heartbeat: {}, script: "" };

test("a stop lets runs finish, and interrupted runs do not change the state", async (t) => {
  const { start, clock, listVerdicts } = await createFixture(t);
  const first = await start(60);
  const settings = { name: "Loopback", frequency: 1440, maxPacketLossThreshold: 100 };
  const request = { hostname: "127.0.0.1", pingCount: 2 };
  const { id } = await first.call("POST", "/v1/checks/icmp", { ...settings, request });
  const trigger = (one: typeof first) =>
    one.call("POST", "/v2/check-sessions/trigger", { target: { checkId: [id] } });
  await trigger(first);
  await waitUntil("the first run is recorded", async () => (await listVerdicts()).length === 1);
  if ((await listVerdicts())[0] === unknown) return t.skip(cannotPing);
  const { since } = await first.call("GET", `/v1/check-statuses/${id}`);

  clock.advance(60_000);
  await trigger(first);
  await first.app.stop();
  assert.deepEqual(await listVerdicts(), [passing, passing]);

  const second = await start(0);
  // Half a minute of pings, so that the stop certainly comes first.
  const change = (pingCount: number) => ({ ...runAgain, request: { ...request, pingCount } });
  await second.call("PUT", `/v1/checks/icmp/${id}`, change(50));
  clock.advance(60_000);
  await trigger(second);
  await second.app.stop();
  assert.deepEqual(await listVerdicts(), [passing, passing, unknown]);

  const third = await start(0);
  await third.call("PUT", `/v1/checks/icmp/${id}`, change(1));
  clock.advance(60_000);
  await trigger(third);
  await waitUntil("it ran again", async () => (await listVerdicts()).length === 4);
  const status = await third.call("GET", `/v1/check-statuses/${id}`);
  assert.deepEqual([status.status, status.since], ["passing", since]);
});
