import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { createService, createStatusPage } from "../../../../test/support/modules/status-pages.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp();
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/status-pages/services";

test("a service is created, read, renamed and deleted", async () => {
  const created = await app.call("POST", path, { body: { name: "Checkout" } });
  assert.equal(created.status, 201);
  assert.deepEqual(created.body, {
    id: created.body.id,
    name: "Checkout",
    accountId: app.owner.accountId,
    created_at: "2026-11-15",
    updated_at: null,
    follows: { checkIds: [], tags: [] },
  });
  const read = await app.call("GET", `${path}/${created.body.id}`);
  assert.deepEqual(read.body, created.body);
  assert.equal(read.headers.get("etag"), created.headers.get("etag"));
  const renamed = await app.call("PUT", `${path}/${created.body.id}`, { body: { name: "Pay" } });
  assert.equal(renamed.status, 200);
  assert.deepEqual(renamed.body, { ...created.body, name: "Pay", updated_at: "2026-11-15" });
  const removed = await app.call("DELETE", `${path}/${created.body.id}`);
  assert.equal(removed.status, 204);
  assert.equal(removed.text, "");
  assert.equal((await app.call("GET", `${path}/${created.body.id}`)).status, 404);
});

test("repeating a request with the same Idempotency-Key returns the same service", async () => {
  const send = (name: string) =>
    app.call("POST", path, { body: { name }, headers: { "idempotency-key": "service-1" } });
  const first = await send("Once");
  const again = await send("Once");
  assert.equal(again.status, 201);
  assert.equal(again.body.id, first.body.id);
  assert.equal(again.headers.get("etag"), first.headers.get("etag"));
  const other = await send("Another");
  assert.equal(other.status, 409);
  assert.match(other.body.message, /Idempotency-Key/);
  await app.call("DELETE", `${path}/${first.body.id}`);
  const late = await send("Once");
  assert.equal(late.status, 409);
  assert.match(late.body.message, /deleted/);
});

test("a change with an outdated ETag is rejected and changes nothing", async () => {
  const id = await createService(app, "first");
  const before = (await app.call("GET", `${path}/${id}`)).headers.get("etag") ?? "";
  const put = (name: string, tag: string) =>
    app.call("PUT", `${path}/${id}`, { body: { name }, headers: { "if-match": tag } });
  const second = await put("second", before);
  assert.equal(second.status, 200);
  const stale = await put("third", before);
  assert.equal(stale.status, 412);
  assert.equal(stale.body.error, "Precondition Failed");
  assert.equal((await app.call("GET", `${path}/${id}`)).body.name, "second");
  const listed = await put("third", `"no-such-tag", ${second.headers.get("etag")}`);
  assert.equal(listed.status, 200);
});

test("of concurrent changes with the same ETag, exactly one succeeds", async () => {
  const id = await createService(app, "contested");
  const tag = (await app.call("GET", `${path}/${id}`)).headers.get("etag") ?? "";
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      app.call("PUT", `${path}/${id}`, {
        body: { name: `writer ${index}` },
        headers: { "if-match": tag },
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(11).fill(412)]);
});

test("the account's services are listed in pages or all at once", async (t) => {
  const mine = await startTestApp();
  t.after(() => mine.stop());
  const elsewhere = await addStranger(mine);
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) ids.push(await createService(mine, name));
  const first = await mine.call("GET", `${path}?limit=2`);
  assert.equal(first.body.length, 2);
  assert.deepEqual(
    first.body.entries.map(({ id }: { id: string }) => id),
    ids.slice(0, 2),
  );
  assert.equal(first.body.nextId, ids[2]);
  const second = await mine.call("GET", `${path}?limit=2&nextId=${first.body.nextId}`);
  assert.deepEqual(
    second.body.entries.map(({ name }: { name: string }) => name),
    ["c"],
  );
  assert.equal(second.body.nextId, null);
  const all = await mine.call("GET", `${path}?paginated=false`);
  assert.deepEqual(
    all.body.map(({ id }: { id: string }) => id),
    ids,
  );
  const theirs = await mine.call("GET", `${path}?paginated=false`, { key: elsewhere.key });
  assert.deepEqual(theirs.body, []);
});

test("invalid list parameters are rejected by name", async () => {
  for (const [query, key] of [
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=ten", "limit"],
    ["nextId=5", "nextId"],
    ["paginated=perhaps", "paginated"],
  ] as const) {
    const answer = await app.call("GET", `${path}?${query}`);
    assert.equal(answer.status, 400, query);
    assert.deepEqual(answer.body.validation, { source: "querystring", keys: [key] }, query);
  }
});

test("a name must be present, visible and short enough", async () => {
  const id = await createService(app);
  for (const body of [{}, { name: "" }, { name: " \t" }, { name: "x".repeat(256) }, { name: 5 }]) {
    for (const [method, target] of [
      ["POST", path],
      ["PUT", `${path}/${id}`],
    ] as const) {
      const answer = await app.call(method, target, { body });
      assert.equal(answer.status, 400, `${method} ${JSON.stringify(body)}`);
      assert.deepEqual(answer.body.validation, { source: "body", keys: ["name"] });
    }
  }
  assert.equal((await app.call("GET", `${path}/not-a-guid`)).status, 400);
});

test("read-only fields are ignored", async () => {
  const id = "00000000-0000-7000-8000-000000000001";
  const body = { name: "mine", id, accountId: stranger.accountId, created_at: "1999-01-01" };
  const answer = await app.call("POST", path, { body });
  assert.equal(answer.status, 201);
  assert.notEqual(answer.body.id, id);
  assert.equal(answer.body.accountId, app.owner.accountId);
  assert.equal(answer.body.created_at, "2026-11-15");
});

test("deleting a service removes it from its cards, and the other services stay", async () => {
  const kept = await createService(app, "kept");
  const gone = await createService(app, "gone");
  const page = await createStatusPage(app, {
    cards: [{ name: "All", services: [{ id: gone }, { id: kept }] }],
  });
  assert.equal((await app.call("DELETE", `${path}/${gone}`)).status, 204);
  const { body } = await app.call("GET", `/v1/status-pages/${page.id}`);
  assert.deepEqual(
    body.cards[0].services.map(({ id }: { id: string }) => id),
    [kept],
  );
});

test("a service for which a check opens incidents is not deleted, and the check is named", async () => {
  const id = await createService(app, "watched");
  const check = await app.call("POST", "/v1/checks/icmp", {
    body: { name: "ping the till", request: { hostname: "127.0.0.1" } },
  });
  const trigger = { serviceId: id, name: "down", description: "down", severity: "MAJOR" };
  await app.query(
    "update checks set settings = jsonb_set(settings, '{triggerIncident}', $2) where id = $1",
    [check.body.id, JSON.stringify(trigger)],
  );
  const rejected = await app.call("DELETE", `${path}/${id}`);
  assert.equal(rejected.status, 409);
  assert.match(rejected.body.message, /ping the till/);
  assert.ok(rejected.body.message.includes(check.body.id));
  assert.equal((await app.call("GET", `${path}/${id}`)).status, 200);
  await app.call("DELETE", `/v1/checks/${check.body.id}`);
  assert.equal((await app.call("DELETE", `${path}/${id}`)).status, 204);
});

test("finding the checks that name a service uses an index", async () => {
  // PostgreSQL reads an empty table sequentially, unless that is disabled.
  const answer: unknown = await app.query(
    `begin;
     set local enable_seqscan = off;
     explain select id from checks where account_id = '${app.owner.accountId}'
       and settings->'triggerIncident'->>'serviceId' = 'x';
     rollback`,
  );
  const plan = JSON.stringify((answer as readonly { rows: unknown[] }[])[2]?.rows);
  assert.match(plan, /checks_trigger_service/);
});

test("an account has at most a thousand services", async (t) => {
  const full = await startTestApp();
  t.after(() => full.stop());
  await full.query(
    `insert into services (id, account_id, name, created_at)
       select gen_random_uuid(), $1, 'service ' || n, now() from generate_series(1, 999) n`,
    [full.owner.accountId],
  );
  assert.equal((await full.call("POST", path, { body: { name: "1000th" } })).status, 201);
  const rejected = await full.call("POST", path, { body: { name: "one too many" } });
  assert.equal(rejected.status, 409);
  assert.match(rejected.body.message, /at most 1000 services/);
  const all = await full.call("GET", `${path}?paginated=false`);
  assert.equal(all.body.length, 1_000);
});
