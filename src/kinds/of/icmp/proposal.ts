import { parseHostname } from "../../../platform/net/host.ts";
import { readNumber } from "../../../platform/text/figures.ts";
import { pattern } from "../../../platform/text/patterns.ts";
import type { KindProposal, ReadTarget, RejectedTarget, SentenceWords } from "../../kit/agent.ts";
import { maxPings } from "./request.ts";

export interface ReadHost extends ReadTarget {
  readonly family: "IPv4" | "IPv6" | null;
}

/**
 * Words after which any plausible name is read as a host. At other positions, a word is read as a
 * host only if it looks like a domain name or an address.
 */
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
/**
 * Reason for rejecting the hosts of a sentence that mentions a port. A ping would ignore the port
 * and check something else.
 */
const portReason = "a ping has no port; ask for a TCP check to connect to one.";

/**
 * Returns the hosts that a sentence mentions, and the rejected words that were probably meant as
 * hosts.
 */
function readHosts({ words, taken, isPlain }: SentenceWords): {
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

/**
 * Extracts the host from a URL or from a host with a port; `null` if the word contains no valid
 * host.
 */
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

/** Settings that a sentence mentions. A setting that is not mentioned is `null`. */
export interface MentionedSettings {
  readonly maxLossPercent: number | null;
  readonly degradedLossPercent: number | null;
  readonly latency: { readonly property: "avg" | "min" | "max"; readonly ms: number } | null;
  readonly degradedMs: number | null;
  readonly pingCount: number | null;
  readonly isIpv6: boolean;
}

function readSettings(line: string): MentionedSettings {
  return {
    ...readLoss(line),
    ...readLatency(line),
    pingCount: readNumber(
      line,
      /\b(\d+|\w+) (?:pings|packets|echo requests)\b|\bping ?count(?: of| to|:)? (\d+)\b/,
    ),
    isIpv6:
      /\b(?:over|via|using|use|on|with|through) ip ?v6\b|\bip ?v6 only\b|\bip ?v6\b(?! and)/.test(
        line,
      ),
  };
}

/**
 * Reads limits of packet loss. A percentage is the limit for degraded if its clause mentions a
 * degraded state or a warning; otherwise it is the limit for failing.
 */
function readLoss(line: string): Pick<MentionedSettings, "maxLossPercent" | "degradedLossPercent"> {
  let maxLossPercent: number | null = null;
  let degradedLossPercent: number | null = null;
  for (const match of line.matchAll(/(\d+(?:\.\d+)?) ?%/g)) {
    const percent = Number(match[1]);
    const before = line.slice(Math.max(0, match.index - 30), match.index);
    const clause = before.split(/\b(?:and|but|then)\b|,/).at(-1) ?? "";
    const after =
      line.slice(match.index, match.index + 30).split(/\b(?:and|but|then)\b|,/)[0] ?? "";
    const isDegraded =
      /\bdegrad|\bwarn|\byellow/.test(clause) ||
      /% (?:packet )?(?:loss )?(?:is |as )?(?:degraded|warn)/.test(after);
    if (isDegraded) degradedLossPercent = percent;
    else maxLossPercent ??= percent;
  }
  const anyLoss = /\bany (?:packet )?loss\b|\bany packet (?:is |gets )?(?:lost|dropped)\b/.test(
    line,
  );
  if (anyLoss && maxLossPercent === null) maxLossPercent = 1;
  return { maxLossPercent, degradedLossPercent };
}

/**
 * Reads response time limits such as "slower than 50 ms", "max latency under 80 ms" or "degraded
 * above 30 ms".
 */
function readLatency(line: string): Pick<MentionedSettings, "latency" | "degradedMs"> {
  let latency: MentionedSettings["latency"] = null;
  let degradedMs: number | null = null;
  for (const match of line.matchAll(/(\d+(?:\.\d+)?) ?(ms|milliseconds?|seconds?|s)\b/g)) {
    const before = line.slice(Math.max(0, match.index - 45), match.index);
    const clause = before.split(/\b(?:and|but|then)\b|,|%/).at(-1) ?? "";
    const isLimit = pattern`
        (?:than|above|over|exceed\w*|under|below|within|[<>]=?|at most|up to|beyond|more than
        |limit(?: of)?|reach\w*|latency|rtt|response time|round trip)\s*(?:of |is |to )?$`.test(
      clause,
    );
    if (!isLimit) continue;
    const ms = Number(match[1]) * (match[2]?.startsWith("m") ? 1 : 1_000);
    if (/\bdegrad|\bwarn|\byellow/.test(clause)) {
      degradedMs = ms;
      continue;
    }
    const property = /\bmax(?:imum)?\b|\bany ping\b|\bworst\b|\bpeak\b/.test(clause)
      ? "max"
      : /\bmin(?:imum)?\b/.test(clause)
        ? "min"
        : "avg";
    latency ??= { property, ms };
  }
  return { latency, degradedMs };
}

function clampPercent(percent: number, notes: string[]): number {
  const clamped = Math.min(100, Math.max(0, Math.round(percent)));
  if (clamped !== percent)
    notes.push(`Packet loss must be a whole percentage from 0 to 100; it was set to ${clamped} %.`);
  return clamped;
}

/**
 * Adjusts mentioned settings to the allowed values, adds a note for each adjustment, and sets the
 * default limits of packet loss.
 */
function fitSettings(mentioned: MentionedSettings, notes: string[]): MentionedSettings {
  const { maxLossPercent, degradedLossPercent, pingCount } = mentioned;
  const max = maxLossPercent === null ? 20 : clampPercent(maxLossPercent, notes);
  if (maxLossPercent === 0) {
    notes.push("With a limit of 0 % every run fails; the lowest useful limit is 1 %.");
  }
  // The default limit for degraded must not exceed the limit for failing.
  const degraded =
    degradedLossPercent === null ? Math.min(10, max) : clampPercent(degradedLossPercent, notes);
  const pings = pingCount === null ? null : Math.min(maxPings, Math.max(1, Math.round(pingCount)));
  if (pings !== pingCount)
    notes.push(`A run sends 1 to ${maxPings} packets; it was set to ${pings}.`);
  return { ...mentioned, maxLossPercent: max, degradedLossPercent: degraded, pingCount: pings };
}

function buildBody({ label, family }: ReadHost, fitted: MentionedSettings) {
  const { latency, isIpv6, degradedMs, pingCount } = fitted;
  const assertion = latency && {
    source: "LATENCY",
    property: latency.property,
    comparison: "LESS_THAN",
    target: String(latency.ms),
  };
  return {
    request: {
      hostname: label,
      ipFamily: family ?? (isIpv6 ? "IPv6" : "IPv4"),
      ...(pingCount === null ? {} : { pingCount }),
      ...(assertion === null ? {} : { assertions: [assertion] }),
    },
    degradedPacketLossThreshold: fitted.degradedLossPercent,
    maxPacketLossThreshold: fitted.maxLossPercent,
    ...(degradedMs === null ? {} : { degradedResponseTime: degradedMs }),
  };
}

export const proposal: KindProposal<ReadHost, MentionedSettings> = {
  claim: (line) => (/\b(?:ping|pings|pinging|icmp)\b/.test(line) ? 3 : 0),
  noun: "host",
  nouns: ["hosts", "servers", "addresses", "ips", "targets", "machines", "routers", "devices"],
  askForTargets:
    "Which hosts? Write for example: ping 192.0.2.1 and example.com every minute, fail at 20 % loss.",
  noTargetLeft:
    "There is no host left to ping. A check needs a host name or an IP address, without a port or a path.",
  readTargets: readHosts,
  readSettings,
  fitSettings,
  buildBody,
};
