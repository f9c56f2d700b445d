interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Phrases that readers must read twice, each with its replacement. */
export const writingRules: readonly Rule[] = [
  {
    pattern: /^For (?:an?|each|every) [\w-]+(?: [\w-]+)? (?:the|its|only|no)\b/,
    instead: "the subject first",
  },
  { pattern: /(?:^|[.;:] )Of (?:an?|each|every|what|those|these)\b/, instead: "the subject first" },
  { pattern: /\bNull:/, instead: '"`null` if …"' },
  { pattern: /\banew\b/i, instead: "again; recreate, restart, render again" },
  { pattern: /\b(?:get|gets|got|getting) on\b/i, instead: "make progress" },
  {
    pattern: /\b(?:is|are|was|were|be|been) (?:not |never |no longer )?told\b/i,
    instead: "is notified, receives",
  },
  { pattern: /\bin the midst\b/i, instead: "during, in the middle" },
  { pattern: /\bso many\b/i, instead: "a number, a count or a limit" },
  { pattern: /\b(?:stand|stands|stood|standing) still\b/i, instead: "hang, stall" },
  { pattern: /\bset aside\b/i, instead: "quarantined" },
  { pattern: /\b(?:mend|mends|mended|mending)\b/i, instead: "fix" },
  { pattern: /\bby chance\b/i, instead: "randomly" },
  { pattern: /\bnews\b/, instead: "event, change notification" },
  {
    pattern: /\b(?:hear|hears|heard) (?:of|from|about|when|nothing)\b/i,
    instead: "receive, observe",
  },
  { pattern: /\bpatience\b/i, instead: "timeout" },
  { pattern: /\bthrown away\b/i, instead: "discarded" },
  { pattern: /\bno more\b(?! than)/i, instead: "no longer" },
  { pattern: /\bnot any more\b/i, instead: "no longer" },
  { pattern: /\bas it were\b/i, instead: "nothing" },
  { pattern: /\bwhoever\b/i, instead: "the noun: caller, client, user" },
  { pattern: /\bfarewell\b/i, instead: "close" },
  { pattern: /\b(?:says|said) so\b/i, instead: "reports it" },
  { pattern: /\b(?:is|are|was|were) said\b/i, instead: "is reported, is shown" },
  {
    pattern: /\b(?:the|a|this|its|own|each|other|every) (?:rooms?|floors?|doors?|house)\b/i,
    instead: "module, layer, public interface, architecture",
  },
  { pattern: /\bof (?:its|their|his) own\b/i, instead: '"its own …" or "separate"' },
  { pattern: /\bat hand\b/i, instead: "available" },
];

export interface Phrase {
  readonly line: number;
  readonly phrase: string;
  readonly instead: string;
}

/**
 * Finds phrases to replace in a file. In code, only comments and texts in quotation marks are
 * searched.
 */
export function findPhrases(path: string, text: string): Phrase[] {
  const found: Phrase[] = [];
  for (const [index, whole] of text.split("\n").entries()) {
    for (const part of path.endsWith(".md") ? [whole] : readableParts(whole)) {
      const words = part.replace(/`[^`]*`/g, "``").replace(/^[\s#>*|-]+/, "");
      for (const { pattern, instead } of writingRules) {
        const match = pattern.exec(words);
        if (match !== null) found.push({ line: index + 1, phrase: match[0], instead });
      }
    }
  }
  return found;
}

/**
 * Returns the readable parts of a line of code: its comment, or its texts of several words in
 * quotation marks.
 */
function readableParts(line: string): string[] {
  const comment = /^\s*(?:\/\*\*|\*(?!\/)|\/\/|--)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1];
  if (comment !== undefined) return [comment];
  return [...line.matchAll(/(["'`])((?:\\.|(?!\1).)*)\1/g)]
    .map(([, , text = ""]) => text)
    .filter((text) => text.includes(" "));
}
