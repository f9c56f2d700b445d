import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import type { HopSamples } from "./path.ts";

/** Statistics of all probes to one hop since the live trace started. */
export interface HopStatistics {
  readonly addresses: ReadonlyMap<string, string | null>;
  readonly sent: number;
  readonly received: number;
  readonly lastMs: number | null;
  readonly bestMs: number | null;
  readonly worstMs: number | null;
  readonly meanMs: number;
  /** Sum of squared differences from the mean, as in Welford's algorithm. */
  readonly squaresMs: number;
}

const maxAddresses = 8;
const noStatistics: HopStatistics = {
  addresses: new Map(),
  sent: 0,
  received: 0,
  lastMs: null,
  bestMs: null,
  worstMs: null,
  meanMs: 0,
  squaresMs: 0,
};

function addSamples(before: HopStatistics, samples: HopSamples): HopStatistics {
  const { address, name, sent, rttsMs } = samples;
  const isNew = address !== null && before.addresses.size < maxAddresses;
  const addresses = isNew ? new Map(before.addresses).set(address, name) : before.addresses;
  let { received, bestMs, worstMs, meanMs, squaresMs } = before;
  for (const rttMs of rttsMs) {
    received += 1;
    const difference = rttMs - meanMs;
    meanMs += difference / received;
    squaresMs += difference * (rttMs - meanMs);
    bestMs = Math.min(bestMs ?? rttMs, rttMs);
    worstMs = Math.max(worstMs ?? rttMs, rttMs);
  }
  const lastMs = rttsMs.at(-1) ?? before.lastMs;
  const counts = { sent: before.sent + sent, received };
  return { ...counts, addresses, lastMs, bestMs, worstMs, meanMs, squaresMs };
}

/** Adds the samples of one trace to the statistics. Hops without samples keep their statistics. */
export function addRound(
  before: readonly HopStatistics[],
  samples: readonly HopSamples[],
): HopStatistics[] {
  const length = Math.max(before.length, samples.length);
  return Array.from({ length }, (_, index) => {
    const own = before[index] ?? noStatistics;
    const added = samples[index];
    return added === undefined ? own : addSamples(own, added);
  });
}

const round = (ms: number | null) => ms && Math.round(ms * 1_000) / 1_000;

export function toWireHop(statistics: HopStatistics, index: number) {
  const { addresses, sent, received, lastMs, bestMs, worstMs, meanMs, squaresMs } = statistics;
  return {
    hop: index + 1,
    addresses: [...addresses].map(([address, name]) => ({ address, name })),
    sent,
    received,
    lossPercent: sent === 0 ? 0 : Math.round((1_000 * (sent - received)) / sent) / 10,
    lastMs: round(lastMs),
    averageMs: received === 0 ? null : round(meanMs),
    bestMs: round(bestMs),
    worstMs: round(worstMs),
    standardDeviationMs: received < 2 ? null : round(Math.sqrt(squaresMs / (received - 1))),
  };
}

export const LiveHop = Type.Object(
  {
    hop: Type.Integer({ description: "Number of the hop, from 1.", examples: [3] }),
    addresses: Type.Array(
      Type.Object({
        address: Type.String({ description: "The address.", examples: ["198.51.100.1"] }),
        name: Described(OrNull(Type.String()), "Its reverse name; `null` if it has none.", null),
      }),
      { description: `The first ${maxAddresses} addresses that responded.` },
    ),
    sent: Type.Integer({ description: "Number of probes sent.", examples: [30] }),
    received: Type.Integer({ description: "Number of responses.", examples: [30] }),
    lossPercent: Type.Number({ description: "Probes without a response.", examples: [0] }),
    lastMs: Described(OrNull(Type.Number()), "The newest round trip; `null` if none.", 8.1),
    averageMs: Described(OrNull(Type.Number()), "The mean; `null` if none responded.", 8.3),
    bestMs: Described(OrNull(Type.Number()), "The shortest; `null` if none responded.", 8),
    worstMs: Described(OrNull(Type.Number()), "The longest; `null` if none responded.", 9.4),
    standardDeviationMs: Described(
      OrNull(Type.Number()),
      "The standard deviation; `null` with fewer than two responses.",
      0.3,
    ),
  },
  { title: "LiveHop" },
);
