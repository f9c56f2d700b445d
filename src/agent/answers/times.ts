import { parseNumber } from "../../platform/text/figures.ts";
import {
  aroundMs,
  day,
  dayMs,
  hourMs,
  minuteMs,
  month,
  months,
  named,
  type Period,
  point,
  readNamed,
  readPoint,
  startOfDay,
  weekMs,
} from "./time-points.ts";

export { dayMs, hourMs, minuteMs, type Period } from "./time-points.ts";

export interface TimeReading {
  /** The question with the word TIME in the place of each period. */
  readonly masked: string;
  readonly periods: readonly Period[];
  /** A length such as "for 2 hours" or "90m"; `null` if there is none. */
  readonly minutes: number | null;
}

const unitNames = "seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|months?|years?";
const units: Readonly<Record<string, number>> = {
  se: 1_000,
  s: 1_000,
  mi: minuteMs,
  m: minuteMs,
  ho: hourMs,
  hr: hourMs,
  h: hourMs,
  da: dayMs,
  d: dayMs,
  we: weekMs,
  w: weekMs,
  mo: 30 * dayMs,
  ye: 365 * dayMs,
};
/** Returns the length of a unit such as "min" or "hours"; `null` for another word. */
export function findUnitMs(unit: string): number | null {
  return new RegExp(`^(?:${unitNames})$`).test(unit) ? unitMs(unit) : null;
}

const unitMs = (unit: string) => units[unit.slice(0, 2)] ?? units[unit.slice(0, 1)] ?? dayMs;

const amount =
  "(?:\\d+(?:\\.\\d+)?|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|couple of|a couple of|a few|few)";
const length = `(?:\\d+(?:\\.\\d+)? ?|${amount} )(?:${unitNames})`;
interface Clock {
  readonly nowMs: number;
  readonly offsetMs: number;
}

function readLength(text: string): { ms: number; unit: number; label: string } | null {
  const [, count = "", unit = ""] = new RegExp(`^(${amount}) ?(${unitNames})$`).exec(text) ?? [];
  const bare = count.replace(/^a (?=few|couple)|of$| of$/g, "").trim();
  const value = bare.startsWith("half") ? 0.5 : parseNumber(bare);
  if (value === null) return null;
  const names: Readonly<Record<number, string>> = {
    1000: "second",
    [minuteMs]: "minute",
    [hourMs]: "hour",
    [dayMs]: "day",
    [weekMs]: "week",
    [30 * dayMs]: "month",
    [365 * dayMs]: "year",
  };
  const ms = Math.min(value * unitMs(unit), 5 * 366 * dayMs);
  const noun = names[unitMs(unit)] ?? "day";
  const isDay = value === 1 && noun === "day";
  const label = isDay ? "24 hours" : value === 1 ? noun : `${value} ${noun}s`;
  return { ms, unit: unitMs(unit), label };
}

type Reader = (parts: readonly string[], nowMs: number, isAhead: boolean) => Period | null;

const between: Reader = ([first = "", end = ""], nowMs, isAhead) => {
  const second = end.replace(/ (?:this morning|today)$/, "");
  const hour = (text: string) => text.replace(/^(\d{1,2})(?= |$)/, "$1:00");
  const from = readPoint(hour(first), nowMs, null, isAhead);
  const to = readPoint(
    hour(second),
    nowMs,
    from?.isMoment ? startOfDay(from.fromMs) : null,
    isAhead,
  );
  if (from === null || to === null) return null;
  // "between 10:00 and 12:00 yesterday": the day of the end is the day of both.
  const hasDay = new RegExp(day).test(first) || !new RegExp(day).test(second) || !to.isMoment;
  const start = hasDay ? from.fromMs : startOfDay(to.fromMs) + (from.fromMs % dayMs);
  const [fromMs, toMs] = to.toMs < start ? [to.fromMs, from.toMs] : [start, to.toMs];
  return { fromMs, toMs, label: `between ${from.label} and ${to.label}` };
};

const hours = `(?:${point}|\\d{1,2})`;

/** Patterns of periods, the most specific first. Each group becomes one of `parts`. */
const patterns: readonly (readonly [RegExp, Reader])[] = [
  [
    new RegExp(`\\bbetween (${hours}) (?:and|to) (${hours}(?: (?:this morning|today|yesterday))?)`),
    between,
  ],
  [new RegExp(`\\bfrom (${hours}) (?:to|until|till|through) (${hours})`), between],
  [
    new RegExp(`\\b(?:since|after) (?:the )?(${length}) ago\\b`),
    ([text = ""], nowMs) => {
      const found = readLength(text);
      return found && { fromMs: nowMs - found.ms, toMs: nowMs, label: `since ${found.label} ago` };
    },
  ],
  [
    new RegExp(`\\b(?:since|after|from) (?:the )?(${named}|${point})(?: on(?:wards?)?)?`),
    ([text = ""], nowMs) => {
      const isNamed = new RegExp(`^(?:${named})$`).test(text);
      const found = isNamed ? readNamed(text, nowMs) : readPoint(text, nowMs, null, false);
      return found && { fromMs: found.fromMs, toMs: nowMs, label: `since ${found.label}` };
    },
  ],
  [
    /\b(yesterday|today|tomorrow) (?:at|around) (\d{1,2})\b/,
    ([name = "", hour = ""], nowMs) => {
      const found = readPoint(`${name} at ${hour}:00`, nowMs, null, false);
      return found && { ...found, fromMs: found.fromMs - aroundMs, toMs: found.toMs + aroundMs };
    },
  ],
  [
    /\bsince (\d{1,2})(?![\w:.-])/,
    ([text = ""], nowMs) => {
      const found = readPoint(`${text}:00`, nowMs, null, false);
      return found && { fromMs: found.fromMs, toMs: nowMs, label: `since ${found.label}` };
    },
  ],
  [
    new RegExp(`\\b(?:on |in |during |over )?(${named})(?! (?:at|around) \\d)(?![\\w-])`),
    ([text = ""], nowMs) => readNamed(text, nowMs),
  ],
  [
    new RegExp(
      `\\b(?:in |over |for |during |within )?(?:the )?(last|past|previous|recent|next|coming) (?:the )?(${length}|${unitNames})(?![\\w-])`,
    ),
    ([way = "", text = ""], nowMs) => {
      const found = readLength(text) ?? readLength(`1 ${text}`);
      if (found === null) return null;
      const isNext = way === "next" || way === "coming";
      return isNext
        ? { fromMs: nowMs, toMs: nowMs + found.ms, label: `the next ${found.label}` }
        : { fromMs: nowMs - found.ms, toMs: nowMs, label: `the last ${found.label}` };
    },
  ],
  [
    new RegExp(`\\b(${length}) (?:ago|earlier|back)\\b`),
    ([text = ""], nowMs) => {
      const found = readLength(text);
      if (found === null) return null;
      const atMs = nowMs - found.ms;
      const half = Math.max(aroundMs, Math.min(found.unit / 2, dayMs / 2));
      return {
        fromMs: atMs - half,
        toMs: Math.min(nowMs, atMs + half),
        label: `${found.label} ago`,
      };
    },
  ],
  [
    new RegExp(`\\b(?:on |at |around |by |of )?(?:the )?(${point})(?![\\w-])`),
    ([text = ""], nowMs, isAhead) => {
      if (text === "now") return null;
      const found = readPoint(text, nowMs, null, isAhead);
      if (found === null) return null;
      if (!found.isMoment) return found;
      return { ...found, fromMs: found.fromMs - aroundMs, toMs: found.toMs + aroundMs };
    },
  ],
  [
    new RegExp(`(?:\\b(?:in|during|of|for) |^|\\s)(${month})(?: (\\d{4}))?(?![\\w-])(?! i\\b)`),
    ([name = "", year], nowMs) => {
      const isShortWord = name === "may" || name === "mar" || name === "sat";
      if (isShortWord && year === undefined) return null;
      const index = months.indexOf(name.slice(0, 3));
      const now = new Date(nowMs);
      const past = index > now.getUTCMonth() ? 1 : 0;
      const own = year === undefined ? now.getUTCFullYear() - past : Number(year);
      const full = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });
      const fromMs = Date.UTC(own, index, 1);
      return { fromMs, toMs: Date.UTC(own, index + 1, 1), label: `${full.format(fromMs)} ${own}` };
    },
  ],
];

/** Moves hours to the day that is named beside them, as in "yesterday between 10:00 and 12:00". */
function joinHours(periods: readonly Period[]): readonly Period[] {
  const [one, other] = periods;
  if (one === undefined || other === undefined || periods.length > 2) return periods;
  const isHours = ({ label }: Period) => /^between \d\d:\d\d and \d\d:\d\d$/.test(label);
  const [ofDay, hoursOf] = isHours(one) ? [other, one] : [one, other];
  if (!isHours(hoursOf) || ofDay.toMs - ofDay.fromMs !== dayMs) return periods;
  const shiftMs = Math.floor((ofDay.fromMs - hoursOf.fromMs) / dayMs + 1) * dayMs;
  const { fromMs, toMs, label } = hoursOf;
  return [{ fromMs: fromMs + shiftMs, toMs: toMs + shiftMs, label: `${ofDay.label} ${label}` }];
}

const forLength = new RegExp(`\\bfor (?:the next )?(${length})(?![\\w-])`);
const bareLength = new RegExp(
  `(?<!\\bevery |\\beach |\\bthan |\\babove |\\d )(?<![\\w.-])(${length})(?![\\w-])`,
);

/**
 * Reads the periods of a question in lower case, in the zone of the caller. `isAhead` reads a
 * weekday or a time of day as the next one, as in "who is on call on Friday".
 */
export function readTimes(text: string, { nowMs, offsetMs }: Clock, isAhead = false): TimeReading {
  const localMs = nowMs + offsetMs;
  const found: { readonly at: number; readonly period: Period }[] = [];
  let masked = text.replaceAll(/\b(?:yday|yest)\b/g, "yesterday").replaceAll("tmrw", "tomorrow");
  let minutes: number | null = null;
  const asked = forLength.exec(masked);
  if (asked !== null) {
    const own = readLength(asked[1] ?? "");
    if (own !== null) {
      minutes = Math.max(1, Math.round(own.ms / minuteMs));
      masked = masked.replace(asked[0], "for LENGTH");
      const { label, ms } = own;
      found.push({
        at: masked.indexOf("LENGTH"),
        period: { fromMs: nowMs - ms, toMs: nowMs, label: `the last ${label}` },
      });
    }
  }
  const mask = (pattern: RegExp, read: Reader) => {
    for (
      let match = pattern.exec(masked);
      match !== null && found.length < 3;
      match = pattern.exec(masked)
    ) {
      const period = read(
        match.slice(1).filter((part) => part !== undefined),
        localMs,
        isAhead,
      );
      if (period === null) return;
      const isRight = period.toMs >= period.fromMs;
      const toUtc = { ...period, fromMs: period.fromMs - offsetMs, toMs: period.toMs - offsetMs };
      if (isRight)
        found.push({
          at: match.index,
          period: { ...toUtc, toMs: Math.max(toUtc.toMs, toUtc.fromMs + 1) },
        });
      masked = `${masked.slice(0, match.index)} TIME ${masked.slice(match.index + match[0].length)}`;
    }
  };
  for (const [pattern, read] of patterns) mask(pattern, read);
  mask(bareLength, ([length_ = ""], atMs) => {
    const own = readLength(length_);
    if (own === null || own.unit < minuteMs || /^an? /.test(length_)) return null;
    minutes = Math.max(1, Math.round(own.ms / minuteMs));
    return { fromMs: atMs - own.ms, toMs: atMs, label: `the last ${own.label}` };
  });
  const periods = joinHours(
    found.toSorted((one, other) => one.at - other.at).map(({ period }) => period),
  );
  return { masked: masked.replaceAll(/\s+/g, " ").trim(), periods, minutes };
}
