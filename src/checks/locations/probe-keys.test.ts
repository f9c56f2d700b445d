import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { TestClock } from "../../../test/support/time/clock.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { type Database, inTransaction, runSql } from "../../platform/database.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { listenForNotifications } from "../../platform/notifications.ts";
import { registerProbe } from "./actions.ts";
import {
  deletePrivateLocation,
  insertPrivateLocation,
  listPrivateRoutes,
} from "./private-locations/private-location-store.ts";
import { ProbeDirectory } from "./probe-directory.ts";
import {
  createKeyText,
  deleteProbeKey,
  findProbeKey,
  insertProbeKey,
  type KeyPlace,
  listRegionKeys,
  noteKeyUse,
} from "./probe-key-store.ts";
import { deleteProbe, listProbesSeenSince, type SeenProbe, saveProbe } from "./store.ts";

const at = new Date("2026-11-15T12:00:00Z");
let db: Database;
let accountId: string;
const heard: Record<string, string[]> = { probe_keys_changed: [], places_changed: [] };
const ends: (() => Promise<unknown>)[] = [];

before(async () => {
  const database = await createTestDatabase();
  const { log } = captureLog();
  const connection = { connectionString: database.url };
  const opened = openDatabase(connection, log);
  const channels = Object.fromEntries(
    Object.entries(heard).map(([channel, list]) => [
      channel,
      { onNotification: (said: string) => list.push(said), onGap: () => {} },
    ]),
  );
  const line = await listenForNotifications({ connection, channels, log });
  ends.push(line.stop, opened.close, database.drop);
  db = opened.db;
  accountId = randomUUID();
  await runSql(db, "insert into accounts (id, name, created_at) values ($1, 'Ours', $2)", [
    accountId,
    at,
  ]);
});
after(async () => {
  for (const end of ends) await end();
});

async function addLocation(slugName: string): Promise<string> {
  const id = randomUUID();
  const common = {
    name: `The ${slugName}`,
    icon: null,
    createdAt: at,
    updatedAt: null,
    servedAt: null,
  };
  await insertPrivateLocation(db, accountId, { id, slugName, ...common });
  return id;
}

async function addKey(place: KeyPlace): Promise<{ id: string; text: string }> {
  const key = { id: randomUUID(), text: createKeyText(place), createdAt: at };
  await insertProbeKey(db, place, key);
  return key;
}

test("a key admits a probe to its own location only", async () => {
  const office = await addLocation("office");
  const own = await addKey({ privateLocationId: office });
  const shared = await addKey({ region: "eu-west-1" });
  assert.match(own.text, /^pl_[0-9a-f]{32}$/);
  assert.match(shared.text, /^vp_[0-9a-f]{32}$/);
  assert.deepEqual(await findProbeKey(db, own.text), {
    keyId: own.id,
    route: office,
    location: "office",
    accountId,
  });
  assert.deepEqual(await findProbeKey(db, shared.text), {
    keyId: shared.id,
    route: "eu-west-1",
    location: "eu-west-1",
    accountId: null,
  });
  for (const wrong of ["", "pl_", own.text.toUpperCase(), `pl_${"0".repeat(32)}`, `${own.text} `]) {
    assert.equal(await findProbeKey(db, wrong), null, wrong);
  }
  assert.deepEqual(
    (await listRegionKeys(db)).map(({ region, id }) => [region, id]),
    [["eu-west-1", shared.id]],
  );
});

test("the key itself is not in the database", async () => {
  const { id, text } = await addKey({ region: "eu-west-2" });
  const [row] = await runSql(db, "select probe_keys::text as row from probe_keys where id = $1", [
    id,
  ]);
  assert.equal(String(row?.row).includes(text.slice(3)), false);
});

test("a deleted key, or the key of a deleted location, is announced and admits no probe", async () => {
  const cellar = await addLocation("cellar");
  const one = await addKey({ privateLocationId: cellar });
  const other = await addKey({ privateLocationId: cellar });
  assert.equal(await deleteProbeKey(db, { region: "eu-west-1" }, one.id), null, "not its place");
  assert.equal((await deleteProbeKey(db, { privateLocationId: cellar }, one.id))?.id, one.id);
  assert.equal(await findProbeKey(db, one.text), null);
  await deletePrivateLocation(db, accountId, cellar);
  assert.equal(await findProbeKey(db, other.text), null);
  const count = (id: string) => heard.probe_keys_changed?.filter((said) => said === id).length;
  await waitUntil("both are announced", () => count(one.id) === 2 && count(other.id) === 2);
});

test("using a key sends no notification", async () => {
  const key = await addKey({ region: "eu-west-3" });
  await noteKeyUse(db, key.id, at);
  const last = await addKey({ region: "eu-west-3" });
  await waitUntil("the later change is received", () =>
    Boolean(heard.probe_keys_changed?.includes(last.id)),
  );
  assert.equal(heard.probe_keys_changed?.filter((said) => said === key.id).length, 1);
  const [used] = (await listRegionKeys(db)).filter(({ id }) => id === key.id);
  assert.deepEqual(used?.lastUsedAt, at);
});

const hello: SeenProbe = {
  id: "rack-7",
  location: "eu-west-1",
  isBuiltIn: false,
  version: "1",
  ipv4Sources: [],
  ipv6Sources: [],
  isSuspect: false,
  limitations: [],
  route: "eu-west-1",
  keyId: null,
  transport: "websocket",
  serverId: "server",
  clockSkewMs: 12,
  spoolDepth: 0,
  startedAt: at,
  lastSeenAt: at,
};

test("a probe cannot take over the name of a probe of another route", async () => {
  assert.equal(await saveProbe(db, hello), "new");
  assert.equal(await saveProbe(db, { ...hello, version: "2" }), "known");
  assert.equal(await saveProbe(db, { ...hello, route: "us-east-1", version: "3" }), "name-taken");
  const [probe] = await listProbesSeenSince(db, at);
  assert.deepEqual([probe?.version, probe?.route], ["2", "eu-west-1"]);
});

test("a location stores at most 100 probes", async () => {
  const clock = new TestClock(at.toISOString());
  const route = randomUUID();
  const greet = (name: string) => registerProbe({ db, clock }, { ...hello, id: name, route });
  const count = async () =>
    (
      await runSql<{ id: string }>(db, "select id from probes where route = $1 order by id", [
        route,
      ])
    ).length;
  const names = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `name-${from + index}`);
  for (const name of names(0, 100)) assert.equal(await greet(name), null);
  await runSql(db, "update probes set quarantined_at = now() where id = 'name-0'");
  assert.equal((await greet("one-more"))?.reason, "many-probes", "all of them are alive");
  assert.equal(await count(), 100);
  clock.advance(60_000);
  for (const name of names(200, 260)) assert.equal(await greet(name), null);
  assert.equal(await count(), 100, "silent ones made room");
  const kept = await runSql(db, "select from probes where id = 'name-0'");
  assert.equal(kept.length, 1, "a quarantine is not forgotten by flooding");
  assert.equal(await greet("name-200"), null, "one that is known may always return");
  await runSql(db, "delete from probes where route = $1", [route]);
});

test("a probe remains in quarantine after it reconnects", async () => {
  await runSql(db, "update probes set quarantined_at = $1 where id = $2", [at, hello.id]);
  await deleteProbe(db, hello.id);
  await saveProbe(db, { ...hello, version: "4" });
  const [probe] = await listProbesSeenSince(db, at);
  assert.deepEqual([probe?.version, probe?.quarantinedAt], ["4", at]);
  await runSql(db, "update probes set quarantined_at = null");
  await deleteProbe(db, hello.id);
  assert.deepEqual(await listProbesSeenSince(db, at), []);
});

test("changes of routing are announced; a heartbeat without changes is not", async () => {
  const places = heard.places_changed ?? [];
  const lab = await addLocation("lab");
  await saveProbe(db, hello);
  const change = (sql: string) => runSql(db, sql);
  await change("notify places_changed, 'so far'");
  await waitUntil("all of it is heard", () => places.includes("so far"));
  places.length = 0;
  await saveProbe(db, { ...hello, version: "5" });
  await change("update probes set quarantined_at = now()");
  await change("update private_locations set slug_name = 'lab-2' where slug_name = 'lab'");
  await change("update private_locations set icon = 'x'");
  await change("notify places_changed, 'the end'");
  await waitUntil("all of it is heard", () => places.includes("the end"));
  assert.deepEqual(places, ["", "", "the end"], "the quarantine and the rename");
  assert.ok((await listPrivateRoutes(db)).some(({ id }) => id === lab));
});

test("a probe that registers while the directory is read is known afterwards", async () => {
  const options = { hasBuiltInProbe: false, serverId: "this one", isBusShared: false };
  const directory = new ProbeDirectory({ db, clock: new TestClock(at.toISOString()), ...options });
  const sayHello = (location: string, route: string, keyId: string) =>
    directory.noteHello({ id: randomUUID(), route, keyId }, { accountId, location });
  const known = await addLocation("known");
  sayHello("known", known, (await addKey({ privateLocationId: known })).id);
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const isReading = async () => (await runSql(db, waiting)).length > 0;
  const late = randomUUID();
  let read: Promise<void> | undefined;
  await inTransaction(db, async (holder) => {
    await runSql(holder, "lock table probe_keys in access exclusive mode");
    read = directory.refresh();
    await waitUntil("the keys are being read", isReading);
    sayHello("late", late, randomUUID());
  });
  await read;
  const findRoute = (location: string) =>
    directory.routeOf({ accountId, location, isPrivate: true }).route;
  assert.deepEqual([findRoute("known"), findRoute("late")], [known, late]);
});

test("while the database stores no heartbeats, no probe expires", async () => {
  const clock = new TestClock(at.toISOString());
  const options = { hasBuiltInProbe: false, serverId: "this one", isBusShared: true };
  const directory = new ProbeDirectory({ db, clock, ...options });
  const route = await addLocation("full-disk");
  const saved = { ...hello, id: randomUUID(), route, location: "full-disk" };
  await saveProbe(db, { ...saved, lastSeenAt: clock.now() });
  const own = { id: randomUUID(), route: await addLocation("own"), keyId: null };
  const sayHello = () => directory.noteHello(own, { accountId, location: "own" });
  const findRoutes = async (seconds: number) => {
    clock.advance(seconds * 1_000);
    await directory.refresh();
    return ["full-disk", "own"].map(
      (location) => directory.routeOf({ accountId, location, isPrivate: true }).route,
    );
  };
  sayHello();
  assert.deepEqual(await findRoutes(9), [route, own.route], "another hello follows every 10 s");
  directory.noteStored(false);
  assert.deepEqual(await findRoutes(600), [route, own.route]);
  directory.noteStored(true);
  sayHello();
  assert.deepEqual(await findRoutes(1), [null, own.route]);
  directory.noteStored(false);
  assert.deepEqual(await findRoutes(3_600 + 36), [null, null], "not for ever");
});

test("a location is remote for three minutes after the last heartbeat of all its probes", () => {
  const clock = new TestClock(at.toISOString());
  const options = { hasBuiltInProbe: true, serverId: "this one", isBusShared: false };
  const directory = new ProbeDirectory({ db, clock, ...options });
  const sayHello = (id: string) => directory.noteHello({ id, route: "eu-west-1", keyId: null });
  const isRemote = () =>
    directory.isRemote({ accountId: null, location: "eu-west-1", isPrivate: false });
  sayHello("first");
  clock.advance(30_000);
  sayHello("second");
  directory.noteDisconnect("second");
  clock.advance(180_000);
  assert.equal(isRemote(), true);
  clock.advance(1);
  assert.equal(isRemote(), false);
});
