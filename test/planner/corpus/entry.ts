/** A text that must be there as it stands, or a pattern where the wording is free. */
export type Fact = string | RegExp;

/**
 * One question, or several turns of a conversation, and what must come of the last of them. Calls
 * that only learn names are left out. A call is a tool and words that its input must hold, with
 * the names of the sample account in the place of ids.
 */
export interface CorpusEntry {
  readonly asks: readonly string[];
  /** Null where only the answer counts, however it was found. */
  readonly calls: readonly string[] | null;
  readonly says: readonly Fact[];
  /** What must not be said. */
  readonly hides?: readonly Fact[];
  readonly agent?: "check_config_generator";
}

export function entry(
  asks: string | readonly string[],
  calls: readonly string[],
  says: readonly string[],
  more: Pick<CorpusEntry, "hides" | "agent"> = {},
): CorpusEntry {
  return { asks: [asks].flat(), calls, says, ...more };
}

/** A question by somebody who knows the account and nothing of the planner. */
export function fact(
  asks: string | readonly string[],
  says: readonly Fact[],
  hides: readonly Fact[] = [],
): CorpusEntry {
  return { asks: [asks].flat(), calls: null, says, hides };
}

export function holdsFact(text: string, wanted: Fact): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}
