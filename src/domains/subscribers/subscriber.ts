import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { describeHost } from "../../platform/http-delivery.ts";
import { findUrlFault, rejectionMessages } from "../../platform/outbound-guard.ts";
import { readCsvLine } from "../../platform/text/escaping.ts";

export const subscriberTypes = ["EMAIL", "WEBHOOK", "SLACK"] as const;
export type SubscriberType = (typeof subscriberTypes)[number];

export const subscriberStatuses = ["PENDING", "VERIFIED", "QUARANTINED"] as const;
export type SubscriberStatus = (typeof subscriberStatuses)[number];

export interface Subscriber {
  readonly id: string;
  readonly accountId: string;
  readonly statusPageId: string;
  readonly type: SubscriberType;
  /** An email address, or a decrypted URL, which is a secret of its owner. */
  readonly address: string;
  readonly lane: string;
  /** `null` for every service of the page. */
  readonly serviceIds: readonly string[] | null;
  readonly status: SubscriberStatus;
  /** Signs messages to a webhook. */
  readonly secret: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Maximum number of subscribers per page. */
export const maxSubscribers = 50_000;
/** Unconfirmed subscriptions expire after this time. */
export const confirmMs = 48 * 3_600_000;

const maxBounces = 3;

export interface ParsedAddress {
  readonly kind: "address";
  readonly type: SubscriberType;
  readonly address: string;
  readonly addressHash: Buffer;
  /** Equal for every spelling of one mailbox; for limits only, never for sending. */
  readonly mailboxKey: string;
  /** Messages of one lane share a provider. */
  readonly lane: string;
}

type AddressVerdict = ParsedAddress | { readonly kind: "invalid"; readonly rule: string };

const maxUrlLength = 2_048;
/** Matches one mailbox, in a form that all mail servers accept. */
const mailbox =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
const slackUrl =
  /^https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/[A-Za-z0-9]+$/;

const invalid = (rule: string): AddressVerdict => ({ kind: "invalid", rule });

export function parseAddress(type: SubscriberType, text: string): AddressVerdict {
  const typed = text.trim();
  if (type === "EMAIL") return parseMailbox(typed);
  if (type === "SLACK") {
    if (typed.length > maxUrlLength || !slackUrl.test(typed)) {
      return invalid("must be the URL of an incoming webhook at https://hooks.slack.com/services/");
    }
    return toAddress(type, typed, "slack");
  }
  if (typed.length > maxUrlLength) return invalid(`must have at most ${maxUrlLength} characters`);
  // Visitors must not reach private networks, regardless of what the operator allows for checks.
  const fault = findUrlFault(typed, false);
  if (fault !== null) return invalid(`is rejected: ${rejectionMessages[fault]}`);
  const url = new URL(typed);
  url.hash = "";
  return toAddress(type, url.href, `web:${url.host}`);
}

function parseMailbox(typed: string): AddressVerdict {
  const [local = "", domain = ""] = typed.split("@");
  const isShort = local.length <= 64 && domain.length <= 189;
  if (!isShort || !mailbox.test(typed)) return invalid("must be an email address");
  return toAddress("EMAIL", typed, "mail");
}

/** Mailboxes are compared case-insensitively. */
function toAddress(type: SubscriberType, address: string, lane: string): ParsedAddress {
  const compared = type === "EMAIL" ? address.normalize("NFC").toLowerCase() : address;
  const addressHash = createHash("sha256").update(`${type}:${compared}`).digest();
  const mailboxKey = `${type}:${type === "EMAIL" ? nameMailbox(compared) : compared}`;
  return { kind: "address", type, address, addressHash, mailboxKey, lane };
}

/** Most servers ignore the part after a plus, and Gmail also ignores dots before the @. */
function nameMailbox(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = domainToASCII(address.slice(at + 1)) || address.slice(at + 1);
  const [local = ""] = address.slice(0, at).split("+");
  const isGmail = domain === "gmail.com" || domain === "googlemail.com";
  return isGmail ? `${local.replaceAll(".", "")}@gmail.com` : `${local}@${domain}`;
}

/** Returns the part of an address that may be shown, because a webhook URL is a secret. */
export function maskAddress(type: SubscriberType, address: string): string {
  if (type === "EMAIL") return address;
  if (type === "SLACK") return "https://hooks.slack.com/services/…";
  return `${address.startsWith("https:") ? "https" : "http"}://${describeHost(address)}/…`;
}

/**
 * The result of an attempt for the address: it works, it rejected the message, or it does not
 * exist.
 */
export type AddressResult = "reached" | "refused" | "unknown";

/** Three rejections in a row, or one "no such mailbox", quarantine the address. */
export function decideBounces(
  bounces: number,
  addressResult: AddressResult,
): { readonly bounces: number; readonly isQuarantined: boolean } {
  if (addressResult === "reached") return { bounces: 0, isQuarantined: false };
  const counted = bounces + 1;
  return { bounces: counted, isQuarantined: addressResult === "unknown" || counted >= maxBounces };
}

export const maxImportLines = 5_000;
export const maxImportLength = 500_000;
const maxShownLength = 120;

/** An invalid line and its error. */
export interface LineFault {
  /** Starts at 1, as in editors. */
  readonly line: number;
  readonly text: string;
  readonly rule: string;
}

interface ImportList {
  readonly parsed: readonly ParsedAddress[];
  readonly faults: readonly LineFault[];
}

/** Returns the column with the addresses; `null` if the first line is not a heading. */
function findHeading(cells: readonly string[]): number | null {
  const at = cells.findIndex((cell) => /^(?:e-?mail|address)(?: address)?$/i.test(cell));
  return at === -1 ? null : at;
}

/** Reads `Ada <ada@example.com>`, as copied from mail programs. */
function takeAddress(cell: string): string {
  return /<([^<>]+)>\s*$/.exec(cell)?.[1] ?? cell;
}

function chooseCell(cells: readonly string[], column: number | null): string {
  if (column !== null) return cells[column] ?? "";
  return cells.find((cell) => cell.includes("@")) ?? cells[0] ?? "";
}

/**
 * Parses one email address per line, or a table with a column of them; every line is validated
 * separately.
 */
export function parseImportList(text: string): ImportList {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const firstLine = lines.findIndex((line) => line.trim() !== "");
  const column = findHeading(readCsvLine(lines[firstLine] ?? ""));
  const parsed: ParsedAddress[] = [];
  const faults: LineFault[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || (column !== null && index === firstLine)) continue;
    const cell = chooseCell(readCsvLine(line), column);
    const verdict = parseAddress("EMAIL", takeAddress(cell));
    if (verdict.kind === "address") parsed.push(verdict);
    else {
      const shown = line.trim().slice(0, maxShownLength);
      faults.push({ line: index + 1, text: shown, rule: verdict.rule });
    }
  }
  return { parsed, faults };
}
