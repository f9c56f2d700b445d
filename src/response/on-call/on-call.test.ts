import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addMember, type Person } from "../../../test/support/apps/cast.ts";

let app: TestApp;
let ownerId: string;
let anna: Person;
let ben: Person;
before(async () => {
  // The clock shows Sunday, 2026-11-15 12:00 UTC.
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  ownerId = (await app.call("GET", "/v1/users/me")).body.id;
  anna = await addMember(app, "anna@example.com", { role: "READ_ONLY" });
  ben = await addMember(app, "ben@example.com", { role: "READ_WRITE" });
});
after(() => app.stop());

const path = "/v1/on-call/schedules";
type Body = Readonly<Record<string, unknown>>;

function newLayer(participants: readonly string[], change: Body = {}): Body {
  const rotation = { unit: "DAY", handoffTime: "09:00" };
  return { name: "Daily", participants, rotation, start: "2026-11-01T09:00", ...change };
}

let count = 0;
async function create(layers: readonly Body[], change: Body = {}): Promise<string> {
  count += 1;
  const body = { name: `Schedule ${count}`, layers, ...change };
  const answer = await app.call("POST", path, { body });
  assert.equal(answer.status, 201, answer.text);
  return `${path}/${answer.body.id}`;
}

async function findNow(schedule: string) {
  const { body } = await app.call("GET", "/v1/on-call/now");
  return body.find((one: { scheduleId: string }) => schedule.endsWith(one.scheduleId));
}

test("a schedule is created, read, replaced and deleted", async () => {
  const body = { name: "Primary", timezone: "Europe/Berlin", layers: [newLayer([ownerId])] };
  const created = await app.call("POST", path, { body });
  assert.equal(created.status, 201);
  const { created_at: _at, id, ...shown } = created.body;
  assert.deepEqual(shown, {
    ...body,
    layers: [
      {
        name: "Daily",
        participants: [ownerId],
        rotation: { unit: "DAY", interval: 1, handoffTime: "09:00", handoffDay: "MONDAY" },
        start: "2026-11-01T09:00",
        end: null,
        restrictions: [],
      },
    ],
    warnAboutGaps: true,
    people: [{ userId: ownerId, name: "owner@example.com", leftAt: null }],
    updated_at: null,
  });
  const one = `${path}/${id}`;
  const read = await app.call("GET", one);
  assert.deepEqual(read.body, created.body);
  assert.equal(read.headers.get("etag"), created.headers.get("etag"));
  const put = await app.call("PUT", one, {
    body: { ...read.body, timezone: "UTC" },
    headers: { "if-match": read.headers.get("etag") ?? "" },
  });
  assert.equal(put.status, 200);
  assert.equal(put.body.timezone, "UTC");
  const stale = await app.call("PUT", one, {
    body,
    headers: { "if-match": read.headers.get("etag") ?? "" },
  });
  assert.equal(stale.status, 412);
  const listed = await app.call("GET", path);
  assert.ok(listed.body.entries.some((entry: { id: string }) => entry.id === id));
  assert.equal((await app.call("DELETE", one)).status, 204);
  for (const method of ["GET", "DELETE"]) assert.equal((await app.call(method, one)).status, 404);
  assert.equal((await app.call("PUT", one, { body })).status, 404);
  assert.equal((await app.call("GET", `${one}/shifts`)).status, 404);
});

test("a repeated request creates one schedule, and a name is taken once", async () => {
  const body = { name: "Once", layers: [newLayer([ownerId])] };
  const send = () => app.call("POST", path, { body, headers: { "idempotency-key": "once-1" } });
  const [first, second] = [await send(), await send()];
  assert.equal(first.body.id, second.body.id);
  const again = await app.call("POST", path, { body });
  assert.equal(again.status, 409);
  assert.match(again.body.message, /"Once" already exists; choose another name/);
  const other = await create([]);
  assert.equal((await app.call("PUT", other, { body })).status, 409);
});

test("invalid schedules are rejected with the field", async () => {
  const stranger = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
  const cases: readonly (readonly [Body, string])[] = [
    [{ timezone: "Mars/Olympus" }, "timezone"],
    [{ layers: [newLayer([stranger])] }, "layers.0.participants.0"],
    [{ layers: [newLayer([])] }, "layers.0.participants"],
    [{ layers: [newLayer([ownerId], { start: "2026-02-31T09:00" })] }, "layers.0.start"],
    [{ layers: [newLayer([ownerId], { start: "tomorrow" })] }, "layers.0.start"],
    [{ layers: [newLayer([ownerId], { end: "2026-11-01T09:00" })] }, "layers.0.end"],
    [
      { layers: [newLayer([ownerId], { rotation: { unit: "DAY", handoffTime: "9" } })] },
      "layers.0.rotation.handoffTime",
    ],
  ];
  for (const [change, key] of cases) {
    const answer = await app.call("POST", path, { body: { name: "Faulty", ...change } });
    assert.equal(answer.status, 400, key);
    assert.deepEqual(answer.body.validation.keys, [key]);
  }
});

test("shifts have the final line, each layer and the gaps of a bounded range", async () => {
  const weekend = { days: ["SATURDAY"], from: "18:00", to: "08:00" };
  const one = await create([
    newLayer([ownerId, anna.userId], { end: "2026-11-21T18:00" }),
    newLayer([ben.userId], { name: "Weekend", restrictions: [weekend] }),
  ]);
  const range = "from=2026-11-20T09:00:00Z&to=2026-11-23T00:00:00Z";
  const { status, body } = await app.call("GET", `${one}/shifts?${range}`);
  assert.equal(status, 200);
  const short = (shift: { from: string; name: string | null }) =>
    `${shift.from.slice(5, 16)} ${shift.name}`;
  assert.deepEqual(body.shifts.map(short), [
    "11-20T09:00 anna@example.com",
    "11-21T09:00 owner@example.com",
    "11-21T18:00 ben@example.com",
    "11-22T08:00 null",
  ]);
  assert.deepEqual(
    body.layers.map((layer: { shifts: [] }) => layer.shifts.length),
    [2, 1],
  );
  assert.deepEqual(body.gaps, [
    { from: "2026-11-22T08:00:00.000Z", to: "2026-11-23T00:00:00.000Z" },
  ]);
  for (const query of [
    "to=2026-11-01T00:00:00Z",
    "to=2027-11-15T00:00:00Z",
    "from=1990-01-01T00:00:00Z",
  ]) {
    assert.equal((await app.call("GET", `${one}/shifts?${query}`)).status, 400, query);
  }
});

test("a preview renders unsaved settings with the overrides of the schedule", async () => {
  const one = await create([newLayer([ownerId])]);
  await app.call("POST", `${one}/overrides`, { body: { userId: null, minutes: 60 } });
  const body = { name: "Draft", layers: [newLayer([anna.userId])] };
  const names = async (query: string) => {
    const answer = await app.call("POST", `${path}/preview?${query}`, { body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.shifts.slice(0, 2).map(({ name }: { name: string | null }) => name);
  };
  assert.deepEqual(await names(""), ["anna@example.com", "anna@example.com"]);
  assert.deepEqual(await names(`scheduleId=${one.split("/").at(-1)}`), [null, "anna@example.com"]);
});

test("now shows who is on call, until when, who is next, and the first gap", async () => {
  const one = await create([newLayer([ownerId, anna.userId], { end: "2026-11-16T18:00" })]);
  const now = await findNow(one);
  assert.equal(now.name, "owner@example.com");
  assert.equal(now.until, "2026-11-16T09:00:00.000Z");
  assert.deepEqual(now.next, {
    userId: anna.userId,
    name: "anna@example.com",
    from: "2026-11-16T09:00:00.000Z",
  });
  assert.deepEqual(now.gaps, [{ from: "2026-11-16T18:00:00.000Z", to: null }]);
  assert.equal(now.warning, "Nobody is on call from Mon 16 Nov 18:00 (UTC).");
  const silent = await create([], { warnAboutGaps: false });
  assert.equal((await findNow(silent)).warning, null);
  assert.equal((await findNow(await create([]))).warning, "Nobody is on call.");
});

test("an override takes over at once, ends early, and stays in the history", async () => {
  const one = await create([newLayer([ownerId])]);
  const body = { userId: ben.userId, minutes: 120, reason: "Dentist" };
  const created = await app.call("POST", `${one}/overrides`, { body });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.body.to, "2026-11-15T14:00:00.000Z");
  assert.deepEqual([created.body.name, created.body.reason], ["ben@example.com", "Dentist"]);
  const now = await findNow(one);
  assert.deepEqual([now.name, now.overrideId], ["ben@example.com", created.body.id]);
  assert.equal((await app.call("GET", `${one}/overrides`)).body.length, 1);
  const target = `${one}/overrides/${created.body.id}`;
  app.clock.advance(60_000);
  assert.equal((await app.call("DELETE", target)).status, 204);
  assert.equal((await findNow(one)).name, "owner@example.com");
  assert.equal((await app.call("GET", `${one}/overrides`)).body.length, 0);
  const past = await app.call("GET", `${one}/overrides?from=2026-11-15T00:00:00Z`);
  assert.equal(past.body.entries[0].to, "2026-11-15T12:01:00.000Z");
  const ended = await app.call("DELETE", target);
  assert.equal(ended.status, 409);
  assert.match(ended.body.message, /has ended/);
});

test("overrides need a member, a future end and a bounded length", async () => {
  const one = await create([newLayer([ownerId])]);
  const userId = ownerId;
  const cases: readonly (readonly [Body, string])[] = [
    [{ userId }, "to"],
    [{ userId, minutes: 1, to: "2026-11-20T00:00:00Z" }, "to"],
    [{ userId, from: "2026-11-10T00:00:00Z", to: "2026-11-11T00:00:00Z" }, "to"],
    [{ userId, from: "2026-11-20T00:00:00Z", to: "2026-11-19T00:00:00Z" }, "to"],
    [{ userId, to: "2029-11-19T00:00:00Z" }, "to"],
    [{ userId, from: "2020-11-19T00:00:00Z", to: "2026-11-19T00:00:00Z" }, "from"],
    [{ userId: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10", minutes: 5 }, "userId"],
  ];
  for (const [body, key] of cases) {
    const answer = await app.call("POST", `${one}/overrides`, { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.deepEqual(answer.body.validation.keys, [key]);
  }
});

test("the turns of a removed member fall to the next one, and the schedule shows it", async () => {
  const cleo = await addMember(app, "cleo@example.com", { role: "READ_ONLY" });
  const one = await create([newLayer([cleo.userId, anna.userId])]);
  assert.equal((await findNow(one)).name, "cleo@example.com");
  const before = await app.call("GET", one);
  app.clock.advance(60_000);
  await app.call("DELETE", `/v1/accounts/me/members/${cleo.userId}`);
  const leftAt = app.clock.now().toISOString();
  const now = await findNow(one);
  assert.equal(now.name, "anna@example.com");
  const person = { userId: cleo.userId, name: "cleo@example.com", leftAt };
  assert.deepEqual(now.departed, [person]);
  const shown = await app.call("GET", one);
  assert.deepEqual(shown.body.people[0], person);
  assert.notEqual(shown.headers.get("etag"), before.headers.get("etag"));
  const { body } = await app.call("GET", `${one}/shifts?from=2026-11-15T09:00:00Z`);
  assert.deepEqual(
    body.shifts.slice(0, 2).map((shift: { name: string; to: string }) => [shift.name, shift.to]),
    [
      ["cleo@example.com", leftAt],
      ["anna@example.com", "2026-11-16T09:00:00.000Z"],
    ],
  );
  assert.equal((await app.call("PUT", one, { body: shown.body })).status, 200, "may be sent back");
  const other = { name: "With a former member", layers: [newLayer([cleo.userId])] };
  assert.equal((await app.call("POST", path, { body: other })).status, 400);
});

test("an account has a limit of overrides that includes ended ones", async () => {
  const one = await create([newLayer([ownerId])]);
  await app.query(
    `insert into on_call_overrides (id, account_id, schedule_id, user_id, starts_at, ends_at,
        author, created_at)
      select gen_random_uuid(), account_id, id, null, $2::timestamptz - interval '1 hour',
        $2::timestamptz - interval '1 minute', 'Test', $2 from on_call_schedules,
        generate_series(1, 20000) where id = $1`,
    [one.split("/").at(-1), app.clock.now()],
  );
  const body = { userId: ownerId, minutes: 5 };
  const denied = await app.call("POST", `${one}/overrides`, { body });
  assert.equal(denied.status, 409, denied.text);
  assert.match(denied.body.message, /at most 20000 overrides/);
  assert.equal((await app.call("DELETE", one)).status, 204);
});

test("versions never run backwards, even if the clock of a server does", async () => {
  const one = await create([newLayer([anna.userId])]);
  const change = async (userId: string) => {
    const body = { name: "Skewed", layers: [newLayer([userId])] };
    assert.equal((await app.call("PUT", one, { body })).status, 200);
  };
  const hourMs = 3_600_000;
  app.clock.advance(2 * hourMs);
  await change(ben.userId);
  app.clock.advance(-hourMs);
  await change(ownerId);
  app.clock.advance(2 * hourMs);
  await change(anna.userId);
  const { rows } = await app.query(
    `select layers -> 0 -> 'participants' ->> 0 as "userId" from on_call_schedule_versions
      where schedule_id = $1 order by ended_at`,
    [one.split("/").at(-1)],
  );
  assert.deepEqual(
    rows.map(({ userId }) => userId),
    [anna.userId, ownerId],
    "what applied for no time by the other clock is not a version",
  );
});

test("a change of layers leaves past shifts as they were, in the report too", async () => {
  const day = 86_400_000;
  const carl = await addMember(app, "carl@example.com", { role: "READ_ONLY" });
  const startMs = app.clock.nowMs();
  const one = await create([newLayer([anna.userId])], { name: "Changed" });
  app.clock.advance(day);
  const read = await app.call("GET", one);
  const body = { ...read.body, layers: [newLayer([carl.userId])] };
  assert.equal((await app.call("PUT", one, { body })).status, 200);
  app.clock.advance(day);
  const range = `from=${new Date(startMs).toISOString()}&to=${new Date(startMs + 2 * day).toISOString()}`;
  const { body: shown } = await app.call("GET", `${one}/shifts?${range}`);
  const names = shown.shifts.map(({ name }: { name: string }) => name);
  assert.deepEqual([...new Set(names)], ["anna@example.com", "carl@example.com"]);
  const report = await app.call("GET", `/v1/on-call/report?${range}`);
  const find = (userId: string) =>
    report.body.people.find((person: { userId: string }) => person.userId === userId);
  assert.equal(report.status, 200, report.text);
  assert.equal(find(carl.userId).hours, 24);
  const csv = await app.call("GET", `/v1/on-call/report/export?${range}`);
  assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
  assert.match(csv.text, /^name,user_id,hours,.*\r\nanna@example.com,/);
});

test("the range of a report is bounded", async () => {
  const faults = ["from=2026-01-01T00:00:00Z", "from=2200-01-01T00:00:00Z", "to=yesterday"];
  for (const path of ["report", "report/export"]) {
    for (const query of faults) {
      const answer = await app.call("GET", `/v1/on-call/${path}?${query}`);
      assert.equal(answer.status, 400, query);
      assert.deepEqual(answer.body.validation.keys, ["to"]);
    }
  }
});

test("a member chooses a time zone and mails about shifts", async () => {
  const mine = "/v1/users/me/on-call-preferences";
  const before = await app.call("GET", mine);
  assert.deepEqual(before.body, { timezone: null, handoffMail: true, reminderMinutes: null });
  const body = { timezone: "Asia/Tokyo", handoffMail: false, reminderMinutes: 60 };
  const headers = { "if-match": before.headers.get("etag") ?? "" };
  const saved = await app.call("PUT", mine, { body, headers });
  assert.equal(saved.status, 200, saved.text);
  assert.deepEqual((await app.call("GET", mine)).body, body);
  assert.equal((await app.call("PUT", mine, { body, headers })).status, 412);
  const faults = { timezone: "Mars/Olympus", reminderMinutes: 0 };
  for (const [key, value] of Object.entries(faults)) {
    const answer = await app.call("PUT", mine, { body: { ...body, [key]: value } });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body.validation.keys, [key]);
  }
});
