import type { ReadTarget, SentenceWords } from "../agent.ts";
import { type ReadEndpoint, readEndpoints } from "../sentences/read-endpoints.ts";
import { createTimedProposal } from "../sentences/time-limits.ts";
import { responseTimeLimits } from "./request.ts";
import { queryTypes } from "./wire/record-types.ts";

interface ReadQuery extends ReadTarget {
  readonly query: string;
  readonly nameServer: string | null;
  readonly recordType: string;
}

/** A host after one of these words is the DNS server rather than the queried name. */
const serverWords = new Set(
  "at using via server nameserver resolver asking ask through".split(" "),
);

/** Reads "MX" or "AAAA records". "a" without "record" is an article. */
function readRecordType(words: readonly string[]): string {
  const found = words.findIndex((word, place) => {
    if (/^(?:aaaa|cname|mx|txt|soa|srv|caa|ptr)$/i.test(word)) return true;
    const isType = queryTypes.some((type) => type === word.toUpperCase());
    return isType && /^records?$/i.test(words[place + 1] ?? "");
  });
  return words[found]?.toUpperCase() ?? "A";
}

function readTargets(sentence: SentenceWords) {
  const { words } = sentence;
  const { targets: hosts, refused } = readEndpoints(sentence);
  const isServer = ({ index }: ReadEndpoint) =>
    serverWords.has(words[index - 1]?.toLowerCase() ?? "");
  const nameServer = hosts.find(isServer)?.hostname ?? null;
  const recordType = readRecordType(words);
  const queries = hosts.filter((host) => !isServer(host)).map(({ hostname }) => hostname);
  const targets = [...new Set(queries)].map((query) => ({
    label: `${query} (${recordType})`,
    query,
    nameServer,
    recordType,
  }));
  return { targets, refused };
}

export const proposal = createTimedProposal<ReadQuery>(responseTimeLimits.highestMs, {
  claim: (line) => {
    if (/\b(?:a|aaaa|cname|mx|ns|txt|soa|https|srv|caa|ptr) records?\b/.test(line)) return 3;
    return /\bdns\b|\bname resolution\b/.test(line) ? 2 : 0;
  },
  noun: "name",
  nouns: ["names", "domains", "records", "zones"],
  askForTargets:
    "Which name? Write for example: watch the MX record of example.com at ns1.example.com.",
  noTargetLeft: "There is no name left to query. A check needs a domain name.",
  readTargets,
  buildRequest: ({ query, nameServer, recordType }) => ({
    query,
    recordType,
    ...(nameServer === null ? {} : { nameServer }),
  }),
});
