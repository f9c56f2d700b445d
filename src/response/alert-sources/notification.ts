import { createHash } from "node:crypto";
import { type Static, Type } from "typebox";
import { type Signal, type SignalAlert, signalLimits } from "../../kinds/kit/signals.ts";
import { invalid } from "../../platform/errors.ts";
import { clipText, toOneLine, toShortLine } from "../../platform/text/clip.ts";

/** Pure functions that read webhook notifications of Alertmanager, version 4. */

const TextsBody = Type.Record(Type.String(), Type.String());

const AlertBody = Type.Object({
  status: Type.Enum(["firing", "resolved"], { description: "State of the alert." }),
  labels: Type.Optional({ ...TextsBody, description: "Labels of the alert." }),
  annotations: Type.Optional({ ...TextsBody, description: "Annotations of the alert." }),
  startsAt: Type.Optional(Type.String({ description: "When it began to fire." })),
  generatorURL: Type.Optional(Type.String({ description: "Where it was generated." })),
});

export const NotificationBody = Type.Object(
  {
    version: Type.String({ description: "Always 4.", examples: ["4"], maxLength: 20 }),
    groupKey: Type.String({
      description: "Identifies the group of alerts.",
      examples: ['{}:{alertname="HighLatency"}'],
      minLength: 1,
      maxLength: 100_000,
    }),
    status: Type.Enum(["firing", "resolved"], {
      description: "firing if at least one alert is firing.",
      examples: ["firing"],
    }),
    receiver: Type.Optional(
      Type.String({ description: "Name of the receiver.", examples: ["vedette"] }),
    ),
    truncatedAlerts: Type.Optional(
      Type.Integer({
        description: "Number of alerts that were left out because of `max_alerts`.",
        minimum: 0,
        maximum: 0x7fff_ffff,
        examples: [0],
      }),
    ),
    groupLabels: Type.Optional({ ...TextsBody, description: "Labels that the alerts share." }),
    commonLabels: Type.Optional({ ...TextsBody, description: "Labels with equal values." }),
    externalURL: Type.Optional(
      Type.String({
        description: "Address of Alertmanager.",
        examples: ["https://alertmanager.example.com"],
      }),
    ),
    alerts: Type.Array(AlertBody, {
      description: "The alerts of the group.",
      examples: [[{ status: "firing", labels: { alertname: "HighLatency" } }]],
      maxItems: 20_000,
    }),
  },
  { title: "AlertmanagerNotification", description: "As sent by a webhook receiver." },
);
export type Notification = Static<typeof NotificationBody>;

export interface ReadNotification {
  readonly groupKey: string;
  /** Name of the check that is created for the alert group. */
  readonly name: string;
  readonly signal: Signal;
  /** Identifies a duplicate delivery. Covers all alerts, also those that `signal` leaves out. */
  readonly digest: Buffer;
}

/**
 * Severities of low urgency, from the most to the least urgent. An unknown severity counts as
 * urgent, because an unnecessary page is better than a missing page.
 */
const calmSeverities = [
  ...["warning", "warn", "minor", "low", "sev3", "p3", "ticket"],
  ...["sev4", "p4", "notice", "p5", "sev5", "informational", "information", "info"],
  ...["debug", "none"],
];
const urgentSeverities = [
  ...["disaster", "emergency", "fatal", "page", "critical", "sev1", "p1"],
  ...["high", "error", "major", "sev2", "p2"],
];

/**
 * Returns the rank of a severity; a lower rank is more urgent. An unknown or missing severity ranks
 * after the known urgent severities and before the severities that are not urgent.
 */
function rankSeverity(severity: string): number {
  const name = severity.toLowerCase();
  const urgent = urgentSeverities.indexOf(name);
  if (urgent >= 0) return urgent;
  const calm = calmSeverities.indexOf(name);
  return calm >= 0 ? 1_000 + calm : 500 + (name === "" ? 1 : 0);
}

const isUrgentSeverity = (severity: string) => rankSeverity(severity) < 1_000;

/**
 * Returns the URL if it may be shown as a link; otherwise `null`. The URL comes from an external
 * system, so only http and https URLs without credentials are accepted.
 */
function readUrl(text: string | undefined): string | null {
  const url = text === undefined ? null : URL.parse(text);
  // Check the length after parsing, because encoding makes a URL longer.
  if (url === null || url.href.length > signalLimits.urlLength) return null;
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb && url.username === "" && url.password === "" ? url.href : null;
}

function readTexts(texts: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const { labels, nameLength, textLength } = signalLimits;
  const entries = Object.entries(texts ?? {}).slice(0, labels);
  return Object.fromEntries(
    entries.map(([name, text]) => [
      toShortLine(name, nameLength),
      clipText(text.toWellFormed().replaceAll("\0", ""), textLength).trim(),
    ]),
  );
}

/** Puts the labels that identify an alert first, because only the first labels are stored. */
function orderLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { alertname, severity, instance, ...others } = labels;
  return {
    ...(alertname !== undefined && { alertname }),
    ...(severity !== undefined && { severity }),
    ...(instance !== undefined && { instance }),
    ...others,
  };
}

function readAlert(alert: Notification["alerts"][number]): SignalAlert {
  const { status, labels, annotations, startsAt = "", generatorURL } = alert;
  return {
    status,
    labels: readTexts(orderLabels(labels)),
    annotations: readTexts(annotations),
    startsAt: toShortLine(startsAt, signalLimits.nameLength),
    generatorUrl: readUrl(generatorURL),
  };
}

/** Returns as many of the first alerts as a stored run may contain. */
function fit(alerts: readonly SignalAlert[]): SignalAlert[] {
  const fitting: SignalAlert[] = [];
  let bytes = 0;
  for (const alert of alerts.slice(0, signalLimits.alerts)) {
    bytes += Buffer.byteLength(JSON.stringify(alert)) + 1;
    if (bytes > signalLimits.jsonBytes) break;
    fitting.push(alert);
  }
  return fitting;
}

const maxNameLength = 200;

/** Returns the name of an alert group, such as "HighLatency (team=shop)", from its labels. */
function nameGroup({ groupLabels = {}, commonLabels = {} }: Notification): string {
  const { alertname = commonLabels.alertname ?? "Alerts", ...others } = groupLabels;
  const own = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  const text = `${alertname}${own.length === 0 ? "" : ` (${own.join(", ")})`}`;
  return toShortLine(text, maxNameLength) || "Alerts";
}

const maxCount = 0xffff;

export function readNotification(body: Notification): ReadNotification {
  if (body.version !== "4") {
    throw invalid("version", "must be 4, as sent by Alertmanager 0.5 and later");
  }
  const { alerts, truncatedAlerts = 0, receiver = "", externalURL } = body;
  const firing = alerts.filter(({ status }) => status === "firing");
  const resolved = alerts.filter(({ status }) => status === "resolved");
  const isFiring = body.status === "firing" || firing.length > 0;
  const severities = firing.map(({ labels }) => toOneLine(labels?.severity ?? ""));
  const [severity = ""] = severities.sort((one, other) => rankSeverity(one) - rankSeverity(other));
  const left = isFiring ? truncatedAlerts : 0;
  const signal: Signal = {
    status: isFiring ? "firing" : "resolved",
    severity: clipText(severity, signalLimits.nameLength),
    isUrgent: isFiring && isUrgentSeverity(severity),
    receiver: toShortLine(receiver, signalLimits.textLength),
    externalUrl: readUrl(externalURL),
    firingCount: Math.min(firing.length + left, maxCount),
    resolvedCount: Math.min(resolved.length, maxCount),
    alerts: fit([...firing, ...resolved].slice(0, signalLimits.alerts).map(readAlert)),
  };
  const facts = alerts.map(({ status, labels, annotations }) => [status, labels, annotations]);
  const digest = createHash("sha256")
    .update(JSON.stringify([signal, facts]))
    .digest();
  return { groupKey: body.groupKey, name: nameGroup(body), signal, digest };
}
