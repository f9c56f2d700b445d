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
  /** Email address, or decrypted URL of a webhook or Slack. A URL is a secret of the subscriber. */
  readonly address: string;
  readonly lane: string;
  /** Ids of the selected services; `null` selects every service of the page. */
  readonly serviceIds: readonly string[] | null;
  readonly status: SubscriberStatus;
  /** Secret that signs messages to a webhook. */
  readonly secret: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Maximum number of subscribers per page. */
export const maxSubscribers = 50_000;
/** Time after which an unconfirmed subscription expires. */
export const confirmMs = 48 * 3_600_000;

const maxBounces = 3;

export interface ParsedAddress {
  readonly kind: "address";
  readonly type: SubscriberType;
  readonly address: string;
  readonly addressHash: Buffer;
  /** Key that is equal for every spelling of a mailbox, used only for rate limits. */
  readonly mailboxKey: string;
  /** `mail`, `slack`, or `web:` and the webhook host; each has its own concurrency limit. */
  readonly lane: string;
}

type AddressVerdict = ParsedAddress | { readonly kind: "invalid"; readonly rule: string };

const maxUrlLength = 2_048;
/** Matches one email address in a form that all mail servers accept. */
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
  // The operator may allow checks to reach private networks. A subscriber's webhook must never
  // reach such a network.
  const fault = findUrlFault(typed, { allowPrivate: false });
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

/** Builds a parsed address. Email addresses are compared case-insensitively. */
function toAddress(type: SubscriberType, address: string, lane: string): ParsedAddress {
  const compared = type === "EMAIL" ? address.normalize("NFC").toLowerCase() : address;
  const addressHash = createHash("sha256").update(`${type}:${compared}`).digest();
  const mailboxKey = `${type}:${type === "EMAIL" ? nameMailbox(compared) : compared}`;
  return { kind: "address", type, address, addressHash, mailboxKey, lane };
}

/** Returns the mailbox, without the ignored part after "+" and, for Gmail, without dots. */
function nameMailbox(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = domainToASCII(address.slice(at + 1)) || address.slice(at + 1);
  const [local = ""] = address.slice(0, at).split("+");
  const isGmail = domain === "gmail.com" || domain === "googlemail.com";
  return isGmail ? `${local.replaceAll(".", "")}@gmail.com` : `${local}@${domain}`;
}

/** Returns the part of an address that may be shown. Webhook URLs are secret and masked. */
export function maskAddress(type: SubscriberType, address: string): string {
  if (type === "EMAIL") return address;
  if (type === "SLACK") return "https://hooks.slack.com/services/…";
  return `${address.startsWith("https:") ? "https" : "http"}://${describeHost(address)}/…`;
}

/** Result for the address: it works, its server rejects the message, or it does not exist. */
export type AddressResult = "reached" | "refused" | "unknown";

/**
 * Decides whether to quarantine an address: after several failures in a row, or as soon as the
 * server reports that the mailbox does not exist.
 */
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

/** An invalid line of an imported list, with its error. */
export interface LineFault {
  /** Line number, starting at 1. */
  readonly line: number;
  readonly text: string;
  readonly rule: string;
}

interface ImportList {
  readonly parsed: readonly ParsedAddress[];
  readonly faults: readonly LineFault[];
}

/** Returns the index of the column with addresses; `null` if the first line is not a heading. */
function findHeading(cells: readonly string[]): number | null {
  const at = cells.findIndex((cell) => /^(?:e-?mail|address)(?: address)?$/i.test(cell));
  return at === -1 ? null : at;
}

/** Extracts the address from text such as `Ada <ada@example.com>`, which mail programs copy. */
function takeAddress(cell: string): string {
  return /<([^<>]+)>\s*$/.exec(cell)?.[1] ?? cell;
}

function chooseCell(cells: readonly string[], column: number | null): string {
  if (column !== null) return cells[column] ?? "";
  return cells.find((cell) => cell.includes("@")) ?? cells[0] ?? "";
}

/** Parses a list of email addresses, or a table with a column of them, line by line. */
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
