import { parseHostname } from "../../network/hostname.ts";
import type { ReadTarget, RejectedTarget, SentenceWords } from "../../speech.ts";

export interface ReadHost extends ReadTarget {
  readonly family: "IPv4" | "IPv6" | null;
}

/** After these words a bare word is a host; elsewhere it must look like a host name. */
const hostVerbs = new Set([
  "ping",
  "pinging",
  "monitor",
  "watch",
  "host",
  "hosts",
  "target",
  "targets",
  "server",
  "servers",
  "check",
  "checks",
  "add",
  "for",
  "of",
]);
const notHosts = new Set([
  ...["localhost-free", "ipv4", "ipv6", "icmp", "tcp", "port", "ports"],
  ...["it", "e.g", "i.e", "etc"],
]);
/** A target with a port is rejected, because ignoring the port would monitor something else. */
const portReason = "a ping has no port; ask for a TCP check to connect to one.";

/** Returns every host in a sentence, and every word that was meant as a host. */
export function readHosts({ words, taken, isPlain }: SentenceWords): {
  readonly targets: readonly ReadHost[];
  readonly refused: readonly RejectedTarget[];
} {
  const targets = new Map<string, ReadHost>();
  const refused: RejectedTarget[] = [];
  const namesPort = words.some((word) => /^(?:ports?|tcp)$/i.test(word));
  const used = new Set<number>();
  let isAfterHost = false;
  for (const [index, word] of words.entries()) {
    const before = words[index - 1]?.toLowerCase() ?? "";
    const isJoined = (before === "and" || before === "or") && used.has(index - 2);
    const isListed = isAfterHost && (isJoined || used.has(index - 1));
    const isExpected = hostVerbs.has(before) || isListed;
    if (taken.has(index) || isPlain(word.toLowerCase()) || !looksLikeHost(word, isExpected))
      continue;
    const parsed = parseHostname(word);
    used.add(index);
    isAfterHost = parsed.kind !== "invalid";
    if (namesPort && parsed.kind !== "invalid") {
      refused.push({ typed: word, reason: portReason, instead: null });
      continue;
    }
    if (parsed.kind === "invalid") {
      refused.push({ typed: word, reason: parsed.reason, instead: suggest(word) });
      continue;
    }
    const label = parsed.kind === "name" ? parsed.ascii : parsed.address;
    const family = parsed.kind === "address" ? parsed.family : null;
    targets.set(label, { label, family });
  }
  return { targets: [...targets.values()], refused };
}

function looksLikeHost(word: string, isExpected: boolean): boolean {
  if (notHosts.has(word.toLowerCase())) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return true;
  if (/^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.%a-z]*$/i.test(word) || /^\[[0-9a-f:]+\]/i.test(word))
    return true;
  if (/^\d+(?:\.\d+){3}(?:[:/].*)?$/.test(word)) return true;
  if (/^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+\.?(?:[:/].*)?$/u.test(word) && /\p{L}/u.test(word))
    return true;
  if (/^[a-z0-9_-]*[a-z][a-z0-9_-]*:\d{1,5}$/i.test(word)) return true;
  if (word.includes("@")) return true;
  return isExpected && /^[a-z0-9][a-z0-9_-]{1,62}$/i.test(word) && /[a-z]/i.test(word);
}

/** Returns the host inside a URL or before a port; `null` if there is none. */
function suggest(word: string): string | null {
  const bare = word
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^@/]*@/, "")
    .replace(/[/?#].*$/, "")
    .replace(/^\[([0-9a-f:]+)\](?::\d+)?$/i, "$1")
    .replace(/^([^:]+):\d*$/, "$1")
    .replace(/%.*$/, "");
  if (bare === word) return null;
  const parsed = parseHostname(bare);
  if (parsed.kind === "invalid") return null;
  return parsed.kind === "name" ? parsed.ascii : parsed.address;
}
