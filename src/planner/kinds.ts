import { allKinds, defaultType, isCheckType, kinds } from "../kinds/index.ts";
import type {
  KindGlossary,
  KindLexicon,
  KindMeasure,
  KindProposal,
  KindSpeech,
  ReadTarget,
} from "../kinds/kit/agent.ts";

/** Returns the wording for a check type. Unknown types get the wording of the default type. */
export function speechOf({ checkType = "" }: { readonly checkType?: string }): KindSpeech {
  return kinds[isCheckType(checkType) ? checkType : defaultType].agent.speech;
}

/**
 * Returns whether checks of this type run from locations. Returns `false` for types whose runs
 * other systems report, such as heartbeats.
 */
export function isSeenFromPlaces({ checkType = "" }: { readonly checkType?: string }): boolean {
  return !isCheckType(checkType) || kinds[checkType].isOrdered;
}

export interface ProposedKind {
  readonly checkType: string;
  readonly proposal: KindProposal<ReadTarget, object>;
}

/**
 * Searches the messages from newest to oldest for a check kind. Returns the default kind if no
 * message mentions one.
 */
export function findProposedKind(texts: readonly string[]): ProposedKind | null {
  const proposed = allKinds.flatMap(({ type: checkType, agent: { speech } }) =>
    speech.proposal === null ? [] : [{ checkType, proposal: speech.proposal }],
  );
  for (const text of [...texts].reverse()) {
    const line = text.toLowerCase();
    const claims = proposed.map(({ proposal }) => proposal.claim(line));
    const highest = Math.max(0, ...claims);
    const found = proposed[claims.indexOf(highest)];
    if (highest > 0 && found !== undefined) return found;
  }
  return proposed.find(({ checkType }) => checkType === defaultType) ?? null;
}

/**
 * Collects the words that all check kinds define for a canonical word such as LATENCY. Returns
 * these words in one string, separated by spaces.
 */
export function listKindWords(meaning: keyof KindLexicon): string {
  return allKinds.flatMap(({ agent }) => agent.speech.lexicon[meaning] ?? []).join(" ");
}

/** Returns the type of the check kind with this name. */
export function findKindByName(name: string): string | null {
  return allKinds.find(({ agent }) => agent.names.includes(name))?.type ?? null;
}

/** Returns the glossary of the check kind that the text mentions, or of the default kind. */
export function findGlossary(text: string): KindGlossary {
  const words = new Set(text.toLowerCase().split(/[^a-z0-9]+/));
  const named = allKinds.find(({ agent }) => agent.names.some((name) => words.has(name)));
  return (named ?? kinds[defaultType]).agent.speech.glossary;
}

/**
 * Returns the quality measure, such as packet loss, of the first check whose kind has a measure. If
 * `checks` contains no such check, searches all check kinds instead.
 */
export function findMeasure(
  checks: readonly { readonly checkType?: string }[],
): KindMeasure<object, object, object> | null {
  for (const check of [...checks, ...allKinds.map(({ type }) => ({ checkType: type }))]) {
    const { measure } = speechOf(check);
    if (measure !== null) return measure;
  }
  return null;
}

export const kindExamples: readonly string[] = allKinds.flatMap(
  ({ agent }) => agent.speech.examples,
);

/**
 * Names of reasons whose text was written by this service. The text of all other reasons is
 * untrusted, so answers quote it.
 */
export const allOwnReasons: ReadonlySet<string> = new Set(
  allKinds.flatMap(({ agent }) => agent.speech.ownReasons),
);
