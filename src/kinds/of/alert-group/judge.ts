import { toShortLine } from "../../../platform/text/clip.ts";
import type { SignalAlert } from "../../kit/signals.ts";
import type { Judgement } from "../../kit/verdict.ts";
import type { AlertGroupRun } from "./measurement.ts";

export type AlertGroupReason =
  | {
      readonly name: "alerts-firing";
      readonly firingCount: number;
      readonly severity: string;
      /** Descriptions of the first firing alerts, one line each. */
      readonly alerts: readonly string[];
      /** Link from the first firing alert to its source in the other monitor; `null` if unknown. */
      readonly url: string | null;
    }
  | { readonly name: "alerts-resolved" };

/** Maximum number of alerts that a message describes. */
const maxDescribed = 3;
const maxLineLength = 300;
/** Labels that do not help to identify the problem. */
const dullLabels: ReadonlySet<string> = new Set(["alertname", "severity", "job", "prometheus"]);

/** Formats an alert as one line, such as "HighLatency (instance=web-1): p99 is 3 s". */
function describeAlert({ labels, annotations }: SignalAlert): string {
  const own = Object.entries(labels)
    .filter(([name]) => !dullLabels.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
  const what = `${labels.alertname ?? "Alert"}${own === "" ? "" : ` (${own})`}`;
  const { summary, description, message } = annotations;
  const texts = [summary, description ?? message].filter(Boolean);
  return toShortLine(`${what}${texts.length === 0 ? "" : `: ${texts.join(" ")}`}`, maxLineLength);
}

export function judge(_settings: unknown, { outcome }: AlertGroupRun): Judgement {
  if (outcome.kind !== "measured") {
    return { verdict: "failing", isNetworkError: true, reasons: [] };
  }
  const { status, alerts, firingCount, severity, isUrgent } = outcome.measurement;
  if (status === "resolved") {
    return { verdict: "passing", isNetworkError: false, reasons: [{ name: "alerts-resolved" }] };
  }
  const firing = alerts.filter((alert) => alert.status === "firing");
  const reason: AlertGroupReason = {
    name: "alerts-firing",
    firingCount,
    severity,
    alerts: firing.slice(0, maxDescribed).map(describeAlert),
    url: firing[0]?.generatorUrl ?? null,
  };
  return {
    verdict: isUrgent ? "failing" : "degraded",
    isNetworkError: false,
    reasons: [reason],
  };
}

export function explain(reason: AlertGroupReason): string {
  if (reason.name === "alerts-resolved") return "every alert of the group is resolved";
  const { firingCount, severity, alerts, url } = reason;
  const count = firingCount === 1 ? "1 alert is firing" : `${firingCount} alerts are firing`;
  const more = firingCount > alerts.length ? `; and ${firingCount - alerts.length} more` : "";
  const what = alerts.length === 0 ? "" : `: ${alerts.join("; ")}${more}`;
  const link = url === null ? "" : ` (${url})`;
  return `${count}${severity === "" ? "" : ` with severity ${severity}`}${what}${link}`;
}
