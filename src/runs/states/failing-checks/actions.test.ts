import assert from "node:assert/strict";
import { test } from "node:test";
import { carrySlots } from "./actions.ts";

const minuteMs = 60_000;
const fromMs = Date.parse("2026-11-17T10:00:00Z");
const letters = { F: "failing", P: "passing", ".": null } as const;
type Letter = keyof typeof letters;

/** Slots as letters: F failing, P passing, a dot for none. */
function carry(text: string, periodMinutes: number, sinceMinute: number): string {
  const slots = [...text].map((letter) => letters[letter as Letter]);
  const filled = carrySlots({
    slots,
    slotMs: 5 * minuteMs,
    fromMs,
    periodMs: periodMinutes * minuteMs,
    status: "failing",
    since: new Date(fromMs + sinceMinute * minuteMs),
  });
  return filled.map((slot) => (slot === null ? "." : slot.charAt(0).toUpperCase())).join("");
}

for (const [title, text, period, since, expected] of [
  ["the slots of a one-minute check are unchanged", "PPPP.FFFFFFF", 1, 25, "PPPP.FFFFFFF"],
  ["gaps of a ten-minute check are filled", "F.F.F.F.F.F.", 10, -60, "FFFFFFFFFFFF"],
  ["the first slot belongs to the previous run", ".F.F.F.F.F.F", 10, -60, "FFFFFFFFFFFF"],
  ["a slot before the problem stays empty", ".F.F.F.F.F.F", 10, 6, ".FFFFFFFFFFF"],
  ["a pass holds until the next run", "P.P.F.F.F.F.", 10, 20, "PPPPFFFFFFFF"],
  ["missed runs stay empty", "F.F.....F.F.", 10, -60, "FFFFF...FFFF"],
  ["a run that started a little late leaves no gap", "F..F.F.F.F.F", 10, -60, "FFFFFFFFFFFF"],
  ["an hourly check fills the hour", "......F.....", 60, -120, "FFFFFFFFFFFF"],
  ["a daily check without a run in the hour fills it", "............", 1_440, -120, "FFFFFFFFFFFF"],
] as const) {
  test(title, () => assert.equal(carry(text, period, since), expected));
}
