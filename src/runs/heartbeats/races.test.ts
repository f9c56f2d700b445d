/** Several servers on one database, and one that returns after an outage. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createHeartbeatsFixture, minuteMs } from "../../../test/support/modules/heartbeats.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { startApp } from "../../app/app.ts";
import { parseConfig } from "../../config.ts";

const encryptionKey = Buffer.alloc(32, 7).toString("base64");

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", ENCRYPTION_KEY: encryptionKey });
});
after(() => app.stop());

const { newCheck, taken, statesOf, passUntil } = createHeartbeatsFixture(() => app);

/** Another server on the same database, with the same clock. */
async function startTwin(): Promise<{ url: string; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-twin-"));
  const config = parseConfig({
    PORT: "0",
    DATABASE_URL: app.databaseUrl,
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: "0",
    BUILT_IN_PROBE: "false",
    ENCRYPTION_KEY: encryptionKey,
    EXAMPLE: "false",
  });
  const twin = await startApp(config, { clock: app.clock, log: captureLog().log });
  const stop = async () => {
    await twin.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url: twin.url, stop };
}

test("two servers accept and judge pings without losing or duplicating any", async () => {
  const twin = await startTwin();
  try {
    const { id, token } = await newCheck();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, place) =>
        fetch(`${place % 2 === 0 ? app.url : twin.url}/ping/${token}`),
      ),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    const { body } = await app.call("GET", `/v1/checks/heartbeats/${id}/availability`);
    assert.equal(body.totalEntitiesCurrentPeriod, 60);
    const fresh = await newCheck();
    await taken(fresh.token);
    await passUntil(91_000, fresh.id, ["FAILING", "RECEIVED"]);
    const { rows } = await app.query(
      "select count(*)::int as count from results where check_id = $1 and verdict = 3",
      [fresh.id],
    );
    assert.equal(rows[0].count, 1);
  } finally {
    await twin.stop();
  }
});

test("after an outage, pings expected during it get their grace period again", async () => {
  const away = await newCheck();
  const ahead = await newCheck({
    period: 60,
    periodUnit: "minutes",
    grace: 0,
    graceUnit: "seconds",
  });
  await taken(away.token);
  await taken(ahead.token);
  // As if no server had run for ten minutes: the clock jumps without a turn in between.
  app.clock.advance(10 * minuteMs);
  await passUntil(50_000, away.id, ["RECEIVED"]);
  await taken(away.token);
  assert.deepEqual(await statesOf(away.id), ["GRACE", "RECEIVED"]);
  const second = await newCheck();
  await taken(second.token);
  app.clock.advance(10 * minuteMs);
  await passUntil(66_000, second.id, ["FAILING", "RECEIVED"]);
  const { body } = await app.call("GET", `/v1/checks/heartbeats/${second.id}/events`);
  const { id } = body[0].events[0];
  const result = await app.call("GET", `/v1/check-results/${second.id}/${id}`);
  assert.notEqual(result.body.heartbeatCheckResult.resumedAt, null);
  assert.deepEqual(await statesOf(ahead.id), ["RECEIVED"]);
});

test("a ping whose transaction fails is not acknowledged and can be sent again", async () => {
  const { id, token } = await newCheck();
  await taken(token);
  await app.query("begin");
  await app.query("alter table heartbeats add constraint refuse check (is_missed) not valid");
  await app.query("commit");
  const { status } = await fetch(`${app.url}/ping/${token}`);
  assert.ok(status >= 500, String(status));
  assert.deepEqual(await statesOf(id), ["RECEIVED"]);
  await app.query("alter table heartbeats drop constraint refuse");
  await taken(token);
  assert.equal((await statesOf(id)).length, 2);
});

test("pings in the same batch as one that the database rejects are stored", async () => {
  const bad = await newCheck();
  const good = await newCheck();
  await taken(bad.token);
  await taken(good.token);
  await app.query(
    `alter table heartbeats add constraint refuse check (check_id <> '${bad.id}') not valid`,
  );
  const tokens = Array.from({ length: 20 }, (_, place) => (place % 2 === 0 ? bad : good).token);
  const answers = await Promise.all(tokens.map((token) => fetch(`${app.url}/ping/${token}`)));
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.every((status, place) => (place % 2 === 0 ? status >= 500 : status === 200)));
  await app.query("alter table heartbeats drop constraint refuse");
  await waitUntil("ten more are kept", async () => {
    const { body } = await app.call("GET", `/v1/checks/heartbeats/${good.id}/availability`);
    return body.totalEntitiesCurrentPeriod === 11;
  });
});

test("groups deactivate and activate their heartbeats", async () => {
  const { body: group } = await app.call("POST", "/v1/check-groups", { body: { name: "Jobs" } });
  const { id, token } = await newCheck(undefined, { groupId: group.id });
  await taken(token);
  const turn = (activated: boolean) =>
    app.call("PUT", `/v1/check-groups/${group.id}`, { body: { name: "Jobs", activated } });
  assert.equal((await turn(false)).status, 200);
  await passUntil(100_000, id, ["RECEIVED"]);
  assert.equal((await turn(true)).status, 200);
  await passUntil(100_000, id, ["RECEIVED"]);
  await taken(token);
  await passUntil(91_000, id, ["FAILING", "RECEIVED", "RECEIVED"]);
});
