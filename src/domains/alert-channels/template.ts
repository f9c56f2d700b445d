/**
 * Logic-less templates, such as webhook bodies: `{{NAME}}` is replaced by a value. There are no
 * calls, no includes and no lookups beyond the list below.
 */

import { createHash } from "node:crypto";
import { escapeHtml } from "../../pages/html.ts";
import { escapeJson, toMarkdownLine } from "../../platform/text/escaping.ts";
import type { AlertMessage } from "./alert-text.ts";

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

/** Limits: characters of the template and bytes of the output. */
export const maxTemplateLength = 65_536;
export const maxOutputBytes = 65_536;

export type TemplateFormat = "json" | "form" | "markup" | "markdown" | "plain";
export type TemplateFault = "too-long" | "not-closed" | "not-a-variable";

const templateFaultRules: Readonly<Record<TemplateFault, string>> = {
  "too-long": `must have at most ${maxTemplateLength} characters`,
  "not-closed": "has a {{ without its }}",
  "not-a-variable": "may have names between {{ and }}, and no blocks, helpers or partials",
};

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "not-closed"; readonly text: string };

/** Runs in linear time: after an unclosed `{{` the rest is not searched again. */
function* splitTemplate(template: string): Generator<Piece> {
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf("{{", at);
    if (open === -1) break;
    if (open > at) yield { kind: "text", text: template.slice(at, open) };
    const close = template.indexOf("}}", open + 2);
    if (close === -1) {
      yield { kind: "not-closed", text: template.slice(open) };
      return;
    }
    yield { kind: "variable", name: template.slice(open + 2, close).trim() };
    at = close + 2;
  }
  if (at < template.length) yield { kind: "text", text: template.slice(at) };
}

/** Returns the fault of a template; `null` if it is valid. An unknown name is not a fault. */
export function findTemplateFault(template: string): TemplateFault | null {
  if (template.length > maxTemplateLength) return "too-long";
  for (const piece of splitTemplate(template)) {
    if (piece.kind === "not-closed") return "not-closed";
    if (piece.kind === "variable" && !/^\$?[A-Za-z][A-Za-z0-9_]{0,63}$/.test(piece.name)) {
      return "not-a-variable";
    }
  }
  return null;
}

/** Returns the rule that a template breaks, or `null`. */
export function findBrokenRule(template: string): string | null {
  const fault = findTemplateFault(template);
  return fault === null ? null : templateFaultRules[fault];
}

export type RenderedTemplate =
  | { readonly kind: "rendered"; readonly text: string }
  | { readonly kind: "too-large" };

export function renderTemplate(
  template: string,
  message: AlertMessage,
  format: TemplateFormat,
): RenderedTemplate {
  return fillTemplate(template, listValues(message, format));
}

/** A name without a value becomes an empty string. */
export function fillTemplate(
  template: string,
  values: ReadonlyMap<string, string>,
): RenderedTemplate {
  if (template.length > maxTemplateLength) return { kind: "too-large" };
  const parts: string[] = [];
  let byteCount = 0;
  for (const piece of splitTemplate(template)) {
    const part = piece.kind === "variable" ? (values.get(piece.name) ?? "") : piece.text;
    byteCount += Buffer.byteLength(part);
    if (byteCount > maxOutputBytes) return { kind: "too-large" };
    parts.push(part);
  }
  return { kind: "rendered", text: parts.join("") };
}

/** Lists the distinct names in a template. */
export function listTemplateNames(template: string): string[] {
  const names = [...splitTemplate(template)].flatMap((piece) =>
    piece.kind === "variable" ? [piece.name] : [],
  );
  return [...new Set(names)];
}

/** Derives the format from the Content-Type of the request. */
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
  markup: escapeHtml,
  markdown: toMarkdownLine,
  plain: (text) => text,
};

/** Returns a map, because an object would also have inherited property names. */
function listValues(message: AlertMessage, format: TemplateFormat): ReadonlyMap<string, string> {
  const noNumber = format === "json" ? "null" : "";
  const values: Readonly<Record<TemplateVariable, string>> = {
    ALERT_TITLE: message.title,
    ALERT_TYPE: message.kind,
    CHECK_NAME: message.checkName,
    CHECK_ID: message.checkId,
    CHECK_TYPE: message.checkType,
    CHECK_RESULT_ID: message.resultId ?? "",
    CHECK_ERROR_MESSAGE: message.reason,
    GROUP_NAME: message.groupName ?? "",
    // A missing number must be valid in JSON without quotes.
    RESPONSE_TIME: message.responseTimeMs === null ? noNumber : `${message.responseTimeMs}`,
    RUN_LOCATION: message.location ?? "",
    RESULT_LINK: message.resultUrl ?? "",
    ALERT_LINK: message.alertUrl ?? "",
    SSL_DAYS_REMAINING: message.certificate ? `${message.certificate.daysLeft}` : noNumber,
    SSL_CHECK_DOMAIN: message.certificate?.host ?? "",
    STARTED_AT: message.startedAt,
    TAGS: message.tags.join(","),
    IS_REMINDER: `${message.isReminder}`,
    REMINDER_SEQUENCE: `${message.reminderSequence}`,
    $UUID: deriveUuid(message.idempotencyKey),
    $RANDOM_NUMBER: `${deriveNumber(message.idempotencyKey)}`,
  };
  const escapeValue = escapes[format];
  return new Map(Object.entries(values).map(([name, value]) => [name, escapeValue(value)]));
}

/** Derived from the key, so that every attempt sends the same message. */
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
