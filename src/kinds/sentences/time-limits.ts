import { pattern } from "../../platform/text/patterns.ts";
import type { KindProposal, ReadTarget } from "../agent.ts";

/** Response time limits that a sentence mentions; `null` if it does not mention one. */
interface MentionedLimits {
  readonly degradedMs: number | null;
  readonly failingMs: number | null;
}

/** "fail above 500 ms", "degraded over 1 s", "slower than 200 ms". `line` is in lower case. */
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

/** A sentence that mentions only a failing limit disables the degraded limit. */
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

/** Settings that a sentence mentions for a kind with limits of the response time. */
interface TimedSettings extends MentionedLimits {
  readonly isIpv6: boolean;
}

type TimedMember = "readSettings" | "fitSettings" | "buildBody";

/** Creates the rules of a kind whose own settings are the limits of the response time. */
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
