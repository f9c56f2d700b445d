/** Subscribers are notified of an update and of maintenance windows despite kills of the server. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import pg from "pg";
import {
  spawnVedette,
  type VedetteProcess,
  waitForAddress,
} from "../../../test/support/apps/vedette-process.ts";
import { createTestDatabase, openTestPool } from "../../../test/support/database/database.ts";
import { test } from "../../../test/support/long-run.ts";
import {
  type MailReceiver,
  startMailReceiver,
} from "../../../test/support/servers/mail-receiver.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

const key = "subscriber-crash-test-key-0123456789";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const subscriberCount = 2_000;
const perRequest = 100;
/** Maximum number of mails in flight when the server dies. */
const maxUnderWay = 4;

interface Fixture {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly mail: MailReceiver;
  readonly query: (text: string) => Promise<Record<string, unknown>[]>;
}

async function createFixture(t: TestContext): Promise<Fixture> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-subscriber-crash-"));
  const pool = openTestPool(database.url);
  t.after(async () => {
    await pool.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });
  const mail = await startMailReceiver(t);
  const query = async (text: string) => (await pool.query(text)).rows;
  return { dataDir, databaseUrl: database.url, mail, query };
}

interface Server {
  readonly vedette: VedetteProcess;
  readonly url: string;
}

async function startServer(t: TestContext, fixture: Fixture): Promise<Server> {
  const vedette = spawnVedette(t, ["server"], {
    DATABASE_URL: fixture.databaseUrl,
    DATA_DIR: fixture.dataDir,
    PORT: "0",
    LOG_LEVEL: "silent",
    RATE_LIMIT_PER_MINUTE: "0",
    BUILT_IN_PROBE: "false",
    BOOTSTRAP_API_KEY: key,
    SMTP_URL: fixture.mail.url,
  });
  return { vedette, url: await waitForAddress(vedette) };
}

async function kill({ vedette }: Server): Promise<void> {
  process.kill(vedette.pid, "SIGKILL");
  await vedette.exited;
}

/** The clock of a real process cannot be advanced, so claims of dead servers are ended by hand. */
async function endClaims({ query }: Fixture): Promise<void> {
  await query("update subscriber_deliveries set claimed_until = now() - interval '1 second'");
}

async function ask<Body>(url: string, body: unknown = null): Promise<Body> {
  const options = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { ...options, headers });
  const text = await answer.text();
  assert.ok(answer.ok, `${url}: ${answer.status} ${text}`);
  return JSON.parse(text) as Body;
}

const addressOf = (number: number) => `reader-${number}@example.com`;

/** A page whose subscribers were added by the API. */
async function createPage(
  { url }: Server,
  count: number,
): Promise<{ pageId: string; serviceId: string }> {
  const base = `${url}/v1/status-pages`;
  const { id: serviceId } = await ask<{ id: string }>(`${base}/services`, { name: "Checkout" });
  const { id: pageId } = await ask<{ id: string }>(base, {
    name: "Acme",
    url: "acme",
    cards: [{ name: "Shop", services: [{ id: serviceId }] }],
  });
  for (let first = 0; first < count; first += perRequest) {
    const length = Math.min(perRequest, count - first);
    const subscriptions = Array.from({ length }, (_none, index) => ({
      type: "EMAIL",
      config: addressOf(first + index),
    }));
    await ask(`${base}/${pageId}/subscriptions/bulk`, { subscriptions, autoVerify: true });
  }
  return { pageId, serviceId };
}

function waitForTheEnd({ query }: Fixture): Promise<void> {
  return waitUntil("nothing is left to be sent", async () => {
    const [left] = await query(
      `select count(*)::int as count from subscriber_deliveries where status <> 'SENT'
        union all select count(*)::int from announcements where not is_addressed order by 1 desc`,
    );
    return left?.count === 0;
  });
}

/** The Message-IDs that reached each mailbox. */
function gatherMessageIds({ mails }: MailReceiver): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { to, raw } of mails) {
    const [address = ""] = to;
    const id = /^Message-ID:\s*(\S+)/im.exec(raw)?.[1] ?? "";
    ids.set(address, [...(ids.get(address) ?? []), id]);
  }
  return ids;
}

test("kills lose no message, and a repeated message has the same Message-ID", {
  isLong: true,
}, async (t) => {
  const fixture = await createFixture(t);
  const { mails } = fixture.mail;
  let server = await startServer(t, fixture);
  const { pageId, serviceId } = await createPage(server, subscriberCount);
  const read = `/v1/status-pages/${pageId}`;
  await ask(`${server.url}/v1/status-pages/incidents`, {
    name: "Payments fail",
    severity: "MAJOR",
    services: [{ id: serviceId }],
    incidentUpdates: [{ description: "We are on it.", notifySubscribers: true }],
  });
  // The first dies while it creates the messages, or with the first of them in flight.
  await kill(server);
  await endClaims(fixture);
  server = await startServer(t, fixture);
  const { url } = server;
  await waitUntil("half of the messages are sent while the API responds", async () => {
    await ask(`${url}${read}`);
    return mails.length >= subscriberCount / 2;
  });
  await kill(server);
  const told = new Set(mails.flatMap(({ to }) => to)).size;
  assert.ok(told < subscriberCount, "the second dies half way");
  await endClaims(fixture);
  server = await startServer(t, fixture);
  await waitForTheEnd(fixture);
  const ids = gatherMessageIds(fixture.mail);
  const lost = Array.from({ length: subscriberCount }, (_none, index) => addressOf(index)).filter(
    (address) => !ids.has(address),
  );
  assert.deepEqual(lost, [], "everyone was notified");
  const strange = [...ids].filter(([, list]) => new Set(list).size !== 1);
  assert.deepEqual(strange, [], "and of a repeat a mailbox shows one");
  const repeats = mails.length - subscriberCount;
  assert.ok(repeats <= 2 * maxUnderWay, `${repeats} repeats`);
  t.diagnostic(`${repeats} repeats under their Message-ID`);
});

const windowCount = 40;
const listenerCount = 3;

/** Windows that start together, soon after they were planned. */
async function planWindows({ url }: Server, serviceId: string, startsAt: Date): Promise<void> {
  for (let number = 0; number < windowCount; number += 1) {
    await ask(`${url}/v1/maintenance-windows`, {
      name: `Window ${number}`,
      tags: [],
      startsAt,
      endsAt: new Date(startsAt.getTime() + 3_600_000),
      statusPageVisibility: { enabled: true, serviceIds: [serviceId], notifyOnStart: true },
    });
  }
}

test("kills before and during the announcements lose no window", {
  isLong: true,
}, async (t) => {
  const fixture = await createFixture(t);
  let server = await startServer(t, fixture);
  const { serviceId } = await createPage(server, listenerCount);
  // Announcements wait for this lock, with their transaction half-way.
  const gate = new pg.Client({ connectionString: fixture.databaseUrl });
  gate.on("error", () => {});
  await gate.connect();
  t.after(() => gate.end());
  await gate.query("begin; lock table announcements in share mode");
  await planWindows(server, serviceId, new Date());
  await waitUntil("an announcement is half way", async () => {
    const waiting = await fixture.query(
      `select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%into announcements%'`,
    );
    return waiting.length > 0;
  });
  await kill(server);
  await gate.query("commit");
  server = await startServer(t, fixture);
  await waitUntil("some windows are announced", async () => {
    return (await fixture.query("select 1 from announcements limit 1")).length > 0;
  });
  await kill(server);
  const halfWay = (await fixture.query("select 1 from announcements")).length;
  await endClaims(fixture);
  await startServer(t, fixture);
  await waitUntil("every window is announced", async () => {
    return (await fixture.query("select 1 from announcements")).length === windowCount;
  });
  await waitForTheEnd(fixture);
  const told = [...gatherMessageIds(fixture.mail).values()].map((ids) => new Set(ids).size);
  assert.deepEqual(told, Array.from({ length: listenerCount }).fill(windowCount));
  const repeats = fixture.mail.mails.length - listenerCount * windowCount;
  assert.ok(repeats >= 0 && repeats <= maxUnderWay, `${repeats} repeats`);
  t.diagnostic(`killed the second time with ${halfWay} of ${windowCount} windows announced`);
});
