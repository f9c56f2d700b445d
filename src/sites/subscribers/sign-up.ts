/** Actions of visitors who sign up on a page or follow a link in a message. */
import { randomUUIDv7 } from "node:crypto";
import { type AuditActor, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { notFound } from "../../platform/errors.ts";
import { addressKey } from "../../platform/ip-address.ts";
import { createSecret } from "../../platform/secrets.ts";
import { hasPageAccess, type Visitor } from "../publishing/index.ts";
import {
  findStatusPageByUrl,
  findStatusPageOfLink,
  holdStatusPage,
  listServicesOf,
  referToPage,
  type StatusPage,
} from "../status-pages/index.ts";
import type { SubscribersContext } from "./context.ts";
import { insertSubscriptionMessages } from "./delivery-store.ts";
import { readToken, readTokenPage, type TokenPurpose } from "./links.ts";
import {
  changeServices,
  confirmSubscriber,
  countSubscribers,
  deleteSubscriber,
  findSubscriber,
  signUpSubscriber,
} from "./store.ts";
import {
  maxSubscribers,
  type ParsedAddress,
  parseAddress,
  type Subscriber,
  type SubscriberType,
} from "./subscriber.ts";

export async function getPublicPage(context: SubscribersContext, url: string): Promise<StatusPage> {
  const page = await findStatusPageByUrl(context.db, url);
  if (page === null) throw notFound();
  return page;
}

/**
 * Returns the page of a link. If the page's URL has changed, the page is found by the page id in
 * the token, so that old mails can still unsubscribe.
 */
export async function getLinkedPage(
  context: SubscribersContext,
  link: { readonly url: string; readonly token: string },
): Promise<StatusPage> {
  const found = await findStatusPageByUrl(context.db, link.url);
  if (found !== null) return found;
  const id = readTokenPage(context.encryption, link.token);
  const page = id && (await findStatusPageOfLink(context.db, id));
  if (!page) throw notFound();
  return page;
}

/** Returns whether a visitor may subscribe; a private page requires access. */
export async function maySignUp(
  context: SubscribersContext,
  page: StatusPage,
  visitor: Visitor,
): Promise<boolean> {
  if (!page.isPrivate) return true;
  return hasPageAccess(context, referToPage(page.id), visitor);
}

interface SignUp {
  readonly type: SubscriberType;
  readonly address: string;
  readonly serviceIds: readonly string[];
  /** Network address of the client. */
  readonly client: string;
}

export type SignUpVerdict =
  | { readonly kind: "requested" }
  | { readonly kind: "invalid"; readonly rule: string }
  | { readonly kind: "too-many"; readonly retryAfterSeconds: number }
  | { readonly kind: "full" }
  | { readonly kind: "no-mail" };

/**
 * Stores a sign-up. A new, pending, confirmed or quarantined address causes equal writes and an
 * equal response, so that the response does not reveal who is subscribed.
 */
export async function requestSubscription(
  context: SubscribersContext,
  page: StatusPage,
  signUp: SignUp,
): Promise<SignUpVerdict> {
  const { perClient, perMailbox, perPage } = context.signUpLimits;
  const byClient = perClient.take(addressKey(signUp.client));
  if (!byClient.allowed) {
    return { kind: "too-many", retryAfterSeconds: byClient.resetSeconds };
  }
  const parsed = parseAddress(signUp.type, signUp.address);
  if (parsed.kind === "invalid") {
    // The error text may already end with a full stop. Remove the full stop, so that the sentence
    // ends with exactly one.
    return { kind: "invalid", rule: `The address ${parsed.rule.replace(/\.$/, "")}.` };
  }
  if (!areKnownServices(page, signUp.serviceIds)) {
    return { kind: "invalid", rule: "One of the services is no longer on this page." };
  }
  if (signUp.type === "EMAIL" && context.sendTools.mailer === null) return { kind: "no-mail" };
  const byPage = perPage.take(page.id);
  if (!byPage.allowed) return { kind: "too-many", retryAfterSeconds: byPage.resetSeconds };
  const { id: statusPageId, accountId } = page;
  if ((await countSubscribers(context.db, accountId, { statusPageId })) >= maxSubscribers) {
    return { kind: "full" };
  }
  // The number of messages to one mailbox is limited. Above this limit, no message is sent, but the
  // visitor receives the usual response.
  const isQuiet = !perMailbox.take(parsed.mailboxKey).allowed;
  await storeSignUp(context, page, { parsed, serviceIds: signUp.serviceIds, isQuiet });
  return { kind: "requested" };
}

async function storeSignUp(
  context: SubscribersContext,
  { id: statusPageId, accountId }: StatusPage,
  signUp: {
    readonly parsed: ParsedAddress;
    readonly serviceIds: readonly string[];
    readonly isQuiet: boolean;
  },
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    if (!(await holdStatusPage(db, accountId, statusPageId))) throw notFound();
    const { id, status } = await signUpSubscriber(db, accountId, {
      id: randomUUIDv7(),
      statusPageId,
      address: signUp.parsed,
      serviceIds: toChoice(signUp.serviceIds),
      status: "PENDING",
      secret: signUp.parsed.type === "WEBHOOK" ? createSecret() : null,
      at,
      encryption: context.encryption,
    });
    if (signUp.isQuiet) return;
    const purpose = status === "VERIFIED" ? "remind" : "confirm";
    const message = { statusPageId, subscriberIds: [id], purpose, at } as const;
    await insertSubscriptionMessages(db, accountId, message);
  });
}

function areKnownServices(page: StatusPage, serviceIds: readonly string[]): boolean {
  const known = new Set(listServicesOf(page).map(({ id }) => id));
  return serviceIds.every((id) => known.has(id));
}

/** Converts an empty selection to `null`: all services, including those added later. */
function toChoice(serviceIds: readonly string[]): readonly string[] | null {
  return serviceIds.length === 0 ? null : [...new Set(serviceIds)];
}

/** Finds the subscriber of a link; returns `null` if the link is invalid or expired. */
export async function findLinkedSubscriber(
  context: SubscribersContext,
  page: StatusPage,
  link: { readonly token: string; readonly purpose: TokenPurpose },
): Promise<Subscriber | null> {
  const id = readLink(context, page, link);
  if (id === null) return null;
  const { encryption } = context;
  return findSubscriber(context.db, page.accountId, { statusPageId: page.id, id, encryption });
}

function readLink(
  { encryption, clock }: SubscribersContext,
  page: StatusPage,
  link: { readonly token: string; readonly purpose: TokenPurpose },
): string | null {
  const expected = { purpose: link.purpose, statusPageId: page.id, now: clock.now() };
  return readToken(encryption, link.token, expected);
}

interface LinkUse {
  readonly token: string;
  readonly origin: { readonly address: string; readonly requestId: string };
}

function toActor({ accountId }: StatusPage, { origin }: LinkUse): AuditActor {
  const label = "a link in a message";
  return { type: "SYSTEM", credentialId: null, label, accountId, ...origin };
}

export async function confirmByLink(
  context: SubscribersContext,
  page: StatusPage,
  use: LinkUse,
): Promise<Subscriber | null> {
  const found = await findLinkedSubscriber(context, page, { token: use.token, purpose: "confirm" });
  if (found === null) return null;
  const { id, statusPageId } = found;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    if (!(await confirmSubscriber(db, page.accountId, { id, statusPageId, at }))) return;
    const note = { action: "subscription.confirmed", targetId: id, changes: { statusPageId }, at };
    await writeAuditEntry(db, toActor(page, use), note);
  });
  return found;
}

/**
 * Changes the services of the subscriber of a link. Returns `null` if the link is invalid or
 * expired, and false if a service is not on the page.
 */
export async function changeByLink(
  context: SubscribersContext,
  page: StatusPage,
  use: LinkUse & { readonly serviceIds: readonly string[] },
): Promise<boolean | null> {
  const found = await findLinkedSubscriber(context, page, { token: use.token, purpose: "manage" });
  if (found === null) return null;
  if (!areKnownServices(page, use.serviceIds)) return false;
  const { id, statusPageId } = found;
  const serviceIds = toChoice(use.serviceIds);
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    await changeServices(db, page.accountId, { id, statusPageId, serviceIds, at });
    const changes = { statusPageId, serviceIds };
    const note = { action: "subscription.changed", targetId: id, changes, at };
    await writeAuditEntry(db, toActor(page, use), note);
  });
  return true;
}

/** Deletes a link's subscription, if it still exists. Returns false for an invalid link. */
export async function unsubscribeByLink(
  context: SubscribersContext,
  page: StatusPage,
  use: LinkUse,
): Promise<boolean> {
  const id = readLink(context, page, { token: use.token, purpose: "unsubscribe" });
  if (id === null) return false;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const statusPageId = page.id;
    if (!(await deleteSubscriber(db, page.accountId, { id, statusPageId }))) return;
    const note = { action: "subscription.deleted", targetId: id, changes: { statusPageId }, at };
    await writeAuditEntry(db, toActor(page, use), note);
  });
  return true;
}
