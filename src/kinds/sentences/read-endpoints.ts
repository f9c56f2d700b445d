import type { ReadTarget, RejectedTarget, SentenceWords } from "../agent.ts";
import { parseHostname } from "../network/hostname.ts";

/** A host that a sentence mentions, with its port if given. */
export interface ReadEndpoint extends ReadTarget {
  readonly hostname: string;
  readonly port: number | null;
  /** Index of its word in the sentence. */
  readonly index: number;
}

export interface ReadEndpoints {
  readonly targets: readonly ReadEndpoint[];
  readonly refused: readonly RejectedTarget[];
}

/** After these words a bare word is a host; elsewhere it must look like a host name. */
const hostWords = new Set(
  "monitor watch check connect host hosts server servers on of for to at certificate cert".split(
    " ",
  ),
);

/** Words about checks that are never hosts. */
const notHosts = new Set(
  `port ports tcp dns ssl tls cert certs certificate certificates record records url urls
  heartbeat name zone ipv4 ipv6`.split(/\s+/),
);

interface Parts {
  readonly host: string;
  readonly port: number | null;
}

/** Splits a word into host and port; `null` if it is not an address. */
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

/** Returns every host in a sentence, in word order. */
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

/** "port 5432", "ports 80 and 443". */
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
