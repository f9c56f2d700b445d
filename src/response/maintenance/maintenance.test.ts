import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { createRunsFixture } from "../../../test/support/modules/runs.ts";
import { maxWindows } from "./planned-window.ts";
import { fromWireWindow } from "./schema.ts";
import { insertWindow } from "./store.ts";
import { listWindowsOf } from "./windows-of-accounts-store.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/maintenance-windows";
const minimal = {
  name: "Patch day",
  startsAt: "2026-12-01T22:00:00.000Z",
  endsAt: "2026-12-02T00:00:00.000Z",
};
const defaults = {
  tags: [],
  repeatInterval: null,
  repeatUnit: null,
  repeatEndsAt: null,
  timezone: "UTC",
  silenceAllAlerts: false,
  silenceAlertsTags: [],
  groupIds: [],
  checkIds: [],
  description: null,
  statusPageVisibility: {
    enabled: false,
    severity: null,
    affectAllServices: false,
    showAffectedServices: true,
    suppressAutoIncidents: false,
    notifyOnStart: false,
    notifyOnEnd: false,
    reminderMinutesBefore: [],
    autoStart: true,
    autoEnd: true,
    statusPageIds: [],
    serviceIds: [],
  },
};
type Body = Record<string, unknown>;
const create = (more: Body = {}, key?: string) => {
  const body = { ...minimal, ...more };
  return app.call("POST", path, key === undefined ? { body } : { body, key });
};

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
}

test("a window is created with every default, and read as it was created", async () => {
  const { status, body } = await create();
  assert.equal(status, 201);
  const { id, ...rest } = body;
  assert.deepEqual(rest, {
    ...minimal,
    ...defaults,
    created_at: app.clock.now().toISOString(),
    updated_at: null,
  });
  const read = await app.call("GET", `${path}/${id}`);
  assert.deepEqual([read.status, read.body], [200, body]);
});

test("a recurring window keeps all its fields", async () => {
  const input = {
    tags: ["edge", "core"],
    repeatInterval: 2,
    repeatUnit: "WEEK",
    repeatEndsAt: "2027-12-01T22:00:00.000Z",
    timezone: "Europe/Berlin",
    silenceAllAlerts: true,
    silenceAlertsTags: ["noisy"],
  };
  const { status, body } = await create(input);
  assert.equal(status, 201);
  for (const [key, value] of Object.entries(input)) assert.deepEqual(body[key], value, key);
});

test("times with an offset are returned in UTC", async () => {
  const { body } = await create({ startsAt: "2026-12-01T23:00:00+01:00" });
  assert.equal(body.startsAt, "2026-12-01T22:00:00.000Z");
});

test("an update replaces the window; missing fields get their defaults", async () => {
  const { body: made } = await create({ tags: ["edge"], silenceAllAlerts: true });
  app.clock.advance(1_000);
  const { status, body } = await app.call("PUT", `${path}/${made.id}`, {
    body: { ...minimal, name: "Later", silenceAlertsTags: ["noisy"] },
  });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...made,
    name: "Later",
    tags: [],
    silenceAllAlerts: false,
    silenceAlertsTags: ["noisy"],
    updated_at: app.clock.now().toISOString(),
  });
});

test("a change with an outdated ETag is rejected", async () => {
  const made = await create({ tags: ["a"] });
  const at = `${path}/${made.body.id}`;
  const etag = made.headers.get("etag") ?? "";
  assert.match(etag, /^"[\w-]{22}"$/);
  assert.equal((await app.call("GET", at)).headers.get("etag"), etag);
  const change = (tag: string, name: string) =>
    app.call("PUT", at, { body: { ...minimal, name }, headers: { "if-match": tag } });
  const first = await change(etag, "First");
  assert.equal(first.status, 200, first.text);
  assert.equal((await app.call("GET", at)).headers.get("etag"), first.headers.get("etag"));
  assert.equal((await change(etag, "Second")).status, 412);
  assert.equal((await app.call("GET", at)).body.name, "First");
  assert.equal((await change(first.headers.get("etag") ?? "", "Third")).status, 200);
});

test("a deleted window is not found", async () => {
  const { body } = await create();
  const removed = await app.call("DELETE", `${path}/${body.id}`);
  assert.deepEqual([removed.status, removed.text], [204, ""]);
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await app.call(method, `${path}/${body.id}`)).status, 404);
  }
  const change = await app.call("PUT", `${path}/${body.id}`, { body: minimal });
  assert.equal(change.status, 404);
});

test("a list has the account's own windows only, in pages, with their total", async () => {
  const key = stranger.key;
  for (const name of ["one", "two", "three"]) await create({ name }, key);
  const first = await app.call("GET", `${path}?limit=2&page=1`, { key });
  assert.equal(first.status, 200);
  assert.equal(first.headers.get("content-range"), "items 0-1/3");
  const last = await app.call("GET", `${path}?limit=2&page=2`, { key });
  assert.equal(last.headers.get("content-range"), "items 2-2/3");
  const names = [...first.body, ...last.body].map((window: Body) => window.name);
  assert.deepEqual(names, ["one", "two", "three"]);
  assert.equal((await app.call("GET", `${path}?limit=101`)).status, 400);
});

test("another account cannot read, change or delete a window", async () => {
  const { body } = await create();
  const one = `${path}/${body.id}`;
  const key = stranger.key;
  assert.equal((await app.call("GET", one, { key })).status, 404);
  assert.equal((await app.call("PUT", one, { key, body: minimal })).status, 404);
  assert.equal((await app.call("DELETE", one, { key })).status, 404);
  assert.deepEqual((await app.call("GET", one)).body, body);
});

test("reading needs a key, and writing needs write access", async () => {
  const { key } = await createKey(app, "READ_RUN");
  assert.equal((await app.call("GET", path, { key: null })).status, 401);
  assert.equal((await app.call("GET", path, { key })).status, 200);
  assert.equal((await create({}, key)).status, 403);
});

test("each write adds an audit entry", async () => {
  const { body } = await create({ name: "Audited" });
  await app.call("PUT", `${path}/${body.id}`, { body: minimal });
  await app.call("DELETE", `${path}/${body.id}`);
  const { rows } = await app.query(
    "select action from audit_entries where target_id = $1 and action like 'maintenance%' order " +
      "by id",
    [String(body.id)],
  );
  assert.deepEqual(
    rows.map((row) => row.action),
    ["created", "updated", "deleted"].map((verb) => `maintenance-window.${verb}`),
  );
});

const sound: Readonly<Record<string, Body>> = {
  "starts in the hour that the spring skips": {
    startsAt: "2027-03-28T02:30:00+01:00",
    endsAt: "2027-03-28T04:00:00+02:00",
    timezone: "Europe/Berlin",
  },
  "starts in the hour that the autumn has twice": {
    startsAt: "2027-10-31T02:30:00+02:00",
    endsAt: "2027-10-31T02:30:00+01:00",
    timezone: "Europe/Berlin",
  },
  "comes back daily at a time that some days do not have": {
    startsAt: "2027-03-27T02:30:00+01:00",
    endsAt: "2027-03-27T03:00:00+01:00",
    repeatInterval: 1,
    repeatUnit: "DAY",
    timezone: "Europe/Berlin",
  },
  "starts on a leap day and comes back each month": {
    startsAt: "2028-02-29T00:00:00Z",
    endsAt: "2028-02-29T01:00:00Z",
    repeatInterval: 12,
    repeatUnit: "MONTH",
  },
  "ends in the last second of the year 9999": { endsAt: "9999-12-31T23:59:59Z" },
  "has a zone of half hours": { timezone: "Asia/Kolkata" },
  "has a name of every script": { name: "Wartung 🛠 — 保守 '; drop table checks; --" },
};

for (const [what, input] of Object.entries(sound)) {
  test(`a window is accepted that ${what}`, async () => {
    const { status, body, text } = await create(input);
    assert.equal(status, 201, text);
    assert.equal((await app.call("GET", `${path}/${body.id}`)).status, 200);
  });
}

const faulty: readonly (readonly [string, Body, string])[] = [
  ["an unknown zone", { timezone: "Mars/Olympus_Mons" }, "timezone"],
  ["an empty zone", { timezone: "" }, "timezone"],
  ["a path as its zone", { timezone: "../../etc/passwd" }, "timezone"],
  ["its end before its start", { endsAt: "2026-12-01T21:00:00Z" }, "endsAt"],
  ["its end at its start", { endsAt: minimal.startsAt }, "endsAt"],
  ["its start before 1970", { startsAt: "1969-12-31T23:59:59Z" }, "startsAt"],
  ["its end after the year 9999", { endsAt: "9999-12-31T23:59:59-01:00" }, "endsAt"],
  ["a leap second", { startsAt: "2016-12-31T23:59:60Z" }, "startsAt"],
  ["a 30th of February", { startsAt: "2027-02-30T00:00:00Z" }, "startsAt"],
  ["a time without a zone", { startsAt: "2026-12-01T22:00:00" }, "startsAt"],
  ["a number for a time", { startsAt: 1_800_000_000 }, "startsAt"],
  ["a year of five digits", { endsAt: "+010000-01-01T00:00:00Z" }, "endsAt"],
  ["an interval of 0", { repeatInterval: 0, repeatUnit: "DAY" }, "repeatInterval"],
  ["an interval of -1", { repeatInterval: -1, repeatUnit: "DAY" }, "repeatInterval"],
  ["an interval of 1e9", { repeatInterval: 1e9, repeatUnit: "DAY" }, "repeatInterval"],
  ["an interval of 1.5", { repeatInterval: 1.5, repeatUnit: "DAY" }, "repeatInterval"],
  ["an unknown unit", { repeatInterval: 1, repeatUnit: "FORTNIGHT" }, "repeatUnit"],
  ["its last return before its start", { repeatEndsAt: "2026-11-30T00:00:00Z" }, "repeatEndsAt"],
  ["its last return too late", { repeatEndsAt: "9999-12-31T23:59:59-12:00" }, "repeatEndsAt"],
  ["a blank name", { name: "   " }, "name"],
  ["a name too long", { name: "n".repeat(201) }, "name"],
  ["an empty tag", { tags: [""] }, "tags.0"],
  ["an unknown group", { groupIds: [2_000_000] }, "groupIds.0"],
  ["an unknown check", { checkIds: ["0199a1f0-0000-7000-8000-000000000000"] }, "checkIds.0"],
];

for (const [what, input, key] of faulty) {
  test(`a window with ${what} is rejected, naming ${key}`, async () => {
    assertNames(await create(input), key);
    const { body } = await create();
    const change = await app.call("PUT", `${path}/${body.id}`, { body: { ...minimal, ...input } });
    assertNames(change, key);
  });
}

test("missing required fields are named", async () => {
  const { status, body } = await app.call("POST", path, { body: {} });
  assert.equal(status, 400);
  assert.deepEqual(body.validation.keys, ["name", "startsAt", "endsAt"]);
  for (const id of ["0", "-1", "1e9", "2147483648", "x"]) {
    assert.equal((await app.call("GET", `${path}/${id}`)).status === 200, false, id);
  }
});

test("windows of several accounts are loaded", async () => {
  const { context, accountId, stop } = await createRunsFixture();
  const input = fromWireWindow({ ...defaults, ...minimal });
  const { schedule } = input;
  const draft = { ...input, createdAt: context.clock.now(), nextAnnouncementAt: null };
  await insertWindow(context.db, accountId, draft);
  const later = { ...schedule, endsAtMs: schedule.endsAtMs + 1 };
  await insertWindow(context.db, accountId, { ...draft, schedule: later });
  const elsewhere = "0199a1f0-0000-7000-8000-000000000000";
  const found = await listWindowsOf(context.db, [accountId, elsewhere, accountId]);
  assert.deepEqual([...found], [[accountId, [schedule, later]]]);
  assert.deepEqual(await listWindowsOf(context.db, []), new Map());
  await stop();
});

test("the number of windows of an account is limited", async () => {
  await app.query(
    `insert into maintenance_windows (account_id, name, schedule, created_at)
      select $1, 'one of many', '{}', now() from generate_series(1, $2)`,
    [stranger.accountId, maxWindows - 3],
  );
  assert.equal((await create({}, stranger.key)).status, 409);
});
