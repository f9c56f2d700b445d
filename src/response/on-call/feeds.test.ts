import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import ICAL from "ical.js";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addMember, type Person, signIn } from "../../../test/support/apps/cast.ts";
import { readEvents } from "./calendar-events.ts";

let app: TestApp;
let ownerId: string;
let anna: Person;
before(async () => {
  // The clock shows Sunday, 2026-11-15 12:00 UTC.
  app = await startTestApp({ BUILT_IN_PROBE: "false", LOG_LEVEL: "trace" });
  ownerId = (await app.call("GET", "/v1/users/me")).body.id;
  anna = await addMember(app, "anna@example.com", { role: "READ_ONLY" });
});
after(() => app.stop());

const schedules = "/v1/on-call/schedules";

async function create(name: string, participants: readonly string[], change = {}): Promise<string> {
  const rotation = { unit: "DAY", handoffTime: "09:00" };
  const layer = { name: "Daily", participants, rotation, start: "2026-11-15T09:00", ...change };
  const answer = await app.call("POST", schedules, { body: { name, layers: [layer] } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

async function remove(...ids: readonly string[]): Promise<void> {
  for (const id of ids) await app.call("DELETE", `${schedules}/${id}`);
}

function listSummaries(text: string): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    return `${event.startDate.toJSDate().toISOString().slice(0, 16)} ${event.summary}`;
  });
}

test("a feed shows the shifts of a schedule, or those of a member, until it is revoked", async () => {
  const id = await create("Front, desk; day", [ownerId, anna.userId]);
  const cookie = await signIn(app, anna.email, anna.password);
  const all = await app.call("POST", "/v1/on-call/feeds", { body: { scheduleId: id } });
  const own = await app.call("POST", "/v1/on-call/feeds", { body: {}, cookie });
  assert.deepEqual([all.status, own.status], [201, 201]);
  const fetchFeed = (url: string) => app.call("GET", new URL(url).pathname, { key: null });
  const shown = await fetchFeed(all.body.url);
  assert.equal(shown.headers.get("content-type"), "text/calendar; charset=utf-8");
  assert.deepEqual(listSummaries(shown.text).slice(0, 2), [
    "2026-11-15T09:00 owner@example.com: Front, desk; day",
    "2026-11-16T09:00 anna@example.com: Front, desk; day",
  ]);
  const mine = listSummaries((await fetchFeed(`${own.body.url}.ics`)).text);
  assert.deepEqual(mine.slice(0, 2), [
    "2026-11-16T09:00 On call: Front, desk; day",
    "2026-11-18T09:00 On call: Front, desk; day",
  ]);
  const listed = await app.call("GET", "/v1/on-call/feeds", { cookie });
  assert.deepEqual(
    listed.body.map((feed: { id: string; last_used_at: string }) => [feed.id, feed.last_used_at]),
    [[own.body.id, app.clock.now().toISOString()]],
  );
  const token = all.body.url.split("/").at(-1);
  assert.equal(listed.text.includes(token), false);
  assert.equal(app.logText().includes(token), false, "the token is not logged");
  const { rows } = await app.query("select * from on_call_feeds");
  assert.equal(JSON.stringify(rows).includes(token), false, "the token is not stored");
  const foreign = `/v1/on-call/feeds/${all.body.id}`;
  assert.equal((await app.call("DELETE", foreign, { cookie })).status, 404);
  assert.equal((await app.call("DELETE", foreign)).status, 204);
  assert.equal((await fetchFeed(all.body.url)).status, 404);
  assert.equal((await fetchFeed("http://x/v1/on-call/calendars/guess")).status, 404);
  await remove(id);
});

test("a feed shows who was on call in the past, whatever the settings are now", async () => {
  const id = await create("Changed", [ownerId]);
  const { body } = await app.call("POST", "/v1/on-call/feeds", { body: { scheduleId: id } });
  app.clock.advance(2 * 86_400_000);
  const rotation = { unit: "DAY", handoffTime: "09:00" };
  const shown = { name: "Daily", participants: [anna.userId], rotation, start: "2026-11-15T09:00" };
  const changed = { name: "Changed", layers: [shown] };
  assert.equal((await app.call("PUT", `${schedules}/${id}`, { body: changed })).status, 200);
  const feed = await app.call("GET", new URL(body.url).pathname, { key: null });
  assert.deepEqual(listSummaries(feed.text).slice(0, 2), [
    "2026-11-15T09:00 owner@example.com: Changed",
    "2026-11-17T12:00 anna@example.com: Changed",
  ]);
  app.clock.advance(-2 * 86_400_000);
  await remove(id);
});

test("the feed of somebody who left stops working", async () => {
  const dora = await addMember(app, "dora@example.com", { role: "READ_ONLY" });
  const id = await create("Left", [dora.userId]);
  const cookie = await signIn(app, dora.email, dora.password);
  const { body } = await app.call("POST", "/v1/on-call/feeds", {
    body: { scheduleId: id },
    cookie,
  });
  const path = new URL(body.url).pathname;
  assert.equal((await app.call("GET", path, { key: null })).status, 200);
  await app.call("DELETE", `/v1/accounts/me/members/${dora.userId}`);
  assert.equal((await app.call("GET", path, { key: null })).status, 404);
  await remove(id);
});

function writeCalendar(...events: readonly string[]): string {
  const bodies = events.map((lines) => `BEGIN:VEVENT\r\n${lines}\r\nEND:VEVENT`);
  return ["BEGIN:VCALENDAR", "VERSION:2.0", ...bodies, "END:VCALENDAR", ""].join("\r\n");
}

test("events are read with zones, whole days, durations, folds and alarms", () => {
  const text = writeCalendar(
    "DTSTART:20261120T080000Z\r\nDTEND:20261120T100000Z\r\nSUMMARY:Two\\, three\r\n  four",
    "DTSTART;TZID=America/New_York:20261120T080000\r\nDURATION:PT90M",
    'DTSTART;TZID="W. Europe Standard Time":20261120T080000\r\nDURATION:P1W',
    "DTSTART;VALUE=DATE:20261224\r\nBEGIN:VALARM\r\nDURATION:PT5M\r\nEND:VALARM",
    "DTSTART:soon\r\nRRULE:FREQ=DAILY\r\nSTATUS:CANCELLED",
  );
  const events = readEvents(text, { timeZone: "Europe/Berlin", limit: 10 }) ?? [];
  const iso = (atMs: number) => (Number.isNaN(atMs) ? "?" : new Date(atMs).toISOString());
  assert.deepEqual(
    events.map(({ fromMs, toMs }) => `${iso(fromMs).slice(0, 16)} ${iso(toMs).slice(0, 16)}`),
    [
      "2026-11-20T08:00 2026-11-20T10:00",
      "2026-11-20T13:00 2026-11-20T14:30",
      "2026-11-20T07:00 2026-11-27T07:00",
      "2026-12-23T23:00 2026-12-24T23:00",
      "? ?",
    ],
  );
  assert.equal(events[0]?.summary, "Two, three four");
  assert.deepEqual([events[4]?.recurrence !== null, events[4]?.isCancelled], [true, true]);
  assert.equal(readEvents(text, { timeZone: "UTC", limit: 2 })?.length, 2);
  assert.equal(readEvents("name,start\n", { timeZone: "UTC", limit: 2 }), null);
});

test("absences of a calendar give shifts to the next participant, once", async () => {
  const id = await create("Absences", [ownerId, anna.userId]);
  const path = `${schedules}/${id}/absences`;
  const calendar = writeCalendar(
    "DTSTART:20261117T000000Z\r\nDTEND:20261118T000000Z\r\nSUMMARY:Holiday",
    "DTSTART:20261101T000000Z\r\nDTEND:20261102T000000Z\r\nSUMMARY:Past",
    "DTSTART:20261103T000000Z\r\nDTEND:20261104T000000Z\r\nRRULE:FREQ=DAILY;INTERVAL=16;COUNT=3\r\nSUMMARY:Sometimes",
    "DTSTART:20261201T000000Z\r\nDTEND:20261202T000000Z\r\nRRULE:FREQ=HOURLY\r\nSUMMARY:Hourly",
  );
  const body = { userId: ownerId, calendar };
  const first = await app.call("POST", path, { body });
  assert.equal(first.status, 201, first.text);
  const days = ["2026-11-17", "2026-11-19", "2026-12-05"];
  const nextDays = ["2026-11-18", "2026-11-20", "2026-12-06"];
  assert.deepEqual(first.body, {
    replaced: days.map((day, index) => ({
      from: `${day}T09:00:00.000Z`,
      to: `${nextDays[index]}T00:00:00.000Z`,
      userId: anna.userId,
      name: "anna@example.com",
    })),
    uncovered: [],
    skipped: [
      { summary: "Past", reason: "It has ended." },
      {
        summary: "Hourly",
        reason: "How it recurs is not supported. Add its dates as single events.",
      },
    ],
  });
  assert.deepEqual((await app.call("POST", path, { body })).body.replaced, []);
  const { body: page } = await app.call("GET", `${schedules}/${id}/overrides`);
  assert.equal(page.entries[0].reason, "owner@example.com is absent");
  const alone = await create("Alone", [ownerId]);
  const uncovered = await app.call("POST", `${schedules}/${alone}/absences`, { body });
  assert.equal(uncovered.body.uncovered.length, 6);
  const bad = await app.call("POST", path, { body: { ...body, calendar: "a,b" } });
  assert.equal(bad.status, 400);
  assert.deepEqual(bad.body.validation.keys, ["calendar"]);
  await remove(id, alone);
});

test("gaps and members who cannot be reached are in metrics, diagnosis and warnings", async () => {
  const id = await create("Night watch", [ownerId], { end: "2026-11-21T18:00" });
  const empty = await app.call("POST", schedules, { body: { name: "Empty" } });
  app.clock.advance(61_000);
  const { text } = await app.call("GET", "/metrics", { key: null });
  assert.match(text, /^vedette_on_call_schedules_unattended 1$/m);
  assert.match(text, /^vedette_on_call_schedules_with_gaps 2$/m);
  assert.match(text, /^vedette_on_call_members_unreachable 1$/m);
  assert.match(text, /^vedette_on_call_accounts_without_fallback 1$/m);
  assert.equal(text.includes("Night watch"), false);
  const { body } = await app.call("GET", "/v1/doctor");
  const found = body.findings.filter(({ area }: { area: string }) => area === "On call");
  assert.deepEqual(
    found.map(({ level, sentence }: { level: string; sentence: string }) => [level, sentence]),
    [
      ["warn", "Empty: Nobody is on call."],
      ["warn", "Night watch: Nobody is on call from Sat 21 Nov 18:00 (UTC)."],
      // The server of the tests sends no mail.
      ["warn", "owner@example.com is on call now and has no working contact method."],
      [
        "warn",
        "A page that reaches nobody is lost: there is no fallback channel, and no owner can receive email.",
      ],
    ],
  );
  const { body: warnings } = await app.call("GET", "/v1/on-call/warnings");
  assert.deepEqual(
    warnings.map(({ kind, scheduleName }: Record<string, unknown>) => [kind, scheduleName]),
    [
      ["GAP", "Empty"],
      ["GAP", "Night watch"],
      ["NO_METHOD", "Night watch"],
      ["NO_FALLBACK", null],
    ],
  );
  await remove(id, empty.body.id);
});
