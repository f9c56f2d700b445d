import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type AnnouncedWindow,
  findFirstAnnouncementMs,
  findNextAnnouncementMs,
  listDueAnnouncements,
  maxLateMs,
} from "./due-announcement.ts";
import { type MaintenanceWindow, nextOccurrence } from "./maintenance-window.ts";
import { hiddenFromPages, type PageVisibility } from "./planned-window.ts";
import { repeatUnits } from "./recurrence.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const at = (text: string) => Date.parse(text);

const once: MaintenanceWindow = {
  startsAtMs: at("2026-12-01T22:00Z"),
  endsAtMs: at("2026-12-02T00:00Z"),
  timeZone: "UTC",
  repeatInterval: null,
  repeatUnit: null,
  repeatEndsAtMs: null,
  tags: [],
  pauseAllChecks: false,
  silenceAllAlerts: false,
  silenceAlertsTags: [],
};
const everything: PageVisibility = {
  ...hiddenFromPages,
  enabled: true,
  notifyOnStart: true,
  notifyOnEnd: true,
  reminderMinutesBefore: [60, 1_440],
};

function announced(
  schedule: Partial<MaintenanceWindow> = {},
  visibility: Partial<PageVisibility> = {},
  savedAt = "2026-11-01T00:00Z",
): AnnouncedWindow {
  return {
    schedule: { ...once, ...schedule },
    visibility: { ...everything, ...visibility },
    savedAtMs: at(savedAt),
  };
}

const kindsAt = (window: AnnouncedWindow, time: string) =>
  listDueAnnouncements(window, at(time)).map(({ kind, status }) => `${kind} ${status}`);

test("each announcement is due at its time, and not before", () => {
  const window = announced();
  const expected: readonly (readonly [string, readonly string[]])[] = [
    ["2026-11-30T21:59:59.999Z", []],
    ["2026-11-30T22:00Z", ["REMINDER-1440 SCHEDULED"]],
    ["2026-12-01T21:00Z", ["REMINDER-60 SCHEDULED"]],
    ["2026-12-01T22:00Z", ["START IN_PROGRESS"]],
    ["2026-12-01T23:59:59.999Z", []],
    ["2026-12-02T00:00Z", ["END COMPLETED"]],
    ["2026-12-03T00:00Z", []],
  ];
  for (const [time, kinds] of expected) assert.deepEqual(kindsAt(window, time), kinds, time);
});

test("after a downtime, announcements are due for at most an hour", () => {
  const window = announced({ endsAtMs: at("2026-12-02T08:00Z") });
  assert.deepEqual(kindsAt(window, "2026-12-01T22:59:59.999Z"), ["START IN_PROGRESS"]);
  assert.deepEqual(kindsAt(window, "2026-12-01T23:00Z"), []);
  assert.deepEqual(kindsAt(window, "2026-12-02T08:59:59.999Z"), ["END COMPLETED"]);
  assert.deepEqual(kindsAt(window, "2026-12-02T09:00Z"), []);
});

test("an outdated announcement is skipped", () => {
  const short = announced({ endsAtMs: at("2026-12-01T22:10Z") });
  assert.deepEqual(kindsAt(short, "2026-12-01T22:30Z"), ["END COMPLETED"]);
  const began = announced({}, { reminderMinutesBefore: [60] });
  assert.deepEqual(kindsAt(began, "2026-12-01T21:59:59Z"), ["REMINDER-60 SCHEDULED"]);
  assert.deepEqual(kindsAt(began, "2026-12-01T22:00Z"), ["START IN_PROGRESS"]);
});

test("times before the window was saved are not announced, except its start", () => {
  const late = announced({}, {}, "2026-12-01T22:20Z");
  assert.deepEqual(kindsAt(late, "2026-12-01T22:20Z"), ["START IN_PROGRESS"]);
  assert.equal(findFirstAnnouncementMs(late), once.startsAtMs);
  const over = announced({}, {}, "2026-12-02T00:20Z");
  assert.deepEqual(kindsAt(over, "2026-12-02T00:20Z"), []);
  const near = announced({}, {}, "2026-12-01T21:20Z");
  assert.deepEqual(kindsAt(near, "2026-12-01T21:20Z"), []);
});

test("nothing is due for a window that is hidden or has no notifications", () => {
  const silent = { notifyOnStart: false, notifyOnEnd: false, reminderMinutesBefore: [] };
  for (const visibility of [{ enabled: false }, silent]) {
    const window = announced({}, visibility);
    assert.equal(findFirstAnnouncementMs(window), null);
    assert.deepEqual(kindsAt(window, "2026-12-01T22:00Z"), []);
  }
});

test("if one occurrence ends when the next starts, the end is announced first", () => {
  const daily = { repeatUnit: "DAY", endsAtMs: at("2026-12-02T22:00Z") } as const;
  const window = announced(daily, { reminderMinutesBefore: [] });
  assert.deepEqual(kindsAt(window, "2026-12-02T22:00Z"), ["END COMPLETED", "START IN_PROGRESS"]);
});

test("a reminder keeps its distance to the start across a DST change", () => {
  const berlin = {
    startsAtMs: at("2026-10-24T01:00Z"),
    endsAtMs: at("2026-10-24T02:00Z"),
    timeZone: "Europe/Berlin",
    repeatUnit: "DAY",
  } as const;
  // From the 25th on, 03:00 in Berlin is an hour later in UTC.
  const window = announced(berlin, { reminderMinutesBefore: [60] }, "2026-10-01T00:00Z");
  assert.deepEqual(kindsAt(window, "2026-10-25T01:00Z"), ["REMINDER-60 SCHEDULED"]);
  assert.deepEqual(kindsAt(window, "2026-10-25T02:00Z"), ["START IN_PROGRESS"]);
  assert.deepEqual(kindsAt(window, "2026-10-25T03:00Z"), ["END COMPLETED"]);
});

const windows: fc.Arbitrary<AnnouncedWindow> = fc
  .record({
    startsHours: fc.integer({ min: -500, max: 500 }),
    lastsMinutes: fc.integer({ min: 1, max: 3_000 }),
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe"),
    repeatInterval: fc.option(fc.integer({ min: 1, max: 9 })),
    repeatUnit: fc.option(fc.constantFrom(...repeatUnits)),
    endsAfterHours: fc.option(fc.integer({ min: 0, max: 1_000 })),
    notifyOnStart: fc.boolean(),
    notifyOnEnd: fc.boolean(),
    reminderMinutesBefore: fc.uniqueArray(fc.integer({ min: 60, max: 10_080 }), { maxLength: 3 }),
  })
  .map(({ startsHours, lastsMinutes, endsAfterHours, timeZone, ...rest }) => {
    const { repeatInterval, repeatUnit, ...visibility } = rest;
    const startsAtMs = at("2026-10-20T00:00Z") + startsHours * hourMs;
    return {
      schedule: {
        ...once,
        startsAtMs,
        endsAtMs: startsAtMs + lastsMinutes * minuteMs,
        timeZone,
        repeatInterval,
        repeatUnit,
        repeatEndsAtMs: endsAfterHours === null ? null : startsAtMs + endsAfterHours * hourMs,
      },
      visibility: { ...everything, ...visibility },
      savedAtMs: at("2026-10-15T00:00Z"),
    };
  });

/**
 * Reference implementation: lists every announcement since the window was saved, from the
 * occurrences alone.
 */
function listAllAnnouncements(
  { schedule, visibility, savedAtMs }: AnnouncedWindow,
  untilMs: number,
) {
  const all: string[] = [];
  const note = (kind: string, atMs: number) => {
    if (atMs >= savedAtMs && atMs <= untilMs) all.push(`${new Date(atMs).toISOString()} ${kind}`);
  };
  const weekMs = 7 * 24 * hourMs;
  let next = nextOccurrence(schedule, 0);
  while (next !== null && next.startsAtMs <= untilMs + weekMs) {
    if (visibility.notifyOnEnd) note("END", next.endsAtMs);
    if (visibility.notifyOnStart) note("START", next.startsAtMs);
    for (const minutes of visibility.reminderMinutesBefore) {
      note(`REMINDER-${minutes}`, next.startsAtMs - minutes * minuteMs);
    }
    next = nextOccurrence(schedule, next.startsAtMs);
  }
  return all.toSorted();
}

test("waiting from one announcement to the next finds all of them and no others", () => {
  fc.assert(
    fc.property(windows, (window) => {
      const untilMs = at("2026-11-05T00:00Z");
      const found: string[] = [];
      let nowMs = findFirstAnnouncementMs(window);
      for (let step = 0; nowMs !== null && nowMs <= untilMs; step += 1) {
        assert.ok(step < 2_000);
        for (const { kind, atMs } of listDueAnnouncements(window, nowMs)) {
          const line = `${new Date(atMs).toISOString()} ${kind}`;
          if (atMs >= window.savedAtMs && !found.includes(line)) found.push(line);
        }
        nowMs = findNextAnnouncementMs(window, nowMs);
      }
      assert.deepEqual(found.toSorted(), listAllAnnouncements(window, untilMs));
    }),
  );
});

test("nothing is due more than an hour late, or early", () => {
  const times = fc.integer({ min: at("2026-10-10T00:00Z"), max: at("2026-11-10T00:00Z") });
  fc.assert(
    fc.property(windows, times, (window, nowMs) => {
      for (const { atMs } of listDueAnnouncements(window, nowMs)) {
        assert.ok(atMs <= nowMs && nowMs - atMs < maxLateMs);
      }
    }),
  );
});
