import type { KindLexicon, KindSpeech } from "../kinds/speech.ts";
import { allSpeeches, findSpeech } from "../kinds/speeches.ts";

const [first] = allSpeeches;
if (first === undefined) throw new Error("there is no kind of check");
/** What is meant where nobody names a kind. */
const defaultSpeech: KindSpeech = first;

/** How to speak of a check, by what a tool said about it. */
export function speechOf({ checkType }: { readonly checkType?: string }): KindSpeech {
  return findSpeech(checkType ?? "") ?? defaultSpeech;
}

/** How to speak of several checks at once: as of the first of them. */
export function speechOfAll(checks: readonly { readonly checkType?: string }[]): KindSpeech {
  return speechOf(checks[0] ?? {});
}

/** The words of all kinds for one meaning. */
export function listKindWords(meaning: keyof KindLexicon): string {
  return allSpeeches.map(({ lexicon }) => lexicon[meaning]).join(" ");
}

export const kindExamples: readonly string[] = allSpeeches.flatMap(({ examples }) => examples);

/** Reasons whose text is ours; that of others may come from outside, and is quoted. */
export const allOwnReasons: ReadonlySet<string> = new Set(
  allSpeeches.flatMap(({ ownReasons }) => ownReasons),
);
