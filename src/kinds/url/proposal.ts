import type { KindProposal, ReadTarget, RejectedTarget, SentenceWords } from "../agent.ts";
import {
  fitLimits,
  type MentionedLimits,
  readIpv6,
  readLimits,
  toLimitFields,
} from "../sentences/time-limits.ts";

interface ReadUrl extends ReadTarget {
  readonly url: string;
}

interface MentionedSettings extends MentionedLimits {
  readonly isIpv6: boolean;
}

const highestMs = 45_000;

/** Reads words that start with http or https, and hosts as in "website example.com". */
function readTargets({ words, taken, isPlain }: SentenceWords) {
  const targets = new Map<string, ReadUrl>();
  const refused: RejectedTarget[] = [];
  for (const [index, word] of words.entries()) {
    if (taken.has(index) || isPlain(word.toLowerCase())) continue;
    const isName = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?:[:/?].*)?$/u.test(word);
    if (!/^https?:\/\//i.test(word) && !(isName && /\p{L}/u.test(word))) continue;
    const written = /^https?:\/\//i.test(word) ? word : `https://${word}`;
    if (!URL.canParse(written)) {
      refused.push({ typed: word, reason: "it is not a URL.", instead: null });
      continue;
    }
    targets.set(written, { label: written.replace(/^https?:\/\//i, ""), url: written });
  }
  return { targets: [...targets.values()], refused };
}

export const proposal: KindProposal<ReadUrl, MentionedSettings> = {
  claim: (line) => {
    if (/\b(?:urls?|websites?|web ?pages?|https?) (?:checks?|monitors?)\b/.test(line)) return 2;
    if (/\bwebsites?\b|\bweb ?pages?\b|\burls?\b/.test(line)) return 2;
    return /https?:\/\//.test(line) ? 1 : 0;
  },
  noun: "URL",
  nouns: ["urls", "websites", "sites", "pages", "endpoints"],
  askForTargets:
    "Which URL? Write for example: watch https://shop.example.com/health every minute.",
  noTargetLeft: "There is no URL left to watch.",
  readTargets,
  readSettings: (line) => ({ ...readLimits(line), isIpv6: readIpv6(line) }),
  fitSettings: (mentioned, notes) => ({ ...mentioned, ...fitLimits(mentioned, highestMs, notes) }),
  buildBody: ({ url }, mentioned) => ({
    request: { url, ipFamily: mentioned.isIpv6 ? "IPv6" : "IPv4" },
    ...toLimitFields(mentioned),
  }),
};
