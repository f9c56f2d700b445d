/**
 * Public pages while the database is unavailable: the last rendering, marked as stale, or an error.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { createIncident, createPage } from "../../../test/support/modules/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

interface Scene {
  readonly app: TestApp;
  readonly look: (path: string) => ReturnType<TestApp["call"]>;
  readonly takeAway: () => Promise<void>;
  readonly giveBack: () => Promise<void>;
}

async function createScene(t: TestContext): Promise<Scene> {
  const app = await startTestApp({ BUILT_IN_PROBE: "false" });
  const keeper = new pg.Client({ connectionString: app.databaseUrl });
  keeper.on("error", () => {});
  await keeper.connect();
  const { database } = keeper;
  const giveBack = async () => {
    await keeper.query(`alter database ${database} connection limit -1`);
  };
  t.after(async () => {
    await giveBack();
    await keeper.end();
    await app.stop();
  });
  return {
    app,
    look: (path) => app.call("GET", path, { key: null, headers: { accept: "text/html" } }),
    takeAway: async () => {
      await keeper.query(`alter database ${database} connection limit 0`);
      await keeper.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      );
    },
    giveBack,
  };
}

const words = "The current\nstate is temporarily unavailable";

test("a public page is served stale, with its time, until the database is back", async (t) => {
  const { app, look, takeAway, giveBack } = await createScene(t);
  const { serviceIds, path } = await createPage(app);
  await createIncident(app, { serviceIds, name: "Checkout fails" });
  await waitUntil("the incident is on the page", async () =>
    (await look(path)).text.includes("Checkout fails"),
  );
  const theme = `${path}/theme.css`;
  const colours = (await look(theme)).text;
  await waitUntil("the loss is detected", async () => {
    // Repeated, because a late change notification may have dropped the page from the cache, and a
    // connection attempt may have succeeded.
    await giveBack();
    await look(path);
    await takeAway();
    return (await look(path)).text.includes(words);
  });
  app.clock.advance(60_000);
  const stale = await look(path);
  assert.equal(stale.status, 200);
  assert.equal(stale.headers.get("cache-control"), "no-store");
  assert.equal(stale.headers.get("etag"), null);
  assert.match(stale.text, /As of <time datetime="2026-11-15T12:00:00.000Z">/);
  assert.match(stale.text, /<main [^>]*data-version="stale">/);
  assert.ok(stale.text.includes("Checkout fails"));
  assert.equal((await look(theme)).text, colours);
  // Programs receive an error, because current data is unavailable.
  assert.equal((await look(`${path}/summary.json`)).status, 503);
  assert.equal((await look(`${path}/badge.svg`)).status, 503);
  // A page that was never requested is not cached.
  assert.equal((await look(`${path}/history`)).status, 503);
  app.clock.advance(3_600_000);
  assert.equal((await look(path)).status, 503, "stale pages are served for at most an hour");
  await giveBack();
  await waitUntil("the page is fresh again", async () => (await look(path)).status === 200);
  assert.equal((await look(path)).text.includes(words), false);
});

test("a private page is never served stale", async (t) => {
  const { app, look, takeAway } = await createScene(t);
  const { id, path } = await createPage(app, { more: { isPrivate: true } });
  const { rawKey } = (await app.call("POST", `/v1/status-pages/${id}/keys`)).body;
  const open = `${path}?key=${rawKey}`;
  assert.equal((await look(open)).status, 200);
  await waitUntil("the loss is detected", async () => {
    await takeAway();
    return (await look(open)).status === 503;
  });
  assert.equal((await look(open)).text.includes("Acme"), false);
});
