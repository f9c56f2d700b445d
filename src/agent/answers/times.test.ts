import assert from "node:assert/strict";
import { test } from "node:test";
import { readTimes } from "./times.ts";

/** A Sunday. */
const nowMs = Date.parse("2026-11-15T12:00:00Z");

function span(text: string, offsetMs = 0): string {
  const [period] = readTimes(text, { nowMs, offsetMs }).periods;
  if (period === undefined) return "none";
  const short = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  return `${short(period.fromMs)} ${short(period.toMs)}`;
}

const periods: Readonly<Record<string, string>> = {
  today: "2026-11-15T00:00 2026-11-16T00:00",
  yesterday: "2026-11-14T00:00 2026-11-15T00:00",
  "the day before yesterday": "2026-11-13T00:00 2026-11-14T00:00",
  "last night": "2026-11-14T18:00 2026-11-15T06:00",
  "in the last 90 minutes": "2026-11-15T10:30 2026-11-15T12:00",
  "last 24h": "2026-11-14T12:00 2026-11-15T12:00",
  "the last couple of hours": "2026-11-15T10:00 2026-11-15T12:00",
  "past week": "2026-11-08T12:00 2026-11-15T12:00",
  "last week": "2026-11-02T00:00 2026-11-09T00:00",
  "next week": "2026-11-16T00:00 2026-11-23T00:00",
  "last month": "2026-10-01T00:00 2026-11-01T00:00",
  "since monday": "2026-11-09T00:00 2026-11-15T12:00",
  "since 14:00": "2026-11-14T14:00 2026-11-15T12:00",
  "since 2 hours ago": "2026-11-15T10:00 2026-11-15T12:00",
  "between 2026-11-01 and 2026-11-03": "2026-11-01T00:00 2026-11-04T00:00",
  "between 10:00 and 11:30 yesterday": "2026-11-14T10:00 2026-11-14T11:30",
  "yesterday between 10:00 and 12:00": "2026-11-14T10:00 2026-11-14T12:00",
  "from friday until now": "2026-11-13T00:00 2026-11-15T12:00",
  "on 12.11.2026": "2026-11-12T00:00 2026-11-13T00:00",
  "on nov 12th 2025": "2025-11-12T00:00 2025-11-13T00:00",
  "on the 3rd of december": "2025-12-03T00:00 2025-12-04T00:00",
  "in october": "2026-10-01T00:00 2026-11-01T00:00",
  "at 2pm yesterday": "2026-11-14T13:45 2026-11-14T14:15",
  "yesterday at 10": "2026-11-14T09:45 2026-11-14T10:15",
  "2 hours ago": "2026-11-15T09:30 2026-11-15T10:30",
  "30 days": "2026-10-16T12:00 2026-11-15T12:00",
};

for (const [text, wanted] of Object.entries(periods)) {
  test(`"${text}" is ${wanted}`, () => assert.equal(span(text), wanted));
}

test("text that only resembles a time is none", () => {
  const none = ["at 20 % loss", "every 5 minutes", "may i ask", "slower than 50 ms"];
  for (const text of [...none, "on 2026-02-30", "since when", "p95", "10.0.0.1", "a and b"]) {
    assert.equal(span(text), "none", text);
  }
});

test("times of day are in the zone of the caller, and a length is read with its period", () => {
  assert.equal(span("this morning", 2 * 3_600_000), "2026-11-15T04:00 2026-11-15T10:00");
  const { minutes, masked } = readTimes("mute edge for 2 hours", { nowMs, offsetMs: 0 });
  assert.deepEqual([minutes, masked], [120, "mute edge for LENGTH"]);
});
