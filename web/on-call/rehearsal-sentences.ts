import type { Rehearsal } from "./queries.ts";
import { words } from "./words.ts";

const own = words.rehearsal;
type Entry = Rehearsal["entries"][number];

/** One line of a rehearsal: a message that would be sent, or the reason why none is sent. */
export interface RehearsedLine {
  /** Name of the recipient; `null` if nothing is sent. */
  readonly who: string | null;
  /** Contact method of a member; `null` for a channel. */
  readonly via: string | null;
  readonly reason: string | null;
  readonly note: string | null;
  /** Position in the policy, such as "Step 2: Secondary". */
  readonly place: string;
}

/** Lines of a rehearsed alert that have the same time. */
export interface RehearsedTime {
  readonly at: string;
  /** Time relative to the alert: "At once", or "After 10 min". */
  readonly when: string;
  readonly lines: readonly RehearsedLine[];
}

const units = [
  [1_440, "d"],
  [60, "h"],
  [1, "min"],
] as const;

/** Formats minutes with all units that are not zero: "1 h 30 min". */
function formatMinutes(minutes: number): string {
  let left = minutes;
  const parts = units.flatMap(([size, unit]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.join(" ");
}

function formatWhen(startsAt: string, at: string): string {
  const minutes = Math.round((Date.parse(at) - Date.parse(startsAt)) / 60_000);
  return minutes <= 0 ? own.atOnce : own.after(formatMinutes(minutes));
}

function placeOf({ round, step, targetName }: Entry, hasRounds: boolean): string {
  if (round === null || step === null) return targetName;
  return own.place(hasRounds ? own.round(round, step) : own.step(step), targetName);
}

/** Groups the entries of a rehearsal by time. */
export function listTimes({ startsAt, entries }: Rehearsal): RehearsedTime[] {
  const hasRounds = entries.some(({ round }) => round !== null && round > 1);
  return [...Map.groupBy(entries, ({ at }) => at)].map(([at, together]) => ({
    at,
    when: formatWhen(startsAt, at),
    lines: together.map((entry) => {
      const { userName, method, reason, note } = entry;
      const isSent = method !== null;
      return {
        who: isSent ? (userName ?? method) : null,
        via: isSent && userName !== null ? method : null,
        reason,
        note,
        place: placeOf(entry, hasRounds),
      };
    }),
  }));
}

/**
 * Returns a sentence about who is reached first and when, and the tone of the box that shows it.
 * The tone is "bad" if nobody is reached, "fair" if the first person is reached with a delay, and
 * "good" if the first person is reached at once.
 */
export function summarizeRehearsal(rehearsal: Rehearsal): {
  readonly tone: "good" | "fair" | "bad";
  readonly sentence: string;
} {
  const times = listTimes(rehearsal);
  const first = times.find(({ lines }) => lines.some(({ who }) => who !== null));
  if (first === undefined) return { tone: "bad", sentence: own.reachesNobody };
  const reached = new Set(first.lines.flatMap(({ who }) => (who === null ? [] : [who])));
  const names = new Intl.ListFormat("en").format(reached);
  if (first.when === own.atOnce) {
    return { tone: "good", sentence: own.reachesAtOnce(names, reached.size) };
  }
  return { tone: "fair", sentence: own.reachesLater(first.when, names, reached.size) };
}

/** Returns the time until which the alert waits for support hours; `null` if it does not wait. */
export function findWaitEnd({ startsAt, pagesFrom }: Rehearsal): string | null {
  return Date.parse(pagesFrom) > Date.parse(startsAt) ? pagesFrom : null;
}
