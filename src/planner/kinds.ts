import { allKinds, defaultType, isCheckType, kinds } from "../kinds/index.ts";
import type { KindLexicon, KindMeasure, KindSpeech } from "../kinds/speech.ts";

/** How to speak of a check, by what a tool said about it; else as of the usual kind. */
export function speechOf({ checkType = "" }: { readonly checkType?: string }): KindSpeech {
  return kinds[isCheckType(checkType) ? checkType : defaultType].speech;
}

/** The words of all kinds for one meaning. */
export function listKindWords(meaning: keyof KindLexicon): string {
  const words = allKinds.map(({ speech }) => speech.lexicon[meaning]);
  return words.filter((text) => text !== "").join(" ");
}

/** What a question means by a measure, such as packet loss: that of the first check with one. */
export function findMeasure(
  checks: readonly { readonly checkType?: string }[],
): KindMeasure<object, object, object> | null {
  for (const check of [...checks, ...allKinds.map(({ type }) => ({ checkType: type }))]) {
    const { measure } = speechOf(check);
    if (measure !== null) return measure;
  }
  return null;
}

export const kindExamples: readonly string[] = allKinds.flatMap(({ speech }) => speech.examples);

/** Reasons whose text is ours; that of others may come from outside, and is quoted. */
export const allOwnReasons: ReadonlySet<string> = new Set(
  allKinds.flatMap(({ speech }) => speech.ownReasons),
);
