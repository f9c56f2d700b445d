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

/** A busy machine may take a while to connect; an answer that does not come is soon given up. */
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

describe("a database connection that falls silent", () => {
  it("fails the query that waits on it, and is used by no other", async (t) => {
    const { db, pool, proxy } = await openThroughProxy(t);
    await onOneConnection(db, async (silent) => {
      await runSql(silent, "select 1");
      proxy.forgetConnections();
      await assert.rejects(runSql(silent, "select 1"), /Query read timeout/);
    });
    assert.deepEqual(await runSql(db, "select 2 as two"), [{ two: 2 }]);
    assert.equal(pool.totalCount, 1, "only the new connection is left");
  });

  it("ends the transaction that is on it, whoever opened it", async (t) => {
    const { db, proxy } = await openThroughProxy(t);
    const transaction = inTransaction(db, async (inside) => {
      await runSql(inside, "select 1");
      proxy.forgetConnections();
      await runSql(inside, "select 2");
    });
    await assert.rejects(transaction, /Query read timeout/);
    assert.deepEqual(await runSql(db, "select 2 as two"), [{ two: 2 }]);
  });

  it("does not keep the pool from closing", async (t) => {
    const { pool, proxy, close } = await openThroughProxy(t);
    await pool.query("select 1");
    proxy.fallSilent();
    await close();
    assert.equal(pool.totalCount, 0);
  });

  it("is not believed to listen, and another one takes its place", async (t) => {
    const { pool, proxy, log } = await openThroughProxy(t);
    const heard: string[] = [];
    let gaps = 0;
    const notifications = await listenForNotifications({
      connection: { connectionString: proxy.url },
      channels: {
        news: {
          onNotification: (payload) => heard.push(payload),
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
    await waitUntil("it is doubted", () => !notifications.isListening());
    proxy.speakAgain();
    await waitUntil("it listens again", () => notifications.isListening());
    assert.ok(gaps >= 2, "and the gap was told");
    await pool.query("notify news, 'heard'");
    await waitUntil("news arrives", () => heard.length > 0);
  });
});

/** The server and its backends: each of them would go on without the others. */
function signalPostgres(pid: number, signal: "SIGSTOP" | "SIGCONT"): void {
  process.kill(pid, signal);
  const children = findProcesses("postgres: ").filter(({ pid: child }) => parentOf(child) === pid);
  for (const child of children) {
    try {
      process.kill(child.pid, signal);
    } catch (error) {
      // A backend whose client has gone may end as soon as the server goes on.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Null for a process that has ended meanwhile: those of other tests come and go. */
function parentOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

it("a paused PostgreSQL fails queries in time, and works again when it goes on", async (t) => {
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
  await waitUntil("it answers again", () =>
    runSql(db, "select 1").then(
      () => true,
      () => false,
    ),
  );
});
