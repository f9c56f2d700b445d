import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import {
  allWithinLimits,
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeOutcome,
  type Reason,
} from "../../kit/verdict.ts";
import { buildResponse } from "./document.ts";
import type { IcmpMeasurement, PingStatistics } from "./measurement.ts";
import { assertionSources, type IcmpRequest, type IcmpSettings } from "./request.ts";

const troubles = {
  names: { unresolved: "name-not-resolved", denied: "address-denied" },
  fallback: "packets-not-sendable",
};

type LossReason = "packet-loss-at-or-above-max" | "packet-loss-at-or-above-degraded";

export type IcmpReason =
  | {
      readonly name: "name-not-resolved" | "address-denied" | "packets-not-sendable";
      readonly code: string;
      readonly message: string;
    }
  | { readonly name: LossReason; readonly lossPercent: number; readonly limitPercent: number };

type IcmpRun = Run<IcmpRequest, IcmpMeasurement>;

/** Judges a run. Reasons for failing take precedence over reasons for degraded. */
export function judge(settings: IcmpSettings, run: IcmpRun): Judgement {
  return judgeOutcome(run.outcome, troubles, (measured) => judgeMeasured(settings, run, measured));
}

function judgeMeasured(
  settings: IcmpSettings,
  run: IcmpRun,
  { statistics }: IcmpMeasurement,
): Judgement {
  const { packetLossPercent: lossPercent } = statistics;
  const failures = listFailures(settings, run, statistics);
  if (failures.length > 0) {
    const isLossy = failures.some((reason) => reason.name === "packet-loss-at-or-above-max");
    // A run fails if its packet loss reaches the maximum. If a user sets the maximum to 0, every
    // run fails, even a run without packet loss. Without packet loss, the failure is not a network
    // error.
    return { verdict: "failing", isNetworkError: isLossy && lossPercent > 0, reasons: failures };
  }
  const { degradedPacketLossThreshold, degradedResponseTime } = settings;
  const flaws: Reason[] = [
    ...findLoss("packet-loss-at-or-above-degraded", lossPercent, degradedPacketLossThreshold),
    ...findSlowness("response-time-above-degraded", statistics.avgMs, degradedResponseTime),
  ];
  if (flaws.length > 0) return { verdict: "degraded", isNetworkError: false, reasons: flaws };
  return { verdict: "passing", isNetworkError: false, reasons: [allWithinLimits] };
}

function listFailures(settings: IcmpSettings, run: IcmpRun, statistics: PingStatistics): Reason[] {
  const { maxPacketLossThreshold, maxResponseTime, request } = settings;
  const { packetLossPercent, avgMs } = statistics;
  const failures: Reason[] = [
    ...findLoss("packet-loss-at-or-above-max", packetLossPercent, maxPacketLossThreshold),
    ...findSlowness("response-time-above-max", avgMs, maxResponseTime),
  ];
  if (request.assertions.length === 0) return failures;
  const results = evaluateAssertions(assertionSources, request.assertions, buildResponse(run));
  return [...failures, ...findFailedAssertions(request.assertions, results)];
}

function findLoss(name: LossReason, lossPercent: number, limitPercent: number): IcmpReason[] {
  return lossPercent >= limitPercent ? [{ name, lossPercent, limitPercent }] : [];
}

export function explain(reason: IcmpReason): string {
  switch (reason.name) {
    case "packet-loss-at-or-above-max":
    case "packet-loss-at-or-above-degraded":
      return reason.limitPercent === 0
        ? `${roundFigure(reason.lossPercent)} % of the packets were lost, and every run reaches the limit of 0 %`
        : `${roundFigure(reason.lossPercent)} % of the packets were lost, at or above the limit of ${reason.limitPercent} %`;
    case "name-not-resolved":
      return `the name could not be resolved (${reason.code}): ${reason.message}`;
    case "address-denied":
      return `the probe may not connect to it: ${reason.message}`;
    case "packets-not-sendable":
      return `no packet could be sent (${reason.code}): ${reason.message}`;
  }
}
