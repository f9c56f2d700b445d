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
  channel = "news",
  deadlines = defaultDeadlines,
) {
  const { log, text } = captureLog();
  const heard: string[] = [];
  const wasListeningAtGap: boolean[] = [];
  let notifications: Notifications | null = null;
  notifications = await listenForNotifications({
    connection: { connectionString },
    channels: {
      [channel]: {
        onNotification: (payload) => heard.push(payload),
        onGap: () => wasListeningAtGap.push(notifications?.isListening() ?? false),
      },
    },
    log,
    deadlines,
  });
  t.after(notifications.stop);
  return { notifications, heard, wasListeningAtGap, logText: text };
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
  it("arrive, with what they say and in order, from the first moment on", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications, heard, wasListeningAtGap } = await startListening(t, url);
    assert.equal(notifications.isListening(), true);
    assert.deepEqual(wasListeningAtGap, [false], "what came before the start is a gap too");
    await client.query("notify news, 'one'; notify other, 'no'; notify news; notify news, 'three'");
    await waitUntil("three arrived", () => heard.length === 3);
    assert.deepEqual(heard, ["one", "", "three"]);
  });

  it("come again after the connection was killed, and the gap is told first", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications, heard, wasListeningAtGap } = await startListening(t, url);
    await killListeners(client);
    await waitUntil("the loss is seen", () => !notifications.isListening());
    await waitUntil("it listens again", () => notifications.isListening());
    assert.deepEqual(wasListeningAtGap, [false, false]);
    await client.query("notify news, 'heard'");
    await waitUntil("one arrived", () => heard.length > 0);
    assert.deepEqual(heard, ["heard"]);
    assert.equal(await countListeners(client), 1);
  });

  it("are not believed to arrive while something in between passes none on", async (t) => {
    const { client, url } = await openClient(t);
    const proxy = await startDeafProxy(url);
    t.after(proxy.stop);
    const soon = { ...planDeadlines(2_000), heartbeatEveryMs: 50 };
    const listening = await startListening(t, proxy.url, "news", soon);
    const { notifications, heard, wasListeningAtGap } = listening;
    assert.equal(notifications.isListening(), true);
    proxy.isDeaf = true;
    await client.query("notify news, 'lost'");
    await waitUntil("it is not believed", () => !notifications.isListening());
    assert.match(listening.logText(), /pooler between must work in session mode/);
    proxy.isDeaf = false;
    await waitUntil("it is believed again", () => notifications.isListening());
    assert.deepEqual(wasListeningAtGap, [false, false], "and the gap was told");
    await client.query("notify news, 'heard'");
    await waitUntil("news arrives", () => heard.length > 0);
    assert.deepEqual(heard, ["heard"]);
  });

  it("do not hinder a start while the database is away", async (t) => {
    const { client } = await openClient(t);
    const away = `postgres://vedette@localhost/none?host=${join(tmpdir(), "vedette-nowhere")}`;
    const { notifications, wasListeningAtGap } = await startListening(t, away);
    assert.equal(notifications.isListening(), false);
    assert.deepEqual(wasListeningAtGap, []);
    await notifications.stop();
    assert.equal(await countListeners(client), 0);
  });

  it("end with their connection when they are stopped", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications } = await startListening(t, url);
    assert.equal(await countListeners(client), 1);
    await notifications.stop();
    assert.equal(notifications.isListening(), false);
    await waitUntil("nobody listens", async () => (await countListeners(client)) === 0);
  });

  it("leave no connection behind when listening is refused", async (t) => {
    const { client, url } = await openClient(t);
    const { notifications } = await startListening(t, url, "no channel");
    assert.equal(notifications.isListening(), false);
    await notifications.stop();
    await waitUntil("nobody is connected", async () => (await countListeners(client)) === 0);
  });
});
