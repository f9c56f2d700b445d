import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { startDeafProxy } from "../../test/support/servers/deaf-proxy.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { defaultDeadlines, planDeadlines } from "./database-pool.ts";
import { listenForNotifications, type Notifications } from "./notifications.ts";

async function openClient(t: TestContext): Promise<{ client: pg.Client; url: string }> {
  const database = await createTestDatabase({ isEmpty: true });
  const client = new pg.Client(database.url);
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  return { client, url: database.url };
}

async function startListening(
  t: TestContext,
  connectionString: string,
  channel = "changes",
  deadlines = defaultDeadlines,
) {
  const { log, text } = captureLog();
  const received: string[] = [];
  const wasListeningAtGap: boolean[] = [];
  let notifications: Notifications | null = null;
  notifications = await listenForNotifications({
    connection: { connectionString },
    channels: {
      [channel]: {
        onNotification: (payload) => received.push(payload),
        onGap: () => wasListeningAtGap.push(notifications?.isListening() ?? false),
      },
    },
    log,
    deadlines,
  });
  t.after(notifications.stop);
  return { notifications, received, wasListeningAtGap, logText: text };
}

/** The other connections to the test's database: those that listen. */
async function countListeners(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  return rowCount ?? 0;
}

async function killListeners(client: pg.Client): Promise<void> {
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity " +
      "where datname = current_database() and pid <> pg_backend_pid()",
  );
}

describe("notifications", () => {
  it("arrive in order with their payload, from the start", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications, received, wasListeningAtGap } = await startListening(t, url);
    assert.equal(notifications.isListening(), true);
    assert.deepEqual(wasListeningAtGap, [false], "the time before the start is a gap too");
    await client.query(
      "notify changes, 'one'; notify other, 'no'; notify changes; notify changes, 'three'",
    );
    await waitUntil("three arrived", () => received.length === 3);
    assert.deepEqual(received, ["one", "", "three"]);
  });

  it("resume after the connection was killed, and the gap is reported first", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications, received, wasListeningAtGap } = await startListening(t, url);
    await killListeners(client);
    await waitUntil("the loss is detected", () => !notifications.isListening());
    await waitUntil("it listens again", () => notifications.isListening());
    assert.deepEqual(wasListeningAtGap, [false, false]);
    await client.query("notify changes, 'received'");
    await waitUntil("one arrived", () => received.length > 0);
    assert.deepEqual(received, ["received"]);
    assert.equal(await countListeners(client), 1);
  });

  it("are not considered active while a pooler in between drops them", async (t) => {
    const { client, url } = await openClient(t);
    const proxy = await startDeafProxy(url);
    t.after(proxy.stop);
    const soon = { ...planDeadlines(2_000), heartbeatEveryMs: 50 };
    const listening = await startListening(t, proxy.url, "changes", soon);
    const { notifications, received, wasListeningAtGap } = listening;
    assert.equal(notifications.isListening(), true);
    proxy.isDeaf = true;
    await client.query("notify changes, 'lost'");
    await waitUntil("it is not considered active", () => !notifications.isListening());
    assert.match(listening.logText(), /pooler must use session mode/);
    proxy.isDeaf = false;
    await waitUntil("it is active again", () => notifications.isListening());
    assert.deepEqual(wasListeningAtGap, [false, false], "the gap was reported");
    await client.query("notify changes, 'received'");
    await waitUntil("a notification arrives", () => received.length > 0);
    assert.deepEqual(received, ["received"]);
  });

  it("do not block a start while the database is unavailable", async (t) => {
    const { client } = await openClient(t);
    const away = `postgres://vedette@localhost/none?host=${join(tmpdir(), "vedette-nowhere")}`;
    const { notifications, wasListeningAtGap } = await startListening(t, away);
    assert.equal(notifications.isListening(), false);
    assert.deepEqual(wasListeningAtGap, []);
    await notifications.stop();
    assert.equal(await countListeners(client), 0);
  });

  it("close their connection on stop", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications } = await startListening(t, url);
    assert.equal(await countListeners(client), 1);
    await notifications.stop();
    assert.equal(notifications.isListening(), false);
    await waitUntil("nobody listens", async () => (await countListeners(client)) === 0);
  });

  it("leave no connection behind if LISTEN fails", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications } = await startListening(t, url, "no channel");
    assert.equal(notifications.isListening(), false);
    await notifications.stop();
    await waitUntil("no session is connected", async () => (await countListeners(client)) === 0);
  });
});
