import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isInWindow, type MaintenanceWindow } from "./maintenance-window.ts";
import { isInSpans, listMaintenanceSpans } from "./occurrence.ts";
import { repeatUnits } from "./recurrence.ts";

const hourMs = 3_600_000;
const fromMs = Date.parse("2026-03-20T00:00:00Z");
const toMs = Date.parse("2026-04-19T00:00:00Z");

const windows: fc.Arbitrary<MaintenanceWindow> = fc
  .record({
    startsHours: fc.integer({ min: -3_000, max: 800 }),
    lastsHours: fc.integer({ min: 1, max: 60 }),
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe"),
    repeatInterval: fc.option(fc.integer({ min: 1, max: 40 })),
    repeatUnit: fc.option(fc.constantFrom(...repeatUnits)),
    endsAfterHours: fc.option(fc.integer({ min: 0, max: 4_000 })),
    changed: fc.uniqueArray(
      fc.record({
        index: fc.integer({ min: 0, max: 60 }),
        movedHours: fc.integer({ min: -200, max: 200 }),
        lastsHours: fc.integer({ min: 1, max: 60 }),
        status: fc.constantFrom(null, "IN_PROGRESS", "COMPLETED", "CANCELLED", "DELETED"),
      }),
      { maxLength: 6, selector: ({ index }) => index },
    ),
  })
  .map(({ startsHours, lastsHours, endsAfterHours, changed, ...rest }) => {
    const startsAtMs = fromMs + startsHours * hourMs;
    const changes = changed.map(({ index, status, ...by }) => {
      const movedMs = fromMs + (by.movedHours + 300) * hourMs;
      return { index, status, startsAtMs: movedMs, endsAtMs: movedMs + by.lastsHours * hourMs };
    });
    return {
      ...rest,
      startsAtMs,
      endsAtMs: startsAtMs + lastsHours * hourMs,
      repeatEndsAtMs: endsAfterHours === null ? null : startsAtMs + endsAfterHours * hourMs,
      tags: [],
      pauseAllChecks: false,
      silenceAllAlerts: true,
      silenceAlertsTags: [],
      changes,
    };
  });

test("the spans agree with the windows at every instant", () => {
  const times = fc.array(fc.integer({ min: fromMs, max: toMs }), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(windows, { maxLength: 4 }), times, (all, others) => {
      const spans = listMaintenanceSpans(all, fromMs, toMs);
      const edges = spans.flatMap(({ startsAtMs, endsAtMs }) => [
        startsAtMs - 1,
        startsAtMs,
        endsAtMs - 1,
        endsAtMs,
      ]);
      for (const atMs of [fromMs, toMs, ...others, ...edges]) {
        if (atMs < fromMs || atMs > toMs) continue;
        const isOpen = all.some((window) => isInWindow(window, atMs));
        assert.equal(isInSpans(spans, atMs), isOpen, new Date(atMs).toISOString());
      }
    }),
  );
});

test("without windows there are no spans", () => {
  assert.deepEqual(listMaintenanceSpans([], fromMs, toMs), []);
  assert.equal(isInSpans([], fromMs), false);
});
