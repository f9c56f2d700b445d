import { parseHostname } from "../../platform/net/host.ts";
import { pattern } from "../../platform/text/patterns.ts";
import type { KindProposal, ReadTarget, RejectedTarget, SentenceWords } from "./agent.ts";

/** A host that a sentence mentions. `port` is `null` if the sentence gives no port for the host. */
export interface ReadEndpoint extends ReadTarget {
  readonly hostname: string;
  readonly port: number | null;
  /** Index of the host among the words of the sentence. */
  readonly index: number;
}

interface ReadEndpoints {
  readonly targets: readonly ReadEndpoint[];
  readonly refused: readonly RejectedTarget[];
}

/**
 * Words that often precede a host. After one of these words, a plain word such as "db1" may be a
 * host. Elsewhere, a word is a host only if it looks like one, such as "db1.example.com".
 */
const hostWords = new Set(
  "monitor watch check connect host hosts server servers on of for to at certificate cert".split(
    " ",
  ),
);

/** Words that are common in sentences about checks and never name a host. */
const notHosts = new Set(
  `port ports tcp dns ssl tls cert certs certificate certificates record records url urls
  heartbeat name zone ipv4 ipv6`.split(/\s+/),
);

interface Parts {
  readonly host: string;
  readonly port: number | null;
}

/** Splits a word into host and port; `null` if the word does not look like a host. */
function takeApart(word: string, isExpected: boolean): Parts | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) {
    if (!URL.canParse(word)) return { host: word, port: null };
    const { hostname, port } = new URL(word);
    return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? null : Number(port) };
  }
  const bracketed = /^\[([0-9a-f:.]+)\](?::(\d{1,5}))?$/i.exec(word);
  if (bracketed !== null) {
    return { host: bracketed[1] ?? "", port: bracketed[2] ? Number(bracketed[2]) : null };
  }
  if (/^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(word)) return { host: word, port: null };
  const [host = "", port] = word.replace(/\/.*$/, "").split(":");
  const isDotted = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+$/u.test(host);
  const isNumeric = /^[\d.]+$/.test(host);
  const isAddress = isNumeric && /^\d+(?:\.\d+){3}$/.test(host);
  const hasPort = port !== undefined && /^\d{1,5}$/.test(port) && /\p{L}/u.test(host);
  const isBare = isExpected && /^[a-z0-9][a-z0-9_-]{1,62}$/i.test(host) && /[a-z]/i.test(host);
  if (!isAddress && !(isDotted && !isNumeric) && !hasPort && !isBare) return null;
  return { host, port: port === undefined || port === "" ? null : Number(port) };
}

/** Returns all hosts that a sentence mentions, in the order of its words. */
export function readEndpoints({ words, taken, isPlain }: SentenceWords): ReadEndpoints {
  const targets: ReadEndpoint[] = [];
  const refused: RejectedTarget[] = [];
  for (const [index, word] of words.entries()) {
    const lower = word.toLowerCase();
    if (taken.has(index) || notHosts.has(lower) || isPlain(lower)) continue;
    const before = words[index - 1]?.toLowerCase() ?? "";
    const parts = takeApart(word, hostWords.has(before));
    if (parts === null) continue;
    const parsed = parseHostname(parts.host);
    if (parsed.kind === "invalid") {
      refused.push({ typed: word, reason: parsed.reason, instead: null });
      continue;
    }
    const hostname = parsed.kind === "name" ? parsed.ascii : parsed.address;
    targets.push({ label: hostname, hostname, port: parts.port, index });
  }
  return { targets, refused };
}

/** Reads the port numbers from phrases such as "port 5432" and "ports 80 and 443". */
export function readPorts(words: readonly string[]): number[] {
  const ports: number[] = [];
  let isAfterPort = false;
  for (const word of words) {
    const text = word.toLowerCase();
    if (/^ports?$/.test(text)) isAfterPort = true;
    else if (isAfterPort && /^\d{1,5}$/.test(text)) ports.push(Number(text));
    else if (!isAfterPort || (text !== "and" && text !== "or")) isAfterPort = false;
  }
  return [...new Set(ports)];
}

/** Response time limits that a sentence mentions. A limit that it does not mention is `null`. */
interface MentionedLimits {
  readonly degradedMs: number | null;
  readonly failingMs: number | null;
}

/** Reads limits such as "fail above 500 ms" and "degraded over 1 s". `line` is in lower case. */
function readLimits(line: string): MentionedLimits {
  let degradedMs: number | null = null;
  let failingMs: number | null = null;
  for (const match of line.matchAll(/(\d+(?:\.\d+)?) ?(ms|milliseconds?|seconds?|s)\b/g)) {
    const before = line.slice(Math.max(0, match.index - 45), match.index);
    const clause = before.split(/\b(?:and|but|then)\b|,/).at(-1) ?? "";
    const isLimit = pattern`
        (?:than|above|over|exceed\w*|under|below|within|[<>]=?|at most|up to|beyond|more than
        |limit(?: of)?|reach\w*|latency|response time)\s*(?:of |is |to )?$`.test(clause);
    if (!isLimit) continue;
    const ms = Number(match[1]) * (match[2]?.startsWith("m") ? 1 : 1_000);
    if (/\bdegrad|\bwarn|\byellow/.test(clause)) degradedMs = ms;
    else failingMs ??= ms;
  }
  return { degradedMs, failingMs };
}

function fitLimits(
  mentioned: MentionedLimits,
  highestMs: number,
  notes: string[],
): MentionedLimits {
  const fit = (ms: number | null) => {
    if (ms === null || ms <= highestMs) return ms;
    notes.push(`A limit of the response time is at most ${highestMs} ms.`);
    return highestMs;
  };
  return { degradedMs: fit(mentioned.degradedMs), failingMs: fit(mentioned.failingMs) };
}

/**
 * Converts limits to fields of a check. If a sentence mentions only a failing limit, the check has
 * no degraded limit.
 */
function toLimitFields({ degradedMs, failingMs }: MentionedLimits): object {
  if (degradedMs === null && failingMs === null) return {};
  return {
    ...(failingMs === null ? {} : { maxResponseTime: failingMs }),
    degradedResponseTime: degradedMs,
  };
}

export function readIpv6(line: string): boolean {
  return /\b(?:over|via|using|use|on|with|through) ip ?v6\b|\bip ?v6 only\b/.test(line);
}

/** Settings from a sentence, for kinds of checks with response time limits. */
interface TimedSettings extends MentionedLimits {
  readonly isIpv6: boolean;
}

type TimedMember = "readSettings" | "fitSettings" | "buildBody";

/** Creates the rules that turn a sentence into a check with response time limits. */
export function createTimedProposal<Target extends ReadTarget>(
  highestMs: number,
  rules: Omit<KindProposal<Target, TimedSettings>, TimedMember> & {
    buildRequest(target: Target, isIpv6: boolean): object;
  },
): KindProposal<Target, TimedSettings> {
  const { buildRequest, ...own } = rules;
  return {
    ...own,
    readSettings: (line) => ({ ...readLimits(line), isIpv6: readIpv6(line) }),
    fitSettings: (mentioned, notes) => ({
      ...mentioned,
      ...fitLimits(mentioned, highestMs, notes),
    }),
    buildBody: (target, mentioned) => ({
      request: buildRequest(target, mentioned.isIpv6),
      ...toLimitFields(mentioned),
    }),
  };
}
