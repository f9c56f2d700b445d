/** Tests the overview with real runs of real checks. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { findFreePort } from "../../../test/support/servers/free-port.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let stranger: Stranger;
let target: Server;
const receiver = createHttpServer((request, response) => {
  request.resume();
  response.end("taken");
});
/** Connections to this port are refused until the test listens on it. */
let port: number;

before(async () => {
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
  stranger = await addStranger(app);
  receiver.listen(0, "127.0.0.1");
  target = createServer((socket) => socket.on("error", () => {}).end("hello\r\n"));
  await once(receiver, "listening");
  port = await findFreePort();
});
after(async () => {
  await app.stop();
  receiver.close();
  target.close();
});

const read = async (path = "", options: { readonly key?: string } = {}) => {
  const { status, body, text } = await app.call("GET", `/v1/overview${path}`, options);
  assert.equal(status, 200, text);
  return body;
};

async function run(checkId: string): Promise<void> {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered, text } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered?.sessions?.[0]?.checkSessionId;
  assert.ok(id, text);
  const done = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  assert.equal(done.status, 200, done.text);
}

test("a failing check is listed with its reason, messages and acknowledgement", async () => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const channel = await app.call("POST", "/v1/alert-channels", {
    body: { type: "WEBHOOK", config: { name: "pager", url, method: "POST" } },
  });
  assert.equal(channel.status, 201, channel.text);
  const made = await app.call("POST", "/v1/checks/tcp", {
    body: {
      name: "db-1.fra",
      frequency: 1440,
      tags: ["prod"],
      request: { hostname: "127.0.0.1", port },
      retryStrategy: null,
      alertChannelSubscriptions: [{ alertChannelId: channel.body.id, activated: true }],
    },
  });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  assert.deepEqual((await read()).checks, []);
  await run(id);
  await waitUntil("the pager received the alert", async () => {
    const [check] = (await read()).checks;
    return check?.alert?.told[0]?.status === "SENT";
  });
  const { counts, checks } = await read();
  assert.deepEqual(counts, { failing: 1, degraded: 0, unknown: 0, passing: 0, inactive: 0 });
  const [check] = checks;
  assert.deepEqual(
    [check.checkId, check.name, check.checkType, check.status, check.tags, check.muted],
    [id, "db-1.fra", "TCP", "failing", ["prod"], false],
  );
  assert.match(check.target, new RegExp(`127\\.0\\.0\\.1.*${port}`));
  assert.match(check.explanation, /refused/i);
  assert.deepEqual(
    check.locations.map(({ verdict }: { verdict: string }) => verdict),
    ["failing"],
  );
  assert.equal(check.lastHour.length, 12);
  assert.equal(check.lastHour.at(-1), "failing");
  assert.equal(check.alert.acknowledgedAt, null);
  assert.equal(check.alert.told[0].type, "WEBHOOK");
  assert.ok(check.alert.told[0].sentAt);

  await app.call("POST", `/v1/check-alerts/${id}/acknowledge`);
  const [acknowledged] = (await read()).checks;
  assert.ok(acknowledged.alert.acknowledgedAt);
  assert.match(acknowledged.alert.acknowledgedBy, /\S/);

  assert.deepEqual((await read("", { key: stranger.key })).checks, []);
  target.listen(port, "127.0.0.1");
  await once(target, "listening");
  await run(id);
  const after = await read();
  assert.deepEqual(after.checks, []);
  assert.equal(after.counts.passing, 1);
});

test("activity is one list, newest first, with edits only for audit log readers", async () => {
  const startsAt = new Date(app.clock.now().getTime() - 60_000).toISOString();
  const endsAt = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
  const window = await app.call("POST", "/v1/maintenance-windows", {
    body: { name: "Weekly reboot", tags: ["none"], startsAt, endsAt },
  });
  assert.equal(window.status, 201, window.text);
  const dashboard = await app.call("POST", "/v1/dashboards", { body: { header: "Wall" } });
  assert.equal(dashboard.status, 201, dashboard.text);
  const { maintenance } = await read();
  assert.deepEqual(
    maintenance.map(({ name }: { name: string }) => name),
    ["Weekly reboot"],
  );
  interface Entry {
    readonly type: string;
    readonly what: string;
    readonly name: string | null;
    readonly at: string;
    readonly before: string | null;
  }
  const list: Entry[] = await read("/activity");
  const times = list.map(({ at }) => Date.parse(at));
  assert.deepEqual(
    times,
    times.toSorted((one, other) => other - one),
  );
  const has = (type: string, what: string, name: string) =>
    list.some((one) => one.type === type && one.what === what && one.name === name);
  assert.ok(has("state", "failing", "db-1.fra"));
  assert.ok(has("state", "passing", "db-1.fra"));
  assert.ok(has("maintenance", "started", "Weekly reboot"));
  assert.ok(has("edit", "check.created", "db-1.fra"));
  assert.ok(has("edit", "maintenance-window.created", "Weekly reboot"));
  assert.ok(has("edit", "dashboard.created", "Wall"));
  const { key } = await createKey(app, "READ_ONLY");
  const seen: Entry[] = await read("/activity", { key });
  assert.deepEqual([...new Set(seen.map(({ type }) => type))].sort(), ["maintenance", "state"]);
  const theirs: Entry[] = await read("/activity", { key: stranger.key });
  assert.ok(theirs.every(({ type, name }) => type === "edit" && name !== "db-1.fra"));
  assert.equal((await read("/activity?limit=1")).length, 1);
  const future = new Date(app.clock.now().getTime() + 60_000).toISOString();
  assert.deepEqual(await read(`/activity?from=${future}`), []);
});

test("an account without figures has no trends except expiring certificates", async () => {
  const empty = await read("/trends");
  assert.deepEqual(empty.trends, []);
  const { rows } = await app.query("select id from checks where account_id = $1", [
    app.owner.accountId,
  ]);
  const now = app.clock.now();
  const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000 + 1);
  const insert = `insert into check_certificates (check_id, fingerprint, account_id, host, issuer,
      expires_at, result_id, location, seen_at, look_at)
    values ($1, $2, $3, $4, 'us', $5, $1, 'home', $6, $6)`;
  const { accountId } = app.owner;
  const earlier = new Date(now.getTime() - 1_000);
  await app.query(insert, [rows[0].id, "old", accountId, "shop", inDays(2), earlier]);
  await app.query(insert, [rows[0].id, "renewed", accountId, "shop", inDays(80), now]);
  await app.query(insert, [rows[0].id, "soon", accountId, "mail", inDays(12), now]);
  const { trends } = await read("/trends");
  assert.deepEqual(
    trends.map(({ type, host, recent, unit }: Record<string, unknown>) => [
      type,
      host,
      recent,
      unit,
    ]),
    [["certificate", "mail", 12, "days"]],
  );
  assert.deepEqual((await read("/trends", { key: stranger.key })).trends, []);
});

test("an overload of any server is reported with advice until it ends", async () => {
  assert.equal((await read()).overload, null);
  const insert = `insert into servers (id, instance, place, name, version, started_at, seen_at,
      is_scheduling, skipped_share)
    values ('busy', gen_random_uuid(), 'there', 'busy', '1', now(), clock_timestamp(), true, 0.338)`;
  await app.query(insert);
  const { overload } = await read();
  assert.equal(overload.skippedPercent, 34);
  assert.equal(overload.message, "overloaded: 34 % of runs are skipped");
  assert.match(overload.advice, /more CPU/);
  await app.query("delete from servers where id = 'busy'");
  assert.equal((await read()).overload, null);
});

test("invalid limits are rejected", async () => {
  const moments = ["/activity?from=yesterday", "/activity?from=2016-12-31T23:59:60Z"];
  for (const path of ["?limit=0", "?limit=51", "/activity?limit=201", ...moments]) {
    assert.equal((await app.call("GET", `/v1/overview${path}`)).status, 400, path);
  }
  assert.equal((await app.call("GET", "/v1/overview", { key: null })).status, 401);
});

test("a heartbeat has no location in the overview and in its messages", async () => {
  const body = {
    name: "Nightly backup",
    heartbeat: { period: 1, periodUnit: "days", grace: 5, graceUnit: "minutes" },
  };
  const { body: made, text } = await app.call("POST", "/v1/checks/heartbeat", { body });
  assert.ok(made.id, text);
  const path = `/ping/${made.heartbeat.pingToken}/fail`;
  assert.equal((await app.call("GET", path, { key: null })).status, 200);
  await waitUntil("the alert is listed", async () => {
    const found = (await read()).checks.find((one: { checkId: string }) => one.checkId === made.id);
    if (!found?.alert) return false;
    assert.deepEqual(found.locations, []);
    return true;
  });
  const { rows } = await app.query(
    "select message ->> 'location' as location from deliveries where check_id = $1",
    [made.id],
  );
  assert.deepEqual(rows, [{ location: null }]);
});

test("hops that failing checks share are found, unless a passing check uses them", async () => {
  const at = app.clock.now();
  const addCheck = async (name: string, status: string) => {
    const request = { hostname: "127.0.0.1", port: 9 };
    const body = { name, request, frequency: 1440 };
    const { body: made, text } = await app.call("POST", "/v1/checks/tcp", { body });
    assert.ok(made.id, text);
    await app.query("update checks set status = $2 where id = $1", [made.id, status]);
    await app.query(
      `insert into check_states (check_id, status, since, last_due_at, last_result_id,
          last_location, consecutive_failures, locations, created_at, updated_at)
        values ($1, $2, $3, $3, $1, 'home', 0, '{}', $3, $3)`,
      [made.id, status, at],
    );
    return made.id as string;
  };
  const makePath = (address: string, end: string, hops: readonly string[]) => ({
    ...{ address, protocol: "TCP", port: 9, end },
    hops: hops.map((one) => ({ address: one, name: null, roundTripMs: 1, error: null })),
  });
  const ids: string[] = [];
  for (const target of ["192.0.2.1", "192.0.2.2"]) {
    const id = await addCheck(`shop at ${target}`, "failing");
    const path = makePath(target, "silent", ["10.0.0.1", "10.0.0.2"]);
    const rest = { location: "home", tracedAtMs: at.getTime(), passing: null, lastGood: null };
    await app.query(
      "insert into run_paths (check_id, result_id, at, report) values ($1, $1, $2, $3)",
      [id, at, JSON.stringify({ ...rest, failing: { path } })],
    );
    ids.push(id);
  }
  const learn = async (name: string, hops: readonly string[]) =>
    app.query(
      `insert into good_paths (check_id, location, tried_at, learned_at, path)
        values ($1, 'home', $2, $2, $3)`,
      [await addCheck(name, "passing"), at, JSON.stringify(makePath("192.0.2.9", "reached", hops))],
    );
  await learn("wiki", ["10.0.0.1", "192.0.2.9"]);
  const { hops, ...compared } = await read("/shared-hops");
  assert.deepEqual(compared, { failing: 2, passing: 1 });
  const [hop, ...others] = hops;
  assert.deepEqual(others, []);
  assert.equal(hop.address, "10.0.0.2");
  assert.equal(
    hop.summary,
    "2 of 2 failing checks whose path ends early share the hop 10.0.0.2; no path of the passing " +
      "check uses it.",
  );
  const found = hop.checks.map(({ checkId }: { checkId: string }) => checkId);
  assert.deepEqual(found.toSorted(), ids.toSorted());
  assert.deepEqual(await read("/shared-hops", { key: stranger.key }), {
    ...{ failing: 0, passing: 0, hops: [] },
  });
  await learn("mail", ["10.0.0.1", "10.0.0.2", "192.0.2.9"]);
  assert.deepEqual(await read("/shared-hops"), { failing: 2, passing: 2, hops: [] });
});
