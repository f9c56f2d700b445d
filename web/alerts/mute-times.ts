/** Calculates the end of a mute from the duration that the user selects. All times are local. */

export const muteChoices = ["60", "480", "tomorrow", "date"] as const;
export type MuteChoice = (typeof muteChoices)[number];

const minuteMs = 60_000;
const morningHour = 9;
const maxRenewalMs = 60_000;

/** Returns 09:00 of the next day, or the next existing time if a clock change skips it. */
export function findTomorrowMorning(nowMs: number): Date {
  const at = new Date(nowMs);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1, morningHour);
}

/** Returns the end of the mute, or `null` if the selected date is missing or not in the future. */
export function findMuteEnd(choice: MuteChoice, date: string, nowMs: number): Date | null {
  if (choice === "tomorrow") return findTomorrowMorning(nowMs);
  const end = choice === "date" ? new Date(date) : new Date(nowMs + Number(choice) * minuteMs);
  return end.getTime() > nowMs ? end : null;
}

/** Formats a time as the value of a `datetime-local` field. */
export function toFieldTime(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * minuteMs);
  return local.toISOString().slice(0, 16);
}

/**
 * Returns the milliseconds until the first mute ends, at least one second and at most
 * `maxRenewalMs`.
 */
export function findRenewalMs(
  mutes: readonly { readonly mutedUntil: string }[] | undefined,
  nowMs: number,
): number {
  const ends = (mutes ?? []).map(({ mutedUntil }) => Date.parse(mutedUntil) - nowMs);
  return Math.max(1_000, Math.min(maxRenewalMs, ...ends));
}

interface Labelled {
  readonly checkId: string;
  readonly groupId: number | null;
  readonly tags: readonly string[];
}

interface Targeted {
  readonly target: {
    readonly type: string;
    readonly checkId: string | null;
    readonly groupId: number | null;
    readonly tag: string | null;
  };
}

/**
 * Returns whether a mute applies to a check. `tags` must contain the tags of the check and of its
 * group.
 */
export function appliesTo({ target }: Targeted, { checkId, groupId, tags }: Labelled): boolean {
  if (target.type === "ACCOUNT") return true;
  if (target.tag !== null) return tags.includes(target.tag);
  return target.checkId === checkId || (target.groupId !== null && target.groupId === groupId);
}
