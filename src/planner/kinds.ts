import { allKinds, defaultType, isCheckType, kinds } from "../kinds/index.ts";
import type { KindLexicon, KindSpeech } from "../kinds/speech.ts";

/** How to speak of a check, by what a tool said about it; else as of the usual kind. */
export function speechOf({ checkType = "" }: { readonly checkType?: string }): KindSpeech {
  return kinds[isCheckType(checkType) ? checkType : defaultType].speech;
}

/** How to speak of several checks at once: as of the first of them. */
export function speechOfAll(checks: readonly { readonly checkType?: string }[]): KindSpeech {
  return speechOf(checks[0] ?? {});
}

/** The words of all kinds for one meaning. */
export function listKindWords(meaning: keyof KindLexicon): string {
  return allKinds.map(({ speech }) => speech.lexicon[meaning]).join(" ");
}

export const kindExamples: readonly string[] = allKinds.flatMap(({ speech }) => speech.examples);

/** Reasons whose text is ours; that of others may come from outside, and is quoted. */
export const allOwnReasons: ReadonlySet<string> = new Set(
  allKinds.flatMap(({ speech }) => speech.ownReasons),
);
