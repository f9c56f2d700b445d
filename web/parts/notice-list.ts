/** Pure functions that decide which notices are shown. */

export interface Notice {
  readonly text: string;
  /** A "bad" notice reports a failure and stays until it is dismissed. */
  readonly tone?: "plain" | "bad";
  /** Button next to the text, for example Undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly lastsMs?: number;
}

export interface ShownNotice extends Notice {
  readonly id: number;
}

const maxPlain = 2;
const maxFailures = 20;
const defaultLastsMs = 6_000;

const isFailure = ({ tone }: Notice) => tone === "bad";

/** Returns how long a notice is shown; `null` if it stays until the user dismisses it. */
export function findLastingMs({ tone, lastsMs }: Notice): number | null {
  return lastsMs ?? (tone === "bad" ? null : defaultLastsMs);
}

/**
 * Adds a notice and removes older notices that it repeats. An older notice is repeated if it has
 * the same text, if it has no button, and if both notices are failures or neither is. Of the
 * remaining notices, only the newest `maxFailures` failures and the newest `maxPlain` other notices
 * are kept.
 */
export function addNotice(
  shown: readonly ShownNotice[],
  added: ShownNotice,
): readonly ShownNotice[] {
  const others = shown.filter(
    (one) => one.text !== added.text || isFailure(one) !== isFailure(added) || one.action,
  );
  const all = [...others, added];
  const plain = all.filter((one) => !isFailure(one)).slice(-maxPlain);
  const failures = all.filter(isFailure).slice(-maxFailures);
  return all.filter((one) => plain.includes(one) || failures.includes(one));
}
