import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { findUrlFault, refusalMessages } from "../../platform/outbound-guard.ts";
import { describeHost } from "../alert-channels/index.ts";

export const subscriberTypes = ["EMAIL", "WEBHOOK", "SLACK"] as const;
export type SubscriberType = (typeof subscriberTypes)[number];

export const subscriberStatuses = ["PENDING", "VERIFIED", "QUARANTINED"] as const;
export type SubscriberStatus = (typeof subscriberStatuses)[number];

export interface Subscriber {
  readonly id: string;
  readonly accountId: string;
  readonly statusPageId: string;
  readonly type: SubscriberType;
  /** An email address, or an unsealed URL, which is a secret of its owner. */
  readonly address: string;
  readonly lane: string;
  /** Null: every service of the page. */
  readonly serviceIds: readonly string[] | null;
  readonly status: SubscriberStatus;
  /** Signs what is sent to a webhook. */
  readonly secret: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Per page. */
export const maxSubscribers = 50_000;
/** Unconfirmed subscriptions expire after this long. */
export const confirmMs = 48 * 3_600_000;

const maxBounces = 3;

export interface ParsedAddress {
  readonly kind: "address";
  readonly type: SubscriberType;
  readonly address: string;
  readonly addressHash: Buffer;
  /** The same for every spelling of one mailbox; for limits only, never to send. */
  readonly mailboxKey: string;
  /** Messages of one lane share a provider. */
  readonly lane: string;
}

export type AddressVerdict = ParsedAddress | { readonly kind: "invalid"; readonly rule: string };

const maxUrlLength = 2_048;
/** One mailbox, in a form that all mail servers accept. */
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
      return invalid(
        "must be the address of an incoming webhook at https://hooks.slack.com/services/",
      );
    }
    return toAddress(type, typed, "slack");
  }
  if (typed.length > maxUrlLength) return invalid(`must have at most ${maxUrlLength} characters`);
  // Strangers reach no private network, whatever the operator allows for checks.
  const fault = findUrlFault(typed, false);
  if (fault !== null) return invalid(`is refused: ${refusalMessages[fault]}`);
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

/** Mailboxes are compared without regard to case. */
function toAddress(type: SubscriberType, address: string, lane: string): ParsedAddress {
  const compared = type === "EMAIL" ? address.normalize("NFC").toLowerCase() : address;
  const addressHash = createHash("sha256").update(`${type}:${compared}`).digest();
  const mailboxKey = `${type}:${type === "EMAIL" ? nameMailbox(compared) : compared}`;
  return { kind: "address", type, address, addressHash, mailboxKey, lane };
}

/** Most servers ignore what follows a plus, and Gmail also dots before the @. */
function nameMailbox(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = domainToASCII(address.slice(at + 1)) || address.slice(at + 1);
  const [local = ""] = address.slice(0, at).split("+");
  const isGmail = domain === "gmail.com" || domain === "googlemail.com";
  return isGmail ? `${local.replaceAll(".", "")}@gmail.com` : `${local}@${domain}`;
}

/** What may be shown of an address: a URL is as good as a key. */
export function maskAddress(type: SubscriberType, address: string): string {
  if (type === "EMAIL") return address;
  if (type === "SLACK") return "https://hooks.slack.com/services/…";
  return `${address.startsWith("https:") ? "https" : "http"}://${describeHost(address)}/…`;
}

/** What an attempt says about the address: it works, it refused, or it does not exist. */
export type AddressNews = "reached" | "refused" | "unknown";

/** Three refusals in a row, or one "no such mailbox", quarantine the address. */
export function decideBounces(
  bounces: number,
  news: AddressNews,
): { readonly bounces: number; readonly isQuarantined: boolean } {
  if (news === "reached") return { bounces: 0, isQuarantined: false };
  const counted = bounces + 1;
  return { bounces: counted, isQuarantined: news === "unknown" || counted >= maxBounces };
}
