import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { createFolder, startPostgres } from "../../test/support/database/embedded-postgres.ts";
import { findProcesses } from "../../test/support/programs/processes.ts";
import { startSilentProxy } from "../../test/support/servers/silent-proxy.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { inTransaction, onOneConnection, runSql } from "./database.ts";
import { type DatabaseConnection, openDatabase, planDeadlines } from "./database-pool.ts";
import { listenForNotifications } from "./notifications.ts";

/** Connecting may take a while on a busy machine, but a missing response is detected soon. */
const deadlines = { ...planDeadlines(1_000), connectMs: 3_000 };

async function openThroughProxy(t: TestContext) {
  const database = await createTestDatabase({ isEmpty: true });
  const proxy = await startSilentProxy(database.url);
  const { log } = captureLog();
  const opened = openDatabase({ connectionString: proxy.url }, log, deadlines);
  t.after(async () => {
    await opened.close();
    await proxy.stop();
    await database.drop();
  });
  return { ...opened, proxy, log };
}

describe("a database connection that stops responding", () => {
  it("fails the waiting query, and is not used again", async (t) => {
    const { db, pool, proxy } = await openThroughProxy(t);
    await onOneConnection(db, async (silent) => {
      await runSql(silent, "select 1");
      proxy.forgetConnections();
      await assert.rejects(runSql(silent, "select 1"), /Query read timeout/);
    });
    assert.deepEqual(await runSql(db, "select 2 as two"), [{ two: 2 }]);
    assert.equal(pool.totalCount, 1, "only the new connection remains");
  });

  it("ends its transaction", async (t) => {
    const { db, proxy } = await openThroughProxy(t);
    const transaction = inTransaction(db, async (inside) => {
      await runSql(inside, "select 1");
      proxy.forgetConnections();
      await runSql(inside, "select 2");
    });
    await assert.rejects(transaction, /Query read timeout/);
    assert.deepEqual(await runSql(db, "select 2 as two"), [{ two: 2 }]);
  });

  it("does not block the pool from closing", async (t) => {
    const { pool, proxy, close } = await openThroughProxy(t);
    await pool.query("select 1");
    proxy.fallSilent();
    await close();
    assert.equal(pool.totalCount, 0);
  });

  it("does not count as listening, and is replaced", async (t) => {
    const { pool, proxy, log } = await openThroughProxy(t);
    const received: string[] = [];
    let gaps = 0;
    const notifications = await listenForNotifications({
      connection: { connectionString: proxy.url },
      channels: {
        changes: {
          onNotification: (payload) => received.push(payload),
          onGap: () => {
            gaps += 1;
          },
        },
      },
      log,
      deadlines,
    });
    t.after(notifications.stop);
    assert.equal(notifications.isListening(), true);
    proxy.fallSilent();
    await waitUntil("it no longer counts as listening", () => !notifications.isListening());
    proxy.speakAgain();
    await waitUntil("it listens again", () => notifications.isListening());
    assert.ok(gaps >= 2, "the gap was reported");
    await pool.query("notify changes, 'received'");
    await waitUntil("a notification arrives", () => received.length > 0);
  });
});

/** Signals the server and its backends, which do not stop with the server. */
function signalPostgres(pid: number, signal: "SIGSTOP" | "SIGCONT"): void {
  process.kill(pid, signal);
  const children = findProcesses("postgres: ").filter(({ pid: child }) => parentOf(child) === pid);
  for (const child of children) {
    try {
      process.kill(child.pid, signal);
    } catch (error) {
      // A backend without a client may exit as soon as the server continues.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Returns `null` for a process that has ended; other tests start and stop processes. */
function parentOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

it("a paused PostgreSQL fails queries in time, and works again when it continues", async (t) => {
  const folder = await createFolder(t);
  const postgres = await startPostgres(t, folder);
  const connection: DatabaseConnection = postgres.connection;
  const { db, close } = openDatabase(connection, captureLog().log, deadlines);
  t.after(close);
  await runSql(db, "select 1");
  signalPostgres(postgres.pid(), "SIGSTOP");
  try {
    await assert.rejects(runSql(db, "select 1"), /Query read timeout/);
    await assert.rejects(runSql(db, "select 1"), /connection timeout/);
  } finally {
    signalPostgres(postgres.pid(), "SIGCONT");
  }
  await waitUntil("it responds again", () =>
    runSql(db, "select 1").then(
      () => true,
      () => false,
    ),
  );
});
