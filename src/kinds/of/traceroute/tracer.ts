import type { Path, PathHop, PathTracer } from "../../kit/paths/path.ts";
import {
  type Hop,
  nameHopError,
  type TraceEnd,
  type TracerouteMeasurement,
} from "./measurement.ts";
import { maxNamesWaitMs, type TracerouteRequest } from "./request.ts";

const timeoutMs = 8_000;
/** Additional time for name resolution and for sending the request and the result. */
const slackMs = 8_000;

const ends: Readonly<Record<TraceEnd, Path["end"]>> = {
  destinationReached: "reached",
  maxHops: "silent",
  maxUnknownHops: "silent",
  timeout: "silent",
  unreachable: "error",
  packetTooBig: "error",
  loop: "loop",
};

function toPathHop(
  { addresses: [first], rttsMs, error }: Hop,
  request: TracerouteRequest,
): PathHop {
  return {
    address: first?.address ?? null,
    name: first?.name ?? null,
    roundTripMs: rttsMs.length === 0 ? null : Math.round(Math.min(...rttsMs) * 1_000) / 1_000,
    error: error === null ? null : nameHopError(error, request.ipFamily),
  };
}

/**
 * Traces the path to the target of a check of this or another kind. A trace to a target that is
 * down would take long, so some limits are stricter than the defaults of traceroute checks.
 */
export const tracer: PathTracer<TracerouteRequest, TracerouteMeasurement> = {
  deadlineMs: timeoutMs + maxNamesWaitMs + slackMs,
  toRequest: (target) => ({
    ...target,
    maxHops: 30,
    maxUnknownHops: 5,
    ptrLookup: true,
    packetSize: null,
    timeoutMs,
  }),
  readSamples: ({ hops }) =>
    hops.map(({ sent, rttsMs, addresses: [first] }) => ({
      address: first?.address ?? null,
      name: first?.name ?? null,
      sent,
      rttsMs,
    })),
  readPath: (request, { resolvedIp, end, hops }) => {
    const last = hops.findLastIndex(({ addresses }) => addresses.length > 0);
    return {
      address: resolvedIp,
      protocol: request.protocol,
      port: request.port,
      end: ends[end],
      hops: hops.slice(0, last + 1).map((hop) => toPathHop(hop, request)),
    };
  },
};
