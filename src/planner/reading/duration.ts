import { parseNumber } from "../../platform/text/figures.ts";
import { dayMs, hourMs, minuteMs, secondMs, weekMs } from "./calendar.ts";

const units: readonly (readonly [RegExp, number, string])[] = [
  [/^(?:seconds?|secs?|s)$/, secondMs, "second"],
  [/^(?:minutes?|mins?|m)$/, minuteMs, "minute"],
  [/^(?:hours?|hrs?|h)$/, hourMs, "hour"],
  [/^(?:days?|d)$/, dayMs, "day"],
  [/^(?:weeks?|wks?|w)$/, weekMs, "week"],
  [/^months?$/, 30 * dayMs, "month"],
  [/^(?:years?|yrs?)$/, 365 * dayMs, "year"],
];

export function unitMs(word: string): { readonly ms: number; readonly name: string } | null {
  const unit = units.find(([pattern]) => pattern.test(word));
  return unit === undefined ? null : { ms: unit[1], name: unit[2] };
}

/** "3", "three", "a couple of", "half an". */
export function readAmount(
  words: readonly string[],
  index: number,
): { readonly value: number; readonly next: number } | null {
  let at = index;
  if (words[at] === "a" && ["couple", "few", "dozen", "half"].includes(words[at + 1] ?? ""))
    at += 1;
  const value = parseNumber(words[at] ?? "");
  if (value === null) return null;
  at += 1;
  if (words[at] === "of" || words[at] === "a" || words[at] === "an") at += 1;
  return { value, next: at };
}

export interface Duration {
  readonly ms: number;
  readonly unitMs: number;
  readonly label: string;
  readonly next: number;
}

/** "90 seconds", "two hours", "half an hour". */
export function readDuration(words: readonly string[], index: number): Duration | null {
  const amount = readAmount(words, index);
  if (amount === null) return null;
  const unit = unitMs(words[amount.next] ?? "");
  if (unit === null) return null;
  const ms = amount.value * unit.ms;
  if (ms <= 0 || ms > 10 * 366 * dayMs) return null;
  const noun = amount.value === 1 ? unit.name : `${unit.name}s`;
  return { ms, unitMs: unit.ms, label: `${amount.value} ${noun}`, next: amount.next + 1 };
}
