/** GET /v1/events streams changes as they happen. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addMember, addStranger, createKey, signIn } from "../../../test/support/apps/cast.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { ChangeAnnouncer } from "../../platform/notifications.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

interface Line {
  readonly event: string;
  readonly id?: string;
  readonly reason?: string;
  readonly changes?: readonly { readonly type: string; readonly ids: readonly string[] | null }[];
}

interface Listener {
  readonly lines: readonly Line[];
  readonly isEnded: () => boolean;
  readonly heard: (type: string, id?: string) => boolean;
  readonly close: () => void;
}

async function listen(
  key: string | null = ownerKey,
  headers: Readonly<Record<string, string>> = {},
  url = app.url,
): Promise<Listener> {
  const controller = new AbortController();
  const answer = await fetch(`${url}/v1/events`, {
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      accept: "application/x-ndjson",
      ...headers,
    },
    signal: controller.signal,
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/x-ndjson");
  const lines: Line[] = [];
  let isEnded = false;
  const read = async () => {
    let rest = "";
    for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((line) => JSON.parse(line)));
    }
  };
  void read()
    .catch(() => {})
    .finally(() => {
      isEnded = true;
    });
  await waitUntil("the stream says hello", () => lines[0]?.event === "hello");
  return {
    lines,
    isEnded: () => isEnded,
    heard: (type, id) =>
      lines.some(({ changes }) =>
        changes?.some((one) => one.type === type && (id === undefined || one.ids?.includes(id))),
      ),
    close: () => controller.abort(),
  };
}

async function createCheck(name = "Router"): Promise<string> {
  const body = { name, request: { hostname: "192.0.2.1" }, frequency: 1440 };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

const changeState = (checkId: string) =>
  app.query(
    `insert into state_changes (account_id, check_id, from_status, to_status, at, result_id)
      values ($1, $2, 'passing', 'failing', now(), $3)`,
    [app.owner.accountId, checkId, randomUUID()],
  );

test("edits, states, alerts and deliveries are sent with their ids", async () => {
  const stream = await listen();
  const id = await createCheck();
  await waitUntil("the new check", () => stream.heard("check.changed", id));
  await changeState(id);
  await waitUntil("the state", () => stream.heard("check.state", id));
  const alertId = randomUUID();
  await app.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, is_reminder, at,
      decided_at) values ($1, $2, $3, 1, 'ALERT_FAILURE', 'x', false, now(), now())`,
    [alertId, app.owner.accountId, id],
  );
  await waitUntil("the alert", () => stream.heard("alert.changed", id));
  const insert = `insert into deliveries (id, account_id, alert_id, check_id, channel_type,
      recipient, message, status, next_attempt_at, decided_at)
    values ($1, $2, $3, $4, 'EMAIL', 'a@example.com', '{}', 'SENT', now(), now())`;
  await app.query(insert, [randomUUID(), app.owner.accountId, alertId, id]);
  await waitUntil("the delivery", () => stream.heard("delivery.changed", id));
  const countDeliveries = () =>
    stream.lines.filter(({ changes }) => changes?.some(({ type }) => type === "delivery.changed"))
      .length;
  const before = countDeliveries();
  await app.query("update deliveries set status = 'DEAD' where alert_id = $1", [alertId]);
  await waitUntil("its outcome", () => countDeliveries() > before);
  await app.call("DELETE", `/v1/checks/${id}`);
  await waitUntil("the end of the check", () => stream.heard("check.deleted", id));
  stream.close();
});

test("results are announced in batches, by id if few and as many otherwise", async () => {
  const { db, close } = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
  const stream = await listen();
  const few = new ChangeAnnouncer(db, captureLog().log, "check.result");
  for (const id of ["a", "b", "a"]) few.add(app.owner.accountId, id);
  await few.stop();
  await waitUntil("the few", () => stream.heard("check.result", "b"));
  const many = new ChangeAnnouncer(db, captureLog().log, "check.result", 10);
  for (let n = 0; n < 500; n += 1) many.add(app.owner.accountId, `id-${n}`);
  await waitUntil("the many", () =>
    stream.lines.some(({ changes }) => changes?.some(({ ids }) => ids === null)),
  );
  await many.stop();
  await close();
  stream.close();
});

test("a stream contains only changes of its account that the role may read", async () => {
  const stranger = await addStranger(app);
  const reader = await createKey(app, "READ_ONLY");
  const [theirs, reading, own] = await Promise.all([
    listen(stranger.key),
    listen(reader.key),
    listen(),
  ]);
  await createKey(app, "READ_ONLY");
  await waitUntil("the owner receives the key change", () => own.heard("api-key.changed"));
  const id = await createCheck();
  await waitUntil("the reader receives the check change", () => reading.heard("check.changed", id));
  assert.equal(reading.heard("api-key.changed"), false);
  await app.call("PUT", `/v1/accounts/${stranger.accountId}`, {
    key: stranger.key,
    body: { name: "Theirs" },
  });
  assert.equal(theirs.heard("check.changed"), false);
  for (const stream of [theirs, reading, own]) stream.close();
});

test("a client that reconnects with an event id receives resync", async () => {
  const first = await listen();
  assert.match(first.lines[0]?.id ?? "", /^\d+$/);
  first.close();
  const again = await listen(ownerKey, { "last-event-id": first.lines[0]?.id ?? "" });
  await waitUntil("the resync is received", () => again.lines[1]?.event === "resync");
  again.close();
});

test("a stream ends when its key is revoked, and others continue", async () => {
  const { key, id } = await createKey(app, "ADMIN");
  const [revoked, stays] = await Promise.all([listen(key), listen()]);
  await app.call("DELETE", `/v1/api-keys/${id}`);
  await waitUntil("it has ended", revoked.isEnded);
  assert.deepEqual(revoked.lines.at(-1)?.reason, "signed-out");
  assert.equal(stays.isEnded(), false);
  stays.close();
});

test("a stream ends when the account requires a second factor", async () => {
  const { email, password } = await addMember(app, "one-factor@example.com", { role: "READ_ONLY" });
  const stream = await listen(null, { cookie: await signIn(app, email, password) });
  const setRule = (isAsked: boolean) =>
    app.query("update accounts set requires_second_factor = $1 where id = $2", [
      isAsked,
      app.owner.accountId,
    ]);
  await setRule(true);
  await waitUntil("its end", stream.isEnded);
  assert.equal(stream.lines.at(-1)?.reason, "signed-out");
  await setRule(false);
});

test("a stream ends when its key expires", async () => {
  const expiresAt = new Date(app.clock.now().getTime() + 3_000).toISOString();
  const { key } = await createKey(app, "READ_ONLY", { expiresAt });
  const stream = await listen(key);
  app.clock.advance(4_000);
  await waitUntil("it has ended", stream.isEnded);
  assert.equal(stream.lines.at(-1)?.reason, "signed-out");
});

test("server-sent events are the default, for the requested number of seconds", async () => {
  const { status, headers, text } = await app.call("GET", "/v1/events?seconds=0");
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.match(text, /^id: \d+\nevent: hello\ndata: \{\}\n\n/);
  assert.match(text, /event: end\ndata: \{"reason":"time-over"\}\n\n$/);
});

test("a missing key, invalid seconds and too many streams per account are rejected", async () => {
  assert.equal((await app.call("GET", "/v1/events", { key: null })).status, 401);
  assert.equal((await app.call("GET", "/v1/events?seconds=-1")).status, 400);
  const foreign = { account: randomUUID() };
  assert.equal((await app.call("GET", "/v1/events?seconds=0", foreign)).status, 403);
  const open = await Promise.all(Array.from({ length: 200 }, () => listen()));
  const refused = await app.call("GET", "/v1/events?seconds=0");
  assert.equal(refused.status, 429);
  for (const stream of open) stream.close();
  await waitUntil("there is room again", async () => {
    return (await app.call("GET", "/v1/events?seconds=0")).status === 200;
  });
});

test("a server that stops ends its streams", async () => {
  const own = await startTestApp({ BUILT_IN_PROBE: "false" });
  const stream = await listen(ownerKey, {}, own.url);
  await own.stop();
  await waitUntil("it has ended", stream.isEnded);
  assert.equal(stream.lines.at(-1)?.reason, "stopping");
});
