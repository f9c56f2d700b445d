import type { ReadTarget, RejectedTarget, SentenceWords } from "../agent.ts";
import { createTimedProposal } from "../sentences/time-limits.ts";

interface ReadUrl extends ReadTarget {
  readonly url: string;
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

export const proposal = createTimedProposal<ReadUrl>(highestMs, {
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
  buildRequest: ({ url }, isIpv6) => ({ url, ipFamily: isIpv6 ? "IPv6" : "IPv4" }),
});
