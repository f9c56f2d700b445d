import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { State } from "../../pages/states.ts";
import type { FollowedCheck } from "../../runs/states/index.ts";
import { formatAvailability } from "../../runs/statistics/index.ts";
import type { Follow } from "../../sites/status-pages/index.ts";
import { type Severity, severities } from "./incident.ts";
import {
  addServiceTimes,
  combineFollowed,
  computeServiceAvailability,
  dayMs,
  decideServiceState,
  isFailing,
  listServiceDays,
  measureService,
  type Outage,
} from "./service-state.ts";
import type { CheckTrouble } from "./trouble-store.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const noon = Date.parse("2026-11-15T12:00:00Z");
const today = Date.parse("2026-11-15T00:00:00Z");

let outages = 0;
function outage(severity: Severity, ...spans: (readonly [number, number | null])[]): Outage {
  outages += 1;
  const openSpans = spans.map(([fromMs, toMs]) => ({ fromMs, toMs }));
  return { incidentId: `incident-${outages}`, severity, openSpans };
}

test("a day without an incident is up, and today ends now", () => {
  const days = listServiceDays({ knownFromMs: 0, outages: [] }, { days: 3, nowMs: noon });
  assert.deepEqual(days, [
    { date: "2026-11-13", failingMs: 0, degradedMs: 0, knownMs: dayMs, incidentIds: [] },
    { date: "2026-11-14", failingMs: 0, degradedMs: 0, knownMs: dayMs, incidentIds: [] },
    { date: "2026-11-15", failingMs: 0, degradedMs: 0, knownMs: 12 * hourMs, incidentIds: [] },
  ]);
  assert.equal(computeServiceAvailability(addServiceTimes(days)), 1);
});

test("CRITICAL and MAJOR count as down; MEDIUM and MINOR as degraded", () => {
  assert.deepEqual(severities.map(isFailing), [true, true, false, false]);
  for (const severity of severities) {
    const history = { knownFromMs: 0, outages: [outage(severity, [today, today + hourMs])] };
    const [day] = listServiceDays(history, { days: 1, nowMs: noon });
    assert.equal(day?.failingMs, isFailing(severity) ? hourMs : 0);
    assert.equal(day?.degradedMs, isFailing(severity) ? 0 : hourMs);
    const availability = day && computeServiceAvailability(day);
    assert.equal(availability, isFailing(severity) ? 11 / 12 : 1);
  }
});

test("overlapping incidents count once, and failing takes precedence", () => {
  const history = {
    knownFromMs: 0,
    outages: [
      outage("MINOR", [today, today + 4 * hourMs]),
      outage("MAJOR", [today + hourMs, today + 2 * hourMs]),
      outage("CRITICAL", [today + hourMs, today + 3 * hourMs]),
    ],
  };
  const [day] = listServiceDays(history, { days: 1, nowMs: noon });
  assert.equal(day?.failingMs, 2 * hourMs);
  assert.equal(day?.degradedMs, 2 * hourMs);
  assert.deepEqual(
    day?.incidentIds,
    history.outages.map(({ incidentId }) => incidentId),
  );
});

test("failures of followed checks count like incidents, and each instant counts once", () => {
  const trouble = (
    status: "failing" | "degraded" | "unknown",
    from: number,
    to: number | null,
  ) => ({
    status,
    startedAtMs: today + from * hourMs,
    endedAtMs: to === null ? null : today + to * hourMs,
  });
  const history = {
    knownFromMs: 0,
    outages: [outage("MAJOR", [today + hourMs, today + 3 * hourMs])],
    troubles: [trouble("failing", 2, 4), trouble("degraded", 3, 5), trouble("unknown", 4, 7)],
  };
  const [day] = listServiceDays(history, { days: 1, nowMs: noon });
  assert.deepEqual(
    [day?.failingMs, day?.degradedMs, day?.knownMs],
    [3 * hourMs, hourMs, 10 * hourMs],
  );
  assert.equal(day && computeServiceAvailability(day), 0.7);
  const silent = { knownFromMs: 0, outages: [], troubles: [trouble("unknown", -24, null)] };
  assert.equal(
    computeServiceAvailability(measureService(silent, { fromMs: today, toMs: noon })),
    null,
  );
});

test("an incident over midnight counts in both days, and an ongoing one lasts until now", () => {
  const history = { knownFromMs: 0, outages: [outage("MAJOR", [today - hourMs, null])] };
  const days = listServiceDays(history, { days: 2, nowMs: noon });
  assert.deepEqual(
    days.map(({ failingMs }) => failingMs),
    [hourMs, 12 * hourMs],
  );
  assert.deepEqual(
    days.map(({ incidentIds }) => incidentIds.length),
    [1, 1],
  );
});

test("time before the service existed is unknown, and the uptime is null without data", () => {
  const history = { knownFromMs: today + 6 * hourMs, outages: [] };
  const [yesterday, day] = listServiceDays(history, { days: 2, nowMs: noon });
  assert.equal(yesterday?.knownMs, 0);
  assert.equal(day?.knownMs, 6 * hourMs);
  const none = yesterday ? computeServiceAvailability(yesterday) : 0;
  assert.equal(none, null);
  assert.equal(formatAvailability(none ?? null), "no data");
});

test("with any outage, the uptime is never rounded to 100", () => {
  const history = { knownFromMs: 0, outages: [outage("MAJOR", [today, today + 1])] };
  const days = listServiceDays(history, { days: 90, nowMs: noon });
  assert.equal(formatAvailability(computeServiceAvailability(addServiceTimes(days))), "99.999 %");
});

const severity = fc.constantFrom(...severities);

const span = fc
  .tuple(fc.integer({ min: -2_000, max: 5_000 }), fc.option(fc.nat(3_000)))
  .map(([from, length]) => [from, length === null ? null : from + length] as const);

/** Reference implementation: checks every incident minute by minute. */
function countMinutes(
  history: { knownFrom: number; list: readonly { severity: Severity; from: number; to: number }[] },
  from: number,
  to: number,
) {
  const count = { failing: 0, degraded: 0, known: 0 };
  for (let minute = from; minute < to; minute += 1) {
    if (minute < history.knownFrom) continue;
    count.known += 1;
    const open = history.list.filter((one) => one.from <= minute && minute < one.to);
    if (open.some((one) => isFailing(one.severity))) count.failing += 1;
    else if (open.length > 0) count.degraded += 1;
  }
  return count;
}

test("each day matches a minute-by-minute reference implementation", () => {
  const start = today - 2 * dayMs;
  const arbitrary = fc.record({
    knownFrom: fc.integer({ min: -1_000, max: 5_000 }),
    list: fc.array(fc.tuple(severity, span), { maxLength: 8 }),
    nowMinute: fc.integer({ min: 2_880, max: 4_319 }),
  });
  fc.assert(
    fc.property(arbitrary, ({ knownFrom, list, nowMinute }) => {
      const nowMs = start + nowMinute * minuteMs;
      const history = {
        knownFromMs: start + knownFrom * minuteMs,
        outages: list.map(([one, [from, to]]) =>
          outage(one, [start + from * minuteMs, to === null ? null : start + to * minuteMs]),
        ),
      };
      const naive = {
        knownFrom,
        list: list.map(([one, [from, to]]) => ({ severity: one, from, to: to ?? nowMinute })),
      };
      const days = listServiceDays(history, { days: 3, nowMs });
      for (const [index, day] of days.entries()) {
        const to = Math.min((index + 1) * 1_440, nowMinute);
        const count = countMinutes(naive, index * 1_440, to);
        assert.deepEqual(
          [day.failingMs, day.degradedMs, day.knownMs].map((ms) => ms / minuteMs),
          [count.failing, count.degraded, count.known],
        );
      }
      const whole = measureService(history, { fromMs: start, toMs: nowMs });
      assert.deepEqual(whole, addServiceTimes(days));
    }),
  );
});

const minute = 60_000;

function createCheck(id: string, changes: Partial<FollowedCheck> = {}): FollowedCheck {
  return { id, tags: [], isActive: true, hasRun: true, ...changes };
}

function follow(what: { checkId?: string; tag?: string }, sinceMs = 0): Follow {
  const { checkId = null, tag = null } = what;
  return { serviceId: "shop", checkId, tag, since: new Date(sinceMs) };
}

function createTrouble(checkId: string, changes: Partial<CheckTrouble> = {}): CheckTrouble {
  return { checkId, status: "failing", startedAtMs: 10 * minute, endedAtMs: null, ...changes };
}

function combine(follows: Follow[], checks: FollowedCheck[], troubles: CheckTrouble[] = []) {
  return combineFollowed(
    follows,
    checks,
    Map.groupBy(troubles, ({ checkId }) => checkId),
  );
}

describe("the state of followed checks", () => {
  test("is null for a service that follows nothing", () => {
    const { state, troubles } = combine([], [createCheck("a")], [createTrouble("a")]);
    assert.deepEqual([state, troubles], [null, []]);
  });

  test("is the worst state of the checks followed by id or tag", () => {
    const checks = [createCheck("a"), createCheck("b", { tags: ["web"] }), createCheck("c")];
    const follows = [follow({ checkId: "a" }), follow({ tag: "web" })];
    const cases: readonly (readonly [CheckTrouble[], State])[] = [
      [[], "passing"],
      [[createTrouble("b", { status: "unknown" })], "unknown"],
      [[createTrouble("a", { status: "degraded" })], "degraded"],
      [[createTrouble("a", { status: "degraded" }), createTrouble("b")], "failing"],
      [[createTrouble("c")], "passing"],
      [[createTrouble("a", { endedAtMs: 20 * minute })], "passing"],
    ];
    for (const [troubles, status] of cases) {
      assert.equal(combine(follows, checks, troubles).state?.status, status);
    }
  });

  test("includes the start of the current state", () => {
    const checks = [createCheck("a"), createCheck("b")];
    const follows = [follow({ checkId: "a" }), follow({ checkId: "b" })];
    const degraded = createTrouble("a", { status: "degraded", startedAtMs: minute });
    const { state } = combine(follows, checks, [degraded, createTrouble("b")]);
    assert.equal(state?.since?.getTime(), 10 * minute);
  });

  test("ignores paused checks, and is unknown if all are paused", () => {
    const paused = createCheck("a", { isActive: false });
    const follows = [follow({ checkId: "a" }), follow({ checkId: "b" })];
    const troubles = [createTrouble("a")];
    assert.equal(combine(follows, [paused, createCheck("b")], troubles).state?.status, "passing");
    assert.equal(combine(follows, [paused], troubles).state?.status, "unknown");
  });

  test("has no data before the first run, or if no check has the tag", () => {
    const fresh = createCheck("a", { hasRun: false });
    const { state, troubles } = combine([follow({ checkId: "a" }, 5 * minute)], [fresh]);
    assert.equal(state?.status, "unknown");
    assert.deepEqual(troubles, [{ status: "unknown", startedAtMs: 5 * minute, endedAtMs: null }]);
    assert.equal(combine([follow({ tag: "nowhere" })], []).state?.status, "unknown");
  });

  test("ignores failures before the check was followed", () => {
    const follows = [follow({ checkId: "a" }, 15 * minute)];
    const over = createTrouble("a", { startedAtMs: minute, endedAtMs: 2 * minute });
    const { troubles } = combine(follows, [createCheck("a")], [over, createTrouble("a")]);
    assert.deepEqual(troubles, [{ status: "failing", startedAtMs: 15 * minute, endedAtMs: null }]);
  });
});

test("the state of a service is the worse of its incidents and its checks", () => {
  const checks = (status: State) => ({ status, since: null, checkIds: [] });
  assert.equal(decideServiceState(undefined, null), "passing");
  assert.equal(decideServiceState(undefined, checks("unknown")), "unknown");
  assert.equal(decideServiceState("MINOR", checks("passing")), "degraded");
  assert.equal(decideServiceState("MINOR", checks("failing")), "failing");
  assert.equal(decideServiceState("CRITICAL", checks("unknown")), "failing");
});
