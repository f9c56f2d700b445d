import assert from "node:assert/strict";
import type { Draft } from "../../../src/response/on-call/imports/draft.ts";
import { onCallAt, type Plan } from "../../../src/response/on-call/schedule.ts";

/** Returns who is on call at each time: the part of the person's email address before the "@". */
export function askWho(
  { schedules: [schedule] }: Draft,
  times: readonly string[],
): (string | null)[] {
  assert.ok(schedule, "a schedule");
  const plan: Plan = { ...schedule, overrides: [], departures: new Map() };
  return times.map((at) => onCallAt(plan, Date.parse(at))?.split("@")[0] ?? null);
}
