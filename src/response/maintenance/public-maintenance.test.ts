import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createAlertingFixture } from "../../../test/support/modules/alerting.ts";
import { addPlannedWindow } from "../../../test/support/modules/automatic-incidents.ts";
import { isInWindow, type MaintenanceWindow } from "./maintenance-window.ts";
import type { PublishedWindow } from "./planned-window.ts";
import { hiddenFromPages } from "./planned-window.ts";
import { expandMaintenance, listPublicMaintenance, maxOccurrences } from "./public-maintenance.ts";
import { repeatUnits } from "./recurrence.ts";
import { findWindow, updateWindow } from "./store.ts";

const hourMs = 3_600_000;
const at = (text: string) => new Date(text);

function build(id: number, schedule: Partial<MaintenanceWindow>): PublishedWindow {
  return {
    id,
    calendarId: `calendar-${id}`,
    sequence: 0,
    name: `Window ${id}`,
    description: null,
    visibility: { ...hiddenFromPages, enabled: true },
    createdAt: at("2026-01-01T00:00:00Z"),
    updatedAt: null,
    schedule: {
      startsAtMs: at("2026-10-24T01:00:00Z").getTime(),
      endsAtMs: at("2026-10-24T02:00:00Z").getTime(),
      timeZone: "UTC",
      repeatInterval: null,
      repeatUnit: null,
      repeatEndsAtMs: null,
      tags: [],
      pauseAllChecks: false,
      silenceAllAlerts: false,
      silenceAlertsTags: [],
      ...schedule,
    },
  };
}

const showStarts = (list: readonly { readonly startsAt: Date }[]) =>
  list.map(({ startsAt }) => startsAt.toISOString().slice(0, 16));

test("occurrences are ordered by start, at their local time", () => {
  const daily = build(1, { timeZone: "Europe/Berlin", repeatUnit: "DAY" });
  const once = build(2, {
    startsAtMs: at("2026-10-25T01:30:00Z").getTime(),
    endsAtMs: at("2026-10-25T05:00:00Z").getTime(),
  });
  const span = { from: at("2026-10-24T01:30:00Z"), to: at("2026-10-26T02:00:00Z") };
  const list = expandMaintenance([daily, once], span);
  assert.deepEqual(showStarts(list), [
    "2026-10-24T01:00",
    "2026-10-25T01:30",
    "2026-10-25T02:00",
    "2026-10-26T02:00",
  ]);
  assert.deepEqual(
    list.map(({ windowId }) => windowId),
    [1, 2, 1, 1],
  );
});

test("occurrences outside the span are excluded", () => {
  const once = build(1, {});
  const [start, end] = ["2026-10-24T01:00:00Z", "2026-10-24T02:00:00Z"];
  const count = (from: string, to: string) =>
    expandMaintenance([once], { from: at(from), to: at(to) }).length;
  assert.equal(count(end, "2026-12-01T00:00:00Z"), 0);
  assert.equal(count("2026-01-01T00:00:00Z", "2026-10-24T00:59:59Z"), 0);
  assert.equal(count("2026-10-24T01:59:59Z", "2026-12-01T00:00:00Z"), 1);
  assert.equal(count("2026-01-01T00:00:00Z", start), 1);
});

test("the number of occurrences is limited to the first ones", () => {
  const daily = [1, 2, 3].map((id) => build(id, { repeatUnit: "DAY" }));
  const span = { from: at("2026-10-24T00:00:00Z"), to: at("9999-01-01T00:00:00Z") };
  const list = expandMaintenance(daily, span);
  assert.equal(list.length, maxOccurrences);
  assert.deepEqual(
    list.slice(0, 4).map(({ windowId, startsAt }) => [windowId, startsAt.getUTCDate()]),
    [
      [1, 24],
      [2, 24],
      [3, 24],
      [1, 25],
    ],
  );
});

test("the list agrees with the window at every instant", () => {
  const fromMs = at("2026-10-01T00:00:00Z").getTime();
  const span = { from: new Date(fromMs), to: new Date(fromMs + 60 * 24 * hourMs) };
  const schedules = fc.record({
    startsAtMs: fc.integer({ min: -500, max: 500 }).map((hours) => fromMs + hours * hourMs),
    lastsHours: fc.integer({ min: 1, max: 23 }),
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York"),
    repeatInterval: fc.integer({ min: 1, max: 5 }),
    repeatUnit: fc.option(fc.constantFrom(...repeatUnits)),
  });
  const times = fc.integer({ min: 0, max: 60 * 24 * 60 });
  fc.assert(
    fc.property(schedules, times, ({ lastsHours, ...rest }, minutes) => {
      const window = build(1, { ...rest, endsAtMs: rest.startsAtMs + lastsHours * hourMs });
      const atMs = fromMs + minutes * 60_000;
      const isListed = expandMaintenance([window], span).some(
        ({ startsAt, endsAt }) => startsAt.getTime() <= atMs && atMs < endsAt.getTime(),
      );
      assert.equal(isListed, isInWindow(window.schedule, atMs));
    }),
  );
});

test("only published windows are listed, with all fields that a page needs", async (t) => {
  const fixture = await createAlertingFixture(t);
  const ids = { serviceIds: [randomUUIDv7()], statusPageIds: [randomUUIDv7()] };
  const times = { fromMinutes: 10, toMinutes: 20 };
  await addPlannedWindow(fixture, times, { enabled: false });
  const shown = { ...ids, enabled: true, severity: "MAJOR", showAffectedServices: false } as const;
  const windowId = await addPlannedWindow(fixture, times, shown);
  const nowMs = fixture.clock.now().getTime();
  const span = { from: new Date(nowMs), to: new Date(nowMs + hourMs) };
  const { db } = fixture.context;
  const listed = await listPublicMaintenance(db, fixture.accountId, span);
  assert.deepEqual(listed, [
    {
      windowId,
      uid: listed[0]?.uid,
      sequence: 0,
      name: "Patch day",
      description: null,
      startsAt: new Date(nowMs + 600_000),
      endsAt: new Date(nowMs + 1_200_000),
      status: "SCHEDULED",
      severity: "MAJOR",
      affectsAllServices: false,
      ...ids,
      showAffectedServices: false,
      changedAt: fixture.clock.now(),
    },
  ]);
  assert.deepEqual(await listPublicMaintenance(db, randomUUIDv7(), span), []);
});

test("an occurrence keeps its id when the window is moved, and no two have the same", () => {
  const daily = { timeZone: "Europe/Berlin", repeatUnit: "DAY" } as const;
  const span = { from: at("2026-10-24T00:00:00Z"), to: at("2026-10-28T00:00:00Z") };
  const idsOf = (window: PublishedWindow) =>
    expandMaintenance([window], span).map(({ uid }) => uid);
  const planned = idsOf(build(1, daily));
  assert.deepEqual(planned, ["calendar-1-0", "calendar-1-1", "calendar-1-2", "calendar-1-3"]);
  const moved = {
    startsAtMs: at("2026-10-24T05:00:00Z").getTime(),
    endsAtMs: at("2026-10-24T09:00:00Z").getTime(),
  };
  assert.deepEqual(idsOf(build(1, { ...daily, ...moved })), planned);
  const later = { from: at("2026-10-26T00:00:00Z"), to: at("2026-10-26T23:00:00Z") };
  const [one] = expandMaintenance([build(1, daily)], later);
  assert.equal(one?.uid, "calendar-1-2");
});

test("a change increments the calendar sequence and keeps the id", async (t) => {
  const fixture = await createAlertingFixture(t);
  const { db } = fixture.context;
  const { accountId } = fixture;
  const id = await addPlannedWindow(fixture, { fromMinutes: 5, toMinutes: 60 }, { enabled: true });
  const from = fixture.clock.now();
  const read = async () => {
    const [one] = await listPublicMaintenance(db, accountId, {
      from,
      to: new Date(from.getTime() + 24 * hourMs),
    });
    return one;
  };
  const before = await read();
  const window = await findWindow(db, accountId, id);
  assert.ok(window && before);
  const { schedule } = window;
  const endsAtMs = schedule.endsAtMs + hourMs;
  const changed = { ...window, schedule: { ...schedule, endsAtMs }, nextAnnouncementAt: null };
  await updateWindow(db, accountId, changed);
  const after = await read();
  assert.match(before.uid, /^[0-9a-f-]{36}-0$/);
  assert.deepEqual([after?.uid, before.sequence, after?.sequence], [before.uid, 0, 1]);
});
