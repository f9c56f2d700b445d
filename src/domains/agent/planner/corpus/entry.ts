/**
 * One question, or several turns of a conversation, and what must come of the last of them. Calls
 * that only learn names are left out. A call is a tool and words that its input must hold, with
 * the names of the world in the place of ids.
 */
export interface CorpusEntry {
  readonly asks: readonly string[];
  readonly calls: readonly string[];
  readonly says: readonly string[];
  /** What must not be said. */
  readonly hides?: readonly string[];
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
