import type { IpFamily } from "../../../platform/net/host.ts";
import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import type { Run } from "../../kit/definition.ts";
import {
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeByReasons,
  judgeOutcome,
} from "../../kit/verdict.ts";
import { buildResponse } from "./document.ts";
import {
  computeFinalLatency,
  findLoop,
  type Hop,
  isReached,
  nameHopError,
  type TraceEnd,
  type TraceProtocol,
  type TracerouteMeasurement,
  type TracerouteTrouble,
} from "./measurement.ts";
import { assertionSources, type TracerouteRequest, type TracerouteSettings } from "./request.ts";

const troubleReasons = {
  unresolved: "name-not-resolved",
  denied: "address-denied",
  unreachable: "no-route",
  unsendable: "packets-not-sendable",
} as const satisfies Readonly<Record<TracerouteTrouble["kind"], string>>;

type TroubleReason = (typeof troubleReasons)[TracerouteTrouble["kind"]];

const troubles = { names: troubleReasons, fallback: "packets-not-sendable" };

/** Reason for the verdict if the path ended before the target. */
interface NotReached {
  readonly name: "target-not-reached";
  readonly end: Exclude<TraceEnd, "destinationReached">;
  /** Number of the last hop that responded; 0 if no hop responded. */
  readonly lastHop: number;
  readonly lastAddress: string | null;
  /** ICMP error that the last hop reported; `null` if it reported no error. */
  readonly error: string | null;
  /**
   * Numbers of the hops at which the same address responded, if the trace ended because of a loop.
   * Otherwise empty.
   */
  readonly loopHops: readonly number[];
}

export type TracerouteReason =
  | { readonly name: TroubleReason; readonly code: string; readonly message: string }
  | NotReached;

type TracerouteRun = Run<TracerouteRequest, TracerouteMeasurement>;

/** Judges a run. The worst verdict that applies is used: failing, then degraded, then passing. */
export function judge(settings: TracerouteSettings, run: TracerouteRun): Judgement {
  return judgeOutcome(run.outcome, troubles, (measured) => judgeMeasured(settings, run, measured));
}

function judgeMeasured(
  settings: TracerouteSettings,
  run: TracerouteRun,
  measured: TracerouteMeasurement,
): Judgement {
  const { assertions } = settings.request;
  const results = evaluateAssertions(assertionSources, assertions, buildResponse(run));
  const failed = findFailedAssertions(assertions, results);
  if (!isReached(measured)) {
    if (measured.substitute !== undefined) return refuseVerdict(measured.substitute);
    const reason = describeEnd(measured, run.request.ipFamily);
    return { verdict: "failing", isNetworkError: true, reasons: [reason, ...failed] };
  }
  const avgMs = computeFinalLatency(measured)?.avg ?? null;
  const { maxResponseTime, degradedResponseTime } = settings;
  const failures = [...findSlowness("response-time-above-max", avgMs, maxResponseTime), ...failed];
  const flaws = findSlowness("response-time-above-degraded", avgMs, degradedResponseTime);
  return judgeByReasons(failures, flaws);
}

/** A target that answers TCP may ignore other protocols, so no answer says nothing about it. */
function refuseVerdict(substitute: TraceProtocol): Judgement {
  const message =
    `This probe may not send TCP probes, and the target did not answer ${substitute}. ` +
    "Permit raw sockets on the probe, or choose another protocol: see docs/traceroute-checks.md.";
  const reasons = [{ name: "probe-cannot-check", message }];
  return { verdict: "unknown", isNetworkError: false, reasons };
}

function describeEnd({ hops, end }: TracerouteMeasurement, family: IpFamily): NotReached {
  const lastHop = hops.findLastIndex(({ addresses }) => addresses.length > 0) + 1;
  const last: Hop | undefined = hops[lastHop - 1];
  return {
    name: "target-not-reached",
    end: end === "destinationReached" ? "timeout" : end,
    lastHop,
    lastAddress: last?.addresses[0]?.address ?? null,
    error: last?.error ? nameHopError(last.error, family) : null,
    loopHops: end === "loop" ? (findLoop(hops)?.hops ?? []) : [],
  };
}

function explainEnd({ end, lastHop, lastAddress, error, loopHops }: NotReached): string {
  if (lastAddress === null) return "no hop responded";
  const at = `hop ${lastHop} (${lastAddress})`;
  if (end === "loop") return `the path is a loop: ${lastAddress} is hop ${loopHops.join(", ")}`;
  if (error !== null) return `the path ended at ${at}: ${error}`;
  if (end === "timeout") return `the trace timed out after ${at}`;
  if (end === "maxHops")
    return `the target is further away than the maximum of hops; last was ${at}`;
  return `the path ended after ${at}: no hop beyond it responded`;
}

export function explain(reason: TracerouteReason): string {
  switch (reason.name) {
    case "target-not-reached":
      return `the target was not reached: ${explainEnd(reason)}`;
    case "name-not-resolved":
      return `the name could not be resolved (${reason.code}): ${reason.message}`;
    case "address-denied":
      return `the probe may not connect to it: ${reason.message}`;
    default:
      return `no packet could be sent (${reason.code}): ${reason.message}`;
  }
}
