/** The whole product on a database that stops responding, or rejects writes, and recovers. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import pg from "pg";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { createTestDatabase, type TestDatabase } from "./support/database/database.ts";
import { type SilentProxy, startSilentProxy } from "./support/servers/silent-proxy.ts";
import { waitUntil } from "./support/time/wait-until.ts";

let database: TestDatabase;
let proxy: SilentProxy;
let app: TestApp;
let direct: pg.Client;

before(async () => {
  database = await createTestDatabase();
  direct = new pg.Client(database.url);
  await direct.connect();
  proxy = await startSilentProxy(database.url);
  app = await startTestApp({
    DATABASE_URL: proxy.url,
    DATABASE_TIMEOUT_MS: "4000",
    BUILT_IN_PROBE: "false",
  });
});
after(async () => {
  await app.stop();
  await proxy.stop();
  await direct.end();
  await database.drop();
});

const askReady = () => app.call("GET", "/readyz", { key: null });
const isReady = async () => (await askReady()).status === 200;
const askWho = (key: string) => app.call("GET", "/v1/accounts/me", { key });

it("a revoked key is rejected even if the notification never arrived", async () => {
  await waitUntil("it has started", isReady);
  const { body } = await app.call("POST", "/v1/api-keys", { body: { name: "short-lived" } });
  assert.equal((await askWho(body.rawKey)).status, 200);
  proxy.forgetConnections();
  await direct.query("delete from api_keys where id = $1", [body.id]);
  await waitUntil("the key is rejected", async () => (await askWho(body.rawKey)).status === 401);
  await waitUntil("everything continues on new connections", isReady);
});

it("/readyz responds while the database does not, and is ready when it recovers", async () => {
  proxy.fallSilent();
  await waitUntil("the outage is reported", async () => !(await isReady()));
  const { status, body } = await askReady();
  assert.equal(status, 503);
  assert.match(body.message, /the database does not respond/);
  assert.equal((await app.call("GET", "/v1/checks")).status, 503, "a request ends as well");
  proxy.speakAgain();
  await waitUntil("it is ready again", isReady);
  assert.equal((await app.call("GET", "/v1/checks")).status, 200);
});

/** Only new connections are read-only, so existing ones are closed. */
async function setReadOnly(value: "on" | "off"): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await direct.query(`set default_transaction_read_only = off`);
  await direct.query(`alter database ${name} set default_transaction_read_only = ${value}`);
  await direct.query(
    "select pg_terminate_backend(pid) from pg_stat_activity " +
      "where datname = current_database() and pid <> pg_backend_pid()",
  );
}

it("/readyz reports that the database is read-only", async () => {
  await setReadOnly("on");
  await waitUntil("it shows", async () =>
    /the database is read-only/.test((await askReady()).body.message ?? ""),
  );
  await setReadOnly("off");
  await waitUntil("it is ready again", isReady);
});
