import type { Measured, Outcome } from "../../../src/contract/result.ts";
import type { Verdict } from "../../../src/kinds/kit/verdict.ts";
import type { IcmpMeasurement, Packet } from "../../../src/kinds/of/icmp/measurement.ts";
import type { JudgedResult } from "../../../src/runs/results/result-write-store.ts";
import type { Watched } from "../../../src/runs/scheduling/watch-list.ts";
import { makeResult, noData, unresolved } from "./runs.ts";

/** Returns a generator of random numbers from 0 to 1, deterministic for a seed (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a measurement with these round trips, where `null` stands for a lost packet. */
export function measureRtts(rtts: readonly (number | null)[]): Measured<IcmpMeasurement> {
  const replies = rtts.filter((rtt) => rtt !== null);
  const isSilent = replies.length === 0;
  const mean = replies.reduce((sum, rtt) => sum + rtt, 0) / replies.length;
  const variance = replies.reduce((sum, rtt) => sum + (rtt - mean) ** 2, 0) / replies.length;
  const measurement = {
    resolvedIp: "192.0.2.1",
    dnsMs: 0,
    packetSizeBytes: 64,
    packets: rtts.map(
      (rttMs, sequence): Packet => ({
        sequence,
        sentAtMs: null,
        rttMs,
        ttl: rttMs === null ? null : 64,
        type: rttMs === null ? null : 0,
        code: rttMs === null ? null : 0,
      }),
    ),
    statistics: {
      packetsSent: rtts.length,
      packetsReceived: replies.length,
      packetLossPercent: (100 * (rtts.length - replies.length)) / rtts.length,
      minMs: isSilent ? null : Math.min(...replies),
      avgMs: isSilent ? null : mean,
      maxMs: isSilent ? null : Math.max(...replies),
      stdDevMs: isSilent ? null : Math.sqrt(variance),
      jitterMs: null,
      longestLossBurst: 0,
      duplicates: 0,
      reordered: 0,
      lateReplies: 0,
    },
  };
  return { kind: "measured", measurement };
}

function drawOutcome(chance: () => number): { verdict: Verdict; outcome: Outcome } {
  const kind = chance();
  if (kind < 0.05) return { verdict: "unknown", outcome: noData() };
  if (kind < 0.1) return { verdict: "failing", outcome: unresolved };
  const lossShare = kind < 0.15 ? 1 : kind < 0.3 ? 0.3 : 0;
  const length = 1 + Math.floor(chance() * 10);
  const rtts = Array.from({ length }, () =>
    chance() < lossShare ? null : 0.02 * 20_000 ** chance(),
  );
  const verdict = lossShare === 1 ? "failing" : lossShare > 0 ? "degraded" : "passing";
  return { verdict, outcome: measureRtts(rtts) };
}

/** Returns runs with every verdict from two locations, some of them after retries. */
export function createRunsOverTime(
  checks: readonly Watched[],
  span: { readonly fromMs: number; readonly toMs: number },
  chance: () => number,
): JudgedResult[] {
  const runs: JudgedResult[] = [];
  for (let dueAtMs = span.fromMs; dueAtMs < span.toMs; dueAtMs += 420_000) {
    for (const watched of checks) {
      for (const location of ["eu-west-1", "us-east-1"]) {
        if (chance() < 0.2) continue;
        const attempts = chance() < 0.15 ? 2 : 1;
        for (let attempt = 1; attempt <= attempts; attempt += 1) {
          const isFinal = attempt === attempts;
          const { verdict, outcome } = drawOutcome(chance);
          const result = makeResult(watched, { dueAtMs, location, attempt, outcome });
          runs.push({ result, verdict: isFinal ? verdict : "failing", reasons: [], isFinal });
        }
      }
    }
  }
  return runs;
}
