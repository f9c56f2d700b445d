/** A period that a question names. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
  /** Description of the period for answers, such as "yesterday" or "the last 24 hours". */
  readonly label: string;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const weekMs = 7 * dayMs;
export const aroundMs = 15 * minuteMs;

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
export const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
export const weekday = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?(?![\\w-])";
export const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
export const clock = "(?:\\d{1,2}:\\d{2}z?|\\d{1,2} ?(?:am|pm)|noon|midnight)";
const date =
  `\\d{4}-\\d\\d-\\d\\d|\\d{1,2}\\.\\d{1,2}\\.\\d{4}` +
  `|(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}(?: \\d{4})?` +
  `|${month} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`;
export const day = `(?:the )?day before yesterday|today|yesterday|tomorrow|(?:last |next |this )?${weekday}|${date}`;
/** A moment or a day: the end of "between … and …", or the start of "since …". */
export const point = `(?:(?:${day})(?:,? (?:at|around)? ?${clock}|t${clock})?|${clock}(?: (?:on )?(?:${day}))?|now)`;
export const named =
  "last night|overnight|tonight|(?:yesterday|this) (?:morning|afternoon|evening)|yesterday night" +
  "|(?:this|last|previous|next) (?:weekend|week|month|year)|this hour";

export const startOfDay = (ms: number) => Math.floor(ms / dayMs) * dayMs;
const startOfWeek = (ms: number) => startOfDay(ms) - ((new Date(ms).getUTCDay() + 6) % 7) * dayMs;
function startOfMonth(ms: number, shift = 0): number {
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + shift, 1);
}

/** Periods with a name, in local time. Those that contain the present end with the period. */
export function readNamed(text: string, nowMs: number): Period {
  const today = startOfDay(nowMs);
  const [first = "", second = ""] = text.replace("previous", "last").split(" ");
  const parts: Readonly<Record<string, readonly [number, number]>> = {
    morning: [6, 12],
    afternoon: [12, 18],
    evening: [18, 24],
    night: [18, 30],
  };
  const shift = { last: -1, next: 1 }[first] ?? 0;
  const label = text
    .replace("previous", "last")
    .replace(/^overnight$|yesterday night/, "last night");
  if (label === "tonight") return { fromMs: today + 18 * hourMs, toMs: today + 30 * hourMs, label };
  if (label === "last night")
    return { fromMs: today - 6 * hourMs, toMs: today + 6 * hourMs, label };
  const part = parts[second];
  if (part !== undefined) {
    const start = first === "yesterday" ? today - dayMs : today;
    return { fromMs: start + part[0] * hourMs, toMs: start + part[1] * hourMs, label };
  }
  const week = startOfWeek(nowMs) + shift * weekMs;
  if (second === "week") return { fromMs: week, toMs: week + weekMs, label };
  if (second === "weekend") return { fromMs: week + 5 * dayMs, toMs: week + weekMs, label };
  if (second === "month") {
    return { fromMs: startOfMonth(nowMs, shift), toMs: startOfMonth(nowMs, shift + 1), label };
  }
  if (second === "year") {
    const year = new Date(nowMs).getUTCFullYear() + shift;
    return { fromMs: Date.UTC(year, 0, 1), toMs: Date.UTC(year + 1, 0, 1), label };
  }
  const hour = Math.floor(nowMs / hourMs) * hourMs;
  return { fromMs: hour, toMs: hour + hourMs, label };
}

export function readClock(text: string): number | null {
  const found = new RegExp(clock).exec(text)?.[0];
  if (found === undefined) return null;
  if (found === "noon") return 12 * hourMs;
  if (found === "midnight") return 0;
  const [, hours = "0", minutes = "0", half] =
    /^(\d{1,2})(?::(\d{2}))?z? ?(am|pm)?$/.exec(found) ?? [];
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "pm" ? 12 : 0);
  const ms = hour * hourMs + Number(minutes) * minuteMs;
  return hour > 24 || Number(minutes) > 59 ? null : ms;
}

/** Returns the start of a day in local time; `null` for a date that does not exist. */
function readDay(text: string, nowMs: number, isAhead: boolean): number | null {
  const today = startOfDay(nowMs);
  const shifts: Readonly<Record<string, number>> = { today: 0, yesterday: -1, tomorrow: 1 };
  if (text.endsWith("day before yesterday")) return today - 2 * dayMs;
  if (Object.hasOwn(shifts, text)) return today + (shifts[text] ?? 0) * dayMs;
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  const german = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  if (iso !== null) return toDate(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  if (german !== null) return toDate(Number(german[3]), Number(german[2]) - 1, Number(german[1]));
  const words = text.split(/[ ,]+/);
  const name = words.find((word) => new RegExp(`^${month}$`).test(word));
  if (name !== undefined) {
    const numbers = words.map((word) => Number.parseInt(word, 10)).filter(Number.isFinite);
    const year = numbers.find((one) => one > 31) ?? new Date(nowMs).getUTCFullYear();
    const at = toDate(year, months.indexOf(name.slice(0, 3)), numbers[0] ?? 1);
    const isPastYear = at !== null && !isAhead && at > nowMs && !numbers.some((one) => one > 31);
    return isPastYear ? toDate(year - 1, months.indexOf(name.slice(0, 3)), numbers[0] ?? 1) : at;
  }
  const wanted = weekdays.indexOf((words.at(-1) ?? "").slice(0, 3));
  const back = (new Date(nowMs).getUTCDay() - wanted + 7) % 7;
  if (words[0] === "next" || isAhead) return today + (back === 0 ? 0 : 7 - back) * dayMs;
  return today - (words[0] === "last" && back === 0 ? 7 : back) * dayMs;
}

function toDate(year: number, monthIndex: number, dayOfMonth: number): number | null {
  const date = new Date(Date.UTC(year, monthIndex, dayOfMonth));
  return date.getUTCMonth() === monthIndex ? date.getTime() : null;
}

interface Point extends Period {
  readonly isMoment: boolean;
}

export function readPoint(
  text: string,
  nowMs: number,
  dayHint: number | null,
  isAhead: boolean,
): Point | null {
  if (text === "now") return { fromMs: nowMs, toMs: nowMs, label: "now", isMoment: true };
  const dayText = new RegExp(day).exec(text)?.[0];
  const ofDay = dayText === undefined ? null : readDay(dayText, nowMs, isAhead);
  if (dayText !== undefined && ofDay === null) return null;
  const isPlain = dayText === text;
  const ofClock = isPlain
    ? null
    : readClock(dayText === undefined ? text : text.replace(dayText, ""));
  const label = /^\d{4}-|[a-z]/.test(dayText ?? "")
    ? nameDay(dayText ?? "", ofDay)
    : (dayText ?? "");
  if (ofClock === null) {
    return ofDay === null || !isPlain
      ? null
      : { fromMs: ofDay, toMs: ofDay + dayMs, label, isMoment: false };
  }
  const start = ofDay ?? dayHint ?? startOfDay(nowMs);
  const isLater = ofDay === null && dayHint === null && !isAhead && start + ofClock > nowMs;
  const atMs = start + ofClock - (isLater ? dayMs : 0);
  const time = new Date(ofClock % dayMs).toISOString().slice(11, 16);
  return {
    fromMs: atMs,
    toMs: atMs,
    label: [label, time].filter(Boolean).join(" at "),
    isMoment: true,
  };
}

/** A relative name stays, and a weekday or date gets its date. */
function nameDay(text: string, at: number | null): string {
  if (/today|yesterday|tomorrow/.test(text) || at === null) return text;
  const written = new Date(at).toISOString().slice(0, 10);
  const name = new RegExp(weekday).exec(text)?.[0] ?? "";
  const full = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(at);
  return name === "" ? written : `${full} ${written}`;
}
