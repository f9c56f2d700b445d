import type { AlertKind, AlertMessage } from "../alert-channels/index.ts";
import type { Alert } from "./alert-decision.ts";

/** What the message says of the run behind the alert. */
export interface RunFacts {
  readonly location: string;
  readonly responseTimeMs: number | null;
  readonly packetLossPercent: number | null;
  readonly reasons: readonly { readonly name: string; readonly message?: unknown }[];
}

export interface CheckFacts {
  readonly checkId: string;
  readonly name: string;
  readonly target: string;
  readonly tags: readonly string[];
}

const headlines: Readonly<Record<AlertKind, string>> = {
  ALERT_FAILURE: "is failing",
  ALERT_FAILURE_REMAIN: "is still failing",
  ALERT_FAILURE_DEGRADED: "has improved to degraded",
  ALERT_RECOVERY: "has recovered",
  ALERT_DEGRADED: "is degraded",
  ALERT_DEGRADED_REMAIN: "is still degraded",
  ALERT_DEGRADED_FAILURE: "has gone from degraded to failing",
  ALERT_DEGRADED_RECOVERY: "has recovered from being degraded",
  ALERT_NO_DATA: "has no data",
  ALERT_TEST: "is being tested",
};

/** In the order people need them: what, and then the figures. */
function writeReason(alert: Alert, run: RunFacts | null): string {
  if (alert.isFlapping) return "It changes back and forth; no more is told until it is stable.";
  if (alert.kind === "ALERT_NO_DATA") return "No run has learned anything about it for too long.";
  const told = run?.reasons.find((reason) => typeof reason.message === "string")?.message;
  if (typeof told === "string") return told;
  const loss = run?.packetLossPercent;
  if (loss !== null && loss !== undefined && loss > 0) {
    return `${Number(loss.toFixed(1))} % of the packets were lost.`;
  }
  return "The newest run is within all limits.";
}

export function writeAlertMessage(
  alert: Alert,
  about: { readonly check: CheckFacts; readonly run: RunFacts | null },
  links: { readonly resultUrl: string | null; readonly acknowledgeUrl: string | null },
): Omit<AlertMessage, "idempotencyKey"> {
  const { check, run } = about;
  return {
    kind: alert.kind,
    title: `${check.name} ${headlines[alert.kind]}`,
    reason: writeReason(alert, run),
    checkId: check.checkId,
    checkName: check.name,
    checkType: "ICMP",
    target: check.target,
    groupName: null,
    tags: check.tags,
    resultId: alert.resultId,
    resultUrl: links.resultUrl,
    location: run?.location ?? null,
    responseTimeMs: run?.responseTimeMs ?? null,
    packetLossPercent: run?.packetLossPercent ?? null,
    startedAt: new Date(alert.startedAtMs).toISOString(),
    isReminder: alert.isReminder,
    reminderSequence: alert.reminderSequence,
    acknowledgeUrl: links.acknowledgeUrl,
  };
}

interface Wanted {
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
}

/** What a channel wants to hear of. */
export function isWanted(kind: AlertKind, channel: Wanted): boolean {
  switch (kind) {
    case "ALERT_RECOVERY":
      return channel.sendRecovery;
    case "ALERT_DEGRADED":
    case "ALERT_DEGRADED_REMAIN":
      return channel.sendDegraded;
    case "ALERT_DEGRADED_RECOVERY":
      return channel.sendDegraded && channel.sendRecovery;
    default:
      return channel.sendFailure;
  }
}
