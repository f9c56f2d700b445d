import { findKindByName } from "../kinds.ts";

export interface KindReading {
  readonly checkType: string | null;
  /** Indexes of the words that name the kind. */
  readonly used: ReadonlySet<number>;
}

/** "heartbeat checks", "TCP monitors": the name of a kind before the word for checks. */
export function readKind(texts: readonly string[]): KindReading {
  for (const [index, text] of texts.entries()) {
    const isOfChecks = /^(?:checks|monitors)$/.test(texts[index + 1] ?? "");
    const checkType = isOfChecks ? findKindByName(text) : null;
    if (checkType !== null) return { checkType, used: new Set([index]) };
  }
  return { checkType: null, used: new Set() };
}
