/** Sends messages over HTTP and interprets the responses. */

import { createHmac } from "node:crypto";
import { maxWaitMs, type SendOutcome } from "./deliverer.ts";
import type { Outbound, OutboundResult } from "./outbound.ts";

const timeoutMs = 15_000;

interface IdentifiedMessage {
  /** Key that is the same in every attempt to deliver one message. */
  readonly idempotencyKey: string;
}

interface JsonPost {
  readonly url: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function postJson(
  message: IdentifiedMessage,
  tools: { readonly outbound: Outbound },
  post: JsonPost,
): Promise<OutboundResult> {
  return sendJson("POST", message, tools, post);
}

export function sendJson(
  method: "POST" | "PUT",
  message: IdentifiedMessage,
  tools: { readonly outbound: Outbound },
  post: JsonPost,
): Promise<OutboundResult> {
  return tools.outbound.request({
    method,
    url: post.url,
    headers: {
      "content-type": "application/json",
      "idempotency-key": message.idempotencyKey,
      ...post.headers,
    },
    body: JSON.stringify(post.body),
    timeoutMs,
  });
}

export function postForm(
  message: IdentifiedMessage,
  tools: { readonly outbound: Outbound },
  post: Omit<JsonPost, "body"> & { readonly fields: Readonly<Record<string, string>> },
): Promise<OutboundResult> {
  return tools.outbound.request({
    method: "POST",
    url: post.url,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "idempotency-key": message.idempotencyKey,
      ...post.headers,
    },
    body: new URLSearchParams(post.fields).toString(),
    timeoutMs,
  });
}

interface HttpRules {
  /** Name of the provider. The reason of a failed attempt contains it. */
  readonly provider: string;
  /** Statuses with which this provider rejects a message permanently. */
  readonly permanentStatuses: ReadonlySet<number>;
  readonly now: Date;
}

/**
 * Interprets a response. The reason never contains the response body, because some providers repeat
 * the request in it, including secrets.
 */
export function decideOutcome(result: OutboundResult, rules: HttpRules): SendOutcome {
  if (result.kind === "refused") return notSent(result.message, { isPermanent: true });
  if (result.kind === "failed") {
    // The provider accepted the message; only its response body was too large.
    if (result.reason === "too-large" && isSuccess(result.status)) {
      return { kind: "sent", statusCode: result.status };
    }
    return notSent(result.message, { statusCode: result.status });
  }
  const { status, headers } = result;
  if (isSuccess(status)) return { kind: "sent", statusCode: status };
  return notSent(`${rules.provider} answered ${status}.`, {
    statusCode: status,
    isPermanent: rules.permanentStatuses.has(status),
    retryAfterSeconds: parseRetryAfter(headers["retry-after"], rules.now),
  });
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299;
}

interface FailureDetails {
  readonly isPermanent?: boolean;
  readonly statusCode?: number | null;
  readonly retryAfterSeconds?: number | null;
}

export function notSent(reason: string, details: FailureDetails = {}): SendOutcome {
  const { isPermanent = false, statusCode = null, retryAfterSeconds = null } = details;
  return { kind: "failed", isPermanent, statusCode, retryAfterSeconds, reason };
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a Retry-After header with a number of seconds or a date. Returns seconds, at most one
 * hour; `null` if the header is missing or invalid.
 */
export function parseRetryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return boundSeconds(Number(text));
  if (!httpDate.test(text)) return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : boundSeconds((atMs - now.getTime()) / 1_000);
}

export function boundSeconds(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 0), maxWaitMs / 1_000);
}

/** Returns only the host of a URL for display, because the path and query may contain a secret. */
export function describeHost(url: string): string {
  const host = URL.parse(url)?.host ?? "";
  return host === "" ? "an invalid URL" : host;
}

export function joinUrl(base: string, path: string): string {
  return `${base.replace(/\/+$/, "")}${path}`;
}

interface Proof {
  /** Key that is the same in every attempt to deliver one message. */
  readonly idempotencyKey: string;
  readonly body: string;
  /** Secret with which the message is signed. Without a secret, the message is not signed. */
  readonly secret: string | null | undefined;
  readonly now: Date;
}

/**
 * Returns headers that let a recipient detect forged and repeated messages. They must be added
 * after the headers that users define, so that no user header replaces them.
 */
export function writeProof({ idempotencyKey, body, secret, now }: Proof): Record<string, string> {
  const timestamp = `${Math.floor(now.getTime() / 1_000)}`;
  const plain = { "idempotency-key": idempotencyKey, "x-vedette-timestamp": timestamp };
  if (!secret) return plain;
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  return {
    ...plain,
    "x-vedette-signature": sign(`${timestamp}.${body}`),
    // Signature for receivers that were written for Checkly. It does not protect against replays.
    "x-checkly-signature": sign(body),
  };
}
