import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { extendToPeriodEnd, readTime, readTimeInZone } from "./time-window.ts";
import { readWords } from "./words.ts";

/** A Sunday. */
const nowMs = Date.parse("2026-11-15T12:00:00Z");

function read(text: string) {
  return readTime(
    readWords(text).map((word) => word.text),
    nowMs,
  );
}

function span(text: string): string {
  const { window } = read(text);
  if (window === null) return "none";
  const short = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  return `${short(window.fromMs)} ${short(window.toMs)}`;
}

const windows: Readonly<Record<string, string>> = {
  today: "2026-11-15T00:00 2026-11-15T12:00",
  yesterday: "2026-11-14T00:00 2026-11-15T00:00",
  "the day before yesterday": "2026-11-13T00:00 2026-11-14T00:00",
  tomorrow: "2026-11-16T00:00 2026-11-17T00:00",
  "last night": "2026-11-14T18:00 2026-11-15T06:00",
  "this morning": "2026-11-15T06:00 2026-11-15T12:00",
  "last 24h": "2026-11-14T12:00 2026-11-15T12:00",
  "in the last 90 minutes": "2026-11-15T10:30 2026-11-15T12:00",
  "over the past three days": "2026-11-12T12:00 2026-11-15T12:00",
  "last hour": "2026-11-15T11:00 2026-11-15T12:00",
  "the past hour": "2026-11-15T11:00 2026-11-15T12:00",
  "last half an hour": "2026-11-15T11:30 2026-11-15T12:00",
  "the last couple of hours": "2026-11-15T10:00 2026-11-15T12:00",
  "past week": "2026-11-08T12:00 2026-11-15T12:00",
  "last week": "2026-11-02T00:00 2026-11-09T00:00",
  "this week": "2026-11-09T00:00 2026-11-15T12:00",
  "next week": "2026-11-16T00:00 2026-11-23T00:00",
  "last 2 weeks": "2026-11-01T12:00 2026-11-15T12:00",
  "last month": "2026-10-01T00:00 2026-11-01T00:00",
  "this month": "2026-11-01T00:00 2026-11-15T12:00",
  "last year": "2025-01-01T00:00 2026-01-01T00:00",
  "next 3 days": "2026-11-15T12:00 2026-11-18T12:00",
  "since Monday": "2026-11-09T00:00 2026-11-15T12:00",
  "since yesterday": "2026-11-14T00:00 2026-11-15T12:00",
  "since 10:30": "2026-11-15T10:30 2026-11-15T12:00",
  "since 9": "2026-11-15T09:00 2026-11-15T12:00",
  "since 14:00": "2026-11-14T14:00 2026-11-15T12:00",
  "since 2 hours ago": "2026-11-15T10:00 2026-11-15T12:00",
  "since last week": "2026-11-02T00:00 2026-11-15T12:00",
  "since midnight": "2026-11-15T00:00 2026-11-15T12:00",
  "since 2026-11-12": "2026-11-12T00:00 2026-11-15T12:00",
  "between 2026-11-01 and 2026-11-03": "2026-11-01T00:00 2026-11-04T00:00",
  "between 10:00 and 11:30": "2026-11-15T10:00 2026-11-15T11:30",
  "between Monday and Wednesday": "2026-11-09T00:00 2026-11-12T00:00",
  "from 2026-11-12 14:00 to 2026-11-12 16:00": "2026-11-12T14:00 2026-11-12T16:00",
  "from Friday until now": "2026-11-13T00:00 2026-11-15T12:00",
  "between yesterday at 14:00 and 15:00": "2026-11-14T14:00 2026-11-14T15:00",
  "on 2026-11-12": "2026-11-12T00:00 2026-11-13T00:00",
  "on 2026-11-12 at 14:00": "2026-11-12T13:45 2026-11-12T14:15",
  "2026-11-12T14:00Z": "2026-11-12T13:45 2026-11-12T14:15",
  "on 12.11.2026": "2026-11-12T00:00 2026-11-13T00:00",
  "on 12 November": "2026-11-12T00:00 2026-11-13T00:00",
  "on Nov 12th 2025": "2025-11-12T00:00 2025-11-13T00:00",
  "on the 3rd of December": "2025-12-03T00:00 2025-12-04T00:00",
  "on Monday": "2026-11-09T00:00 2026-11-10T00:00",
  "last Sunday": "2026-11-08T00:00 2026-11-09T00:00",
  "on Sunday": "2026-11-15T00:00 2026-11-16T00:00",
  "in October": "2026-10-01T00:00 2026-11-01T00:00",
  "in December": "2025-12-01T00:00 2026-01-01T00:00",
  "at 14:00": "2026-11-14T13:45 2026-11-14T14:15",
  "at 2pm yesterday": "2026-11-14T13:45 2026-11-14T14:15",
  "at 10:00 yesterday": "2026-11-14T09:45 2026-11-14T10:15",
  "yesterday at 10": "2026-11-14T09:45 2026-11-14T10:15",
  "at noon": "2026-11-15T11:45 2026-11-15T12:15",
  "2 hours ago": "2026-11-15T09:30 2026-11-15T10:30",
  "3 days ago": "2026-11-12T00:00 2026-11-13T00:00",
  "30 days": "2026-10-16T12:00 2026-11-15T12:00",
};

for (const [text, wanted] of Object.entries(windows)) {
  test(`"${text}" is ${wanted}`, () => assert.equal(span(text), wanted));
}

test("text that only resembles a time is not a time", () => {
  const none = [
    "at 20 % loss",
    "every 5 minutes",
    "may I ask",
    "slower than 50 ms",
    "the second one",
    "on 2026-02-30",
    "at 25:00",
    "since when",
    "check 12",
    "p95",
    "mar-gateway",
    "10.0.0.1",
  ];
  for (const text of none) assert.equal(span(text), "none", text);
});

test("two windows are returned in order", () => {
  const { window, second } = read("compare this week with last week");
  assert.equal(window?.label, "this week");
  assert.equal(second?.label, "last week");
});

test("“now” is not a window", () => {
  for (const text of ["right now", "currently", "at the moment", "now"]) {
    const { window, isNow } = read(text);
    assert.equal(window, null);
    assert.equal(isNow, true);
  }
});

const timeWords = fc.constantFrom(
  ..."last past since between and from to on at in the next ago 3 24 14:00 2026-11-12 monday week day hours h d minutes november yesterday today noon pm of half a".split(
    " ",
  ),
);

test("any words are read without errors into windows with a positive length", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(timeWords, fc.string()), { maxLength: 12 }), (words) => {
      const { window, second, used } = readTime(words, nowMs);
      for (const one of [window, second]) {
        if (one === null) continue;
        assert.ok(Number.isFinite(one.fromMs) && Number.isFinite(one.toMs));
        assert.ok(one.fromMs < one.toMs, `${words.join(" ")}: ${one.fromMs} ${one.toMs}`);
        assert.ok(one.fromMs >= 0);
      }
      for (const index of used) assert.ok(index >= 0 && index < words.length);
    }),
  );
});

test("the last N hours end now and have the right length", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999 }), (count) => {
      const { window } = read(`what changed in the last ${count} hours`);
      assert.equal(window?.toMs, nowMs);
      assert.equal(nowMs - (window?.fromMs ?? 0), count * 3_600_000);
    }),
  );
});

test("times of day are in the user's time zone", () => {
  const nowMs = Date.parse("2026-11-15T12:00:00Z");
  const { window } = readTimeInZone(["this", "morning"], nowMs, 2 * 3_600_000);
  assert.equal(new Date(window?.fromMs ?? 0).toISOString(), "2026-11-15T04:00:00.000Z");
  const relative = readTimeInZone(["last", "hour"], nowMs, 2 * 3_600_000).window;
  assert.equal(relative?.toMs, nowMs);
});

test("the current day, week and month extend to their end, in every time zone", () => {
  const readEnd = (words: readonly string[], offsetHours: number) => {
    const { window } = readTimeInZone(words, nowMs, offsetHours * 3_600_000);
    assert.ok(window !== null);
    return new Date(extendToPeriodEnd(window).toMs).toISOString().slice(0, 16);
  };
  assert.equal(readEnd(["today"], 0), "2026-11-16T00:00");
  assert.equal(readEnd(["this", "week"], 0), "2026-11-16T00:00");
  assert.equal(readEnd(["this", "month"], 0), "2026-12-01T00:00");
  assert.equal(readEnd(["this", "month"], 2), "2026-11-30T22:00");
  assert.equal(readEnd(["this", "month"], -8), "2026-12-01T08:00");
  assert.equal(readEnd(["yesterday"], 0), "2026-11-15T00:00");
});

test("“from … on” ends now, and “until now” is not a question about the present", () => {
  assert.equal(span("failing from yesterday on"), "2026-11-14T00:00 2026-11-15T12:00");
  assert.equal(span("failing from 10:00 onwards"), "2026-11-15T10:00 2026-11-15T12:00");
  assert.equal(span("failing from yesterday"), span("failing yesterday"));
  assert.deepEqual(
    [read("what changed until now").isNow, read("what fails now").isNow],
    [false, true],
  );
});
