/** Alert text that all kinds of channels share. Each kind escapes the text for its own format. */
import { createHash } from "node:crypto";
import type { Fact } from "../../kinds/kit/presentation.ts";
import { escapeHtml, formatDateTime } from "../../pages/html.ts";
import { colors } from "../../pages/tokens.ts";
import { clipText, toShortLine } from "../../platform/text/clip.ts";
import { escapeJson, toMarkdownLine } from "../../platform/text/escaping.ts";
import { formatMilliseconds, writeList, writePercent } from "../../platform/text/figures.ts";
import {
  fillTemplate,
  type RenderedTemplate,
  type TemplateValue,
} from "../../platform/text/template.ts";
import { formatDuration } from "../../platform/text/time.ts";

/** All kinds of alert messages. */
export const alertKinds = [
  "ALERT_FAILURE",
  "ALERT_FAILURE_REMAIN",
  "ALERT_FAILURE_DEGRADED",
  "ALERT_RECOVERY",
  "ALERT_DEGRADED",
  "ALERT_DEGRADED_REMAIN",
  "ALERT_DEGRADED_FAILURE",
  "ALERT_DEGRADED_RECOVERY",
  "ALERT_NO_DATA",
  "ALERT_SSL",
  "ALERT_TEST",
] as const;
export type AlertKind = (typeof alertKinds)[number];

export interface AlertMessage {
  /** Identifies one message to one channel. All delivery attempts use the same key. */
  readonly idempotencyKey: string;
  readonly kind: AlertKind;
  readonly title: string;
  /** One sentence that explains why the alert was sent. */
  readonly reason: string;
  readonly checkId: string;
  readonly checkName: string;
  readonly checkType: string;
  readonly target: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly resultId: string | null;
  /** URL of the run in the application, or of another page about the alert. */
  readonly resultUrl: string | null;
  /** URL of the alert, or of the alert list for a digest; missing or `null` if there is none. */
  readonly alertUrl?: string | null;
  /** Code of the location of the run. */
  readonly location: string | null;
  /** Name of the location for people; missing in old messages. */
  readonly locationName?: string | null;
  readonly responseTimeMs: number | null;
  /** Measured values of the run. The kind of the check defines which values there are. */
  readonly facts: readonly Fact[];
  /** Time at which the reported state began, in ISO 8601 format. */
  readonly startedAt: string;
  /** Duration of the problem in seconds, for a recovery; `null` or missing for other alerts. */
  readonly lastedSeconds?: number | null;
  /** Urgency from the alert settings. If missing, the kind of the alert decides the urgency. */
  readonly urgency?: "HIGH" | "LOW";
  readonly isReminder: boolean;
  readonly reminderSequence: number;
  /** Messages that the digest combines, oldest first; missing for single alerts. */
  readonly digest?: readonly AlertMessage[];
  /** Id of the storm of a digest to a member; missing for other messages. */
  readonly stormId?: string;
  /** Certificate that the alert is about; missing for other alerts. */
  readonly certificate?: CertificateNotice;
  /** URL of the page that acknowledges the alert; `null` if the alert cannot be acknowledged. */
  readonly acknowledgeUrl: string | null;
  /** True if the message is part of a page to a member. */
  readonly isPage?: boolean;
}

interface CertificateNotice {
  readonly host: string;
  readonly issuer: string;
  /** Expiry of the certificate in ISO 8601 format. */
  readonly expiresAt: string;
  /** Number of whole days until the certificate expires; negative after the expiry. */
  readonly daysLeft: number;
}

/** A message as stored in the queue. Old messages have no `facts`. */
export type StoredMessage = Omit<AlertMessage, "facts"> & Partial<Pick<AlertMessage, "facts">>;

export type AlertTone = "failing" | "degraded" | "recovered" | "neutral";

const tones: Readonly<Record<AlertKind, AlertTone>> = {
  ALERT_FAILURE: "failing",
  ALERT_FAILURE_REMAIN: "failing",
  ALERT_DEGRADED_FAILURE: "failing",
  ALERT_NO_DATA: "failing",
  ALERT_FAILURE_DEGRADED: "degraded",
  ALERT_SSL: "degraded",
  ALERT_DEGRADED: "degraded",
  ALERT_DEGRADED_REMAIN: "degraded",
  ALERT_RECOVERY: "recovered",
  ALERT_DEGRADED_RECOVERY: "recovered",
  ALERT_TEST: "neutral",
};

export function decideTone(kind: AlertKind): AlertTone {
  return tones[kind];
}

export const toneColours: Readonly<Record<AlertTone, string>> = {
  failing: colors.light.bad,
  degraded: colors.light.fair,
  recovered: colors.light.good,
  neutral: colors.light.none,
};

export interface AlertFact {
  readonly label: string;
  readonly value: string;
}

export interface AlertLink {
  readonly label: string;
  readonly url: string;
}

const maxValueLength = 300;

function writeFigure({ value, unit }: Fact): string | null {
  if (value === null) return null;
  if (unit === "ms") return formatMilliseconds(value);
  return unit === "%" ? writePercent(value) : `${value} ${unit}`;
}

/** Formats a stored date. Stored messages are not validated, so an invalid date stays unchanged. */
function writeMoment(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : formatDateTime(at);
}

/** Headings in a digest. A digest groups its alerts by tone, such as "failing" or "recovered". */
export const toneWords: Readonly<Record<AlertTone, string>> = {
  failing: "Failing",
  degraded: "Degraded",
  recovered: "Recovered",
  neutral: "Other",
};

const namesPerLine = 12;

/**
 * Lists the facts of a digest: for each tone, the names of its checks; then the most common reason,
 * if several failures share a reason.
 */
function listDigestFacts(digest: readonly AlertMessage[]): AlertFact[] {
  const byTone = Map.groupBy(digest, ({ kind }) => decideTone(kind));
  const facts = [...byTone].map(([tone, messages]) => {
    const names = [...new Set(messages.map(({ checkName }) => toShortLine(checkName, 60)))];
    return { label: toneWords[tone], value: writeList(names, namesPerLine) };
  });
  const causes = Map.groupBy(byTone.get("failing") ?? [], ({ reason }) => reason);
  const [common] = [...causes].toSorted(([, one], [, other]) => other.length - one.length);
  if (common === undefined || common[1].length < 2) return facts.map(toShortFact);
  const cause = { label: "Commonest cause", value: `${common[0]} (${common[1].length} checks)` };
  return [...facts, cause].map(toShortFact);
}

const toShortFact = ({ label, value }: AlertFact): AlertFact => ({
  label,
  value: toShortLine(value, maxValueLength),
});

/** Lists the facts of a message, most important first. The caller must escape the values. */
export function listFacts(message: AlertMessage): AlertFact[] {
  if (message.digest !== undefined) return listDigestFacts(message.digest);
  const {
    groupName,
    location,
    locationName = location,
    responseTimeMs,
    tags,
    certificate,
  } = message;
  const { facts: ofRun = [], lastedSeconds = null }: StoredMessage = message;
  const facts: (readonly [string, string | null])[] = [
    ["Check", message.checkName],
    ["Target", message.target],
    ["Group", groupName],
    ["Location", locationName],
    ["Response time", responseTimeMs === null ? null : formatMilliseconds(responseTimeMs)],
    ...ofRun.map((fact) => [fact.label, writeFigure(fact)] as const),
    ["Certificate of", certificate?.host ?? null],
    ["Issued by", certificate?.issuer ?? null],
    ["Expires", certificate === undefined ? null : writeMoment(certificate.expiresAt)],
    ["Days left", certificate === undefined ? null : `${certificate.daysLeft}`],
    ["Since", certificate === undefined ? writeMoment(message.startedAt) : null],
    ["Lasted", lastedSeconds === null ? null : formatDuration(lastedSeconds * 1_000)],
    ["Reminder", message.isReminder ? `${message.reminderSequence}` : null],
    ["Tags", tags.length === 0 ? null : tags.join(", ")],
  ];
  return facts.flatMap(([label, value]) =>
    value === null ? [] : [{ label, value: toShortLine(value, maxValueLength) }],
  );
}

/** Returns the URL of the alert, or the URL of the run if the alert has no URL. */
export function findOpenUrl({ alertUrl = null, resultUrl }: AlertMessage): string | null {
  return alertUrl ?? resultUrl;
}

export function openLabel({ alertUrl = null, digest }: AlertMessage): string {
  if (digest !== undefined) return "Open the alerts";
  return alertUrl === null ? "Open in Vedette" : "Open the alert";
}

export const acknowledgeLabel = ({ digest }: AlertMessage) =>
  digest === undefined ? "Acknowledge" : "Acknowledge all";

export function listLinks(message: AlertMessage): AlertLink[] {
  const links: (readonly [string, string | null])[] = [
    [openLabel(message), findOpenUrl(message)],
    [acknowledgeLabel(message), message.acknowledgeUrl],
  ];
  return links.flatMap(([label, url]) => (url === null ? [] : [{ label, url }]));
}

/** Returns links to snooze and (for pages) to escalate an alert. Only emails have room for them. */
export function listResponseLinks(message: AlertMessage): AlertLink[] {
  const { acknowledgeUrl, isPage = false, digest } = message;
  if (acknowledgeUrl === null || digest !== undefined) return [];
  const snooze = { label: "Snooze for 1 hour", url: `${acknowledgeUrl}/snooze` };
  const escalate = { label: "Escalate now", url: `${acknowledgeUrl}/escalate` };
  return isPage ? [snooze, escalate] : [snooze];
}

/**
 * Returns the key under which external services open one incident per check and close the incident
 * when the check recovers. Certificate alerts and digests have separate keys. All messages of a
 * storm have the same key, so that each replaces the previous one.
 */
export function writeIncidentKey(
  { checkId, certificate, digest, idempotencyKey, stormId }: AlertMessage,
  maxLength: number,
): string {
  if (digest !== undefined) return toShortLine(`digest ${stormId ?? idempotencyKey}`, maxLength);
  return toShortLine(certificate === undefined ? checkId : `${checkId} certificate`, maxLength);
}

export function writeTitle(message: AlertMessage, maxLength = 250): string {
  return toShortLine(message.title, maxLength);
}

export function writeReason(message: AlertMessage, maxLength = 500): string {
  return toShortLine(message.reason, maxLength);
}

/** Returns reason, facts and links of a message as plain text, without the title. */
export function writePlainText(message: AlertMessage, maxLength: number): string {
  const facts = listFacts(message).map(({ label, value }) => `${label}: ${value}`);
  const links = listLinks(message).map(({ label, url }) => `${label}: ${url}`);
  // Truncate only the text before the links: a truncated link would not work.
  const tail = links.length === 0 ? "" : `\n\n${links.join("\n")}`;
  const head = [writeReason(message), "", ...facts].join("\n");
  return clipText(head, Math.max(0, maxLength - tail.length)) + tail;
}

/** Names of the variables that the template of a channel or an incident may contain. */
export const templateVariables = [
  "ALERT_TITLE",
  "ALERT_TYPE",
  "CHECK_NAME",
  "CHECK_ID",
  "CHECK_TYPE",
  "CHECK_RESULT_ID",
  "CHECK_ERROR_MESSAGE",
  "GROUP_NAME",
  "RESPONSE_TIME",
  "RUN_LOCATION",
  "RESULT_LINK",
  "ALERT_LINK",
  "SSL_DAYS_REMAINING",
  "SSL_CHECK_DOMAIN",
  "STARTED_AT",
  "TAGS",
  "IS_REMINDER",
  "REMINDER_SEQUENCE",
  "$UUID",
  "$RANDOM_NUMBER",
] as const;
export type TemplateVariable = (typeof templateVariables)[number];

export type TemplateFormat = "json" | "form" | "html-form" | "markup" | "markdown" | "plain";

export function renderTemplate(
  template: string,
  message: AlertMessage,
  format: TemplateFormat,
): RenderedTemplate {
  const escapeValue = escapes[format];
  // JSON templates contain numbers without quotes, so a missing number is `null`.
  const missing = format === "json" ? "null" : "";
  const write = (value: TemplateValue) => (value === null ? missing : escapeValue(String(value)));
  return fillTemplate(template, listValues(message), write);
}

/** Returns the template format for the Content-Type of a webhook request. */
export function decideFormat(contentType: string): TemplateFormat {
  const [type = ""] = contentType.toLowerCase().split(";");
  const name = type.trim();
  if (/^(application|text)\/([\w.-]+\+)?json$/.test(name)) return "json";
  if (name === "application/x-www-form-urlencoded") return "form";
  return /^(application|text)\/([\w.-]+\+)?(html|xml)$/.test(name) ? "markup" : "plain";
}

const escapes: Readonly<Record<TemplateFormat, (text: string) => string>> = {
  json: escapeJson,
  form: (text) => encodeURIComponent(text.toWellFormed()),
  // A form whose text is HTML, as Telegram reads it.
  "html-form": (text) => encodeURIComponent(escapeHtml(text.toWellFormed())),
  markup: escapeHtml,
  markdown: toMarkdownLine,
  plain: (text) => text,
};

/**
 * Returns the value of each template variable. The result is a map, because an object would also
 * have inherited names such as `constructor`.
 */
function listValues(message: AlertMessage): ReadonlyMap<string, TemplateValue> {
  const values: Readonly<Record<TemplateVariable, TemplateValue>> = {
    ALERT_TITLE: message.title,
    ALERT_TYPE: message.kind,
    CHECK_NAME: message.checkName,
    CHECK_ID: message.checkId,
    CHECK_TYPE: message.checkType,
    CHECK_RESULT_ID: message.resultId ?? "",
    CHECK_ERROR_MESSAGE: message.reason,
    GROUP_NAME: message.groupName ?? "",
    RESPONSE_TIME: message.responseTimeMs,
    RUN_LOCATION: message.location ?? "",
    RESULT_LINK: message.resultUrl ?? "",
    ALERT_LINK: message.alertUrl ?? "",
    SSL_DAYS_REMAINING: message.certificate?.daysLeft ?? null,
    SSL_CHECK_DOMAIN: message.certificate?.host ?? "",
    STARTED_AT: message.startedAt,
    TAGS: message.tags,
    IS_REMINDER: message.isReminder,
    REMINDER_SEQUENCE: message.reminderSequence,
    $UUID: deriveUuid(message.idempotencyKey),
    $RANDOM_NUMBER: deriveNumber(message.idempotencyKey),
  };
  return new Map(Object.entries(values));
}

/**
 * Derives pseudo-random bytes from the idempotency key, so that every delivery attempt sends the
 * same values.
 */
function derive(purpose: string, key: string): Buffer {
  return createHash("sha256").update(`${purpose}:${key}`).digest();
}

function deriveUuid(key: string): string {
  const bytes = derive("uuid", key).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function deriveNumber(key: string): number {
  return derive("number", key).readUInt32BE(0) % 1_000;
}
