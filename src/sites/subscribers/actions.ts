import { type Caller, createOnce, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { createOrderedIds } from "../../platform/ordered-id.ts";
import { findStatusPageById, holdStatusPage } from "../status-pages/index.ts";
import type { SubscribersContext } from "./context.ts";
import {
  type DeliveryReceipt,
  type DeliveryStatus,
  insertSubscriptionMessages,
  listSubscriberDeliveries,
} from "./delivery-store.ts";
import {
  countSubscribers,
  deleteSubscriber,
  findSubscriber,
  insertMailboxes,
  listKnownAddresses,
  listSubscribers,
  lockSubscribers,
} from "./store.ts";
import {
  maskAddress,
  maxSubscribers,
  type ParsedAddress,
  parseAddress,
  type Subscriber,
  type SubscriberStatus,
  type SubscriberType,
} from "./subscriber.ts";

/**
 * Creates ids that sort by creation time, because subscribers are listed in the order of their ids.
 */
const nextId = createOrderedIds();

interface ListQuery {
  readonly statusPageId: string;
  readonly search?: string | undefined;
  readonly status?: SubscriberStatus | undefined;
  readonly limit: number;
  readonly nextId?: string | undefined;
}

interface SubscriberList {
  readonly subscribers: readonly Subscriber[];
  /** Number of matching subscribers that precede this page of the list. */
  readonly before: number;
  readonly total: number;
}

export async function assertOwnPage(context: SubscribersContext, caller: Caller, id: string) {
  if ((await findStatusPageById(context.db, caller.accountId, id)) === null) throw notFound();
}

export async function listOwnSubscribers(
  context: SubscribersContext,
  caller: Caller,
  query: ListQuery,
): Promise<SubscriberList> {
  await assertOwnPage(context, caller, query.statusPageId);
  const { db, encryption } = context;
  const subscribers = await listSubscribers(db, caller.accountId, { ...query, encryption });
  const { nextId: beforeId, statusPageId, search, status } = query;
  const filter = { statusPageId, search, status };
  const total = await countSubscribers(db, caller.accountId, filter);
  const before =
    beforeId === undefined
      ? 0
      : await countSubscribers(db, caller.accountId, { ...filter, beforeId });
  return { subscribers, before, total };
}

type DeliveriesQuery = Omit<ListQuery, "status" | "search"> & {
  readonly subscriptionId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
};

export async function listOwnDeliveries(
  context: SubscribersContext,
  caller: Caller,
  query: DeliveriesQuery,
): Promise<DeliveryReceipt[]> {
  await assertOwnPage(context, caller, query.statusPageId);
  const { db, encryption } = context;
  return listSubscriberDeliveries(db, caller.accountId, { ...query, encryption });
}

interface BulkInput {
  readonly statusPageId: string;
  readonly subscriptions: readonly { readonly type: SubscriberType; readonly config: string }[];
  /** Whether to skip the confirmation, because the subscribers have already agreed. */
  readonly autoVerify: boolean;
  readonly idempotencyKey: string | undefined;
}

export interface BulkOutcome {
  readonly created: number;
  readonly skipped: number;
  readonly status: "PENDING" | "VERIFIED";
}

function parseAddresses(input: BulkInput): ParsedAddress[] {
  return input.subscriptions.map(({ type, config }, index) => {
    const parsed = parseAddress(type, config);
    if (parsed.kind === "address") return parsed;
    throw invalid(`subscriptions.${index}.config`, parsed.rule);
  });
}

/** Returns the addresses that are not subscribed to the page yet, without duplicates. */
async function findNewcomers(
  db: Database,
  accountId: string,
  list: { readonly statusPageId: string; readonly parsed: readonly ParsedAddress[] },
): Promise<ParsedAddress[]> {
  const addressHashes = list.parsed.map(({ addressHash }) => addressHash);
  const { statusPageId } = list;
  const known = await listKnownAddresses(db, accountId, { statusPageId, addressHashes });
  return list.parsed.filter(({ addressHash }) => {
    const hash = addressHash.toString("hex");
    const isNew = !known.has(hash);
    known.add(hash);
    return isNew;
  });
}

async function storeNewcomers(
  db: Database,
  caller: Caller,
  list: BulkOutcome & {
    readonly statusPageId: string;
    readonly newcomers: readonly ParsedAddress[];
    readonly at: Date;
  },
): Promise<void> {
  const { accountId } = caller;
  const { statusPageId, status, at, created, skipped } = list;
  const newcomers = list.newcomers.map((address) => ({ ...address, id: nextId() }));
  const total = await countSubscribers(db, accountId, { statusPageId });
  if (total + newcomers.length > maxSubscribers) {
    throw conflict(`a page has at most ${maxSubscribers} subscribers`);
  }
  const fresh = { statusPageId, addresses: newcomers, status, at };
  const subscriberIds = await insertMailboxes(db, accountId, fresh);
  if (status === "PENDING") {
    const message = { statusPageId, subscriberIds, purpose: "confirm", at } as const;
    await insertSubscriptionMessages(db, accountId, message);
  }
  const changes = { created, skipped, status };
  const note = { action: "subscription.created", targetId: statusPageId, changes, at };
  await writeAuditEntry(db, caller, note);
}

interface Addition {
  readonly statusPageId: string;
  readonly parsed: readonly ParsedAddress[];
  readonly autoVerify: boolean;
  readonly idempotencyKey: string | undefined;
  /** Body of the request; a request that repeats an idempotency key must have an equal body. */
  readonly body: unknown;
}

/** Adds subscribers to a page; existing subscribers are not changed. */
export async function addSubscribers(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, parsed, autoVerify, idempotencyKey: key, body }: Addition,
): Promise<BulkOutcome> {
  if (!autoVerify && context.sendTools.mailer === null) {
    throw conflict("no SMTP server is configured, so no confirmation can be sent");
  }
  const status = autoVerify ? "VERIFIED" : "PENDING";
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    if (!(await holdStatusPage(db, caller.accountId, statusPageId))) throw notFound();
    await lockSubscribers(db, caller.accountId, { statusPageId });
    const newcomers = await findNewcomers(db, caller.accountId, { statusPageId, parsed });
    const created = newcomers.length;
    const skipped = parsed.length - created;
    // The counts are stored with the key, so that a repeated request returns them again.
    const targetId = `${created}/${skipped}`;
    const once = { key, operation: "subscription.created", body, targetId, at };
    const list = { statusPageId, newcomers, created, skipped, status, at } as const;
    const answered = await createOnce(db, caller, once, () => storeNewcomers(db, caller, list));
    const [first = 0, second = 0] = answered.targetId.split("/").map(Number);
    return { created: first, skipped: second, status };
  });
}

export async function createSubscribers(
  context: SubscribersContext,
  caller: Caller,
  input: BulkInput,
): Promise<BulkOutcome> {
  const { statusPageId, autoVerify, subscriptions, idempotencyKey } = input;
  await assertOwnPage(context, caller, statusPageId);
  const parsed = parseAddresses(input);
  const body = { statusPageId, subscriptions, autoVerify };
  const addition = { statusPageId, parsed, autoVerify, idempotencyKey, body };
  return addSubscribers(context, caller, addition);
}

export async function removeSubscriber(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, id }: { readonly statusPageId: string; readonly id: string },
): Promise<void> {
  const { db, encryption, clock } = context;
  const query = { statusPageId, id, encryption };
  const found = await findSubscriber(db, caller.accountId, query);
  if (found === null) throw notFound();
  await inTransaction(db, async (tx) => {
    if (!(await deleteSubscriber(tx, caller.accountId, { statusPageId, id }))) throw notFound();
    // The audit log outlives the subscription, so the address of a person is not recorded in it.
    const address = found.type === "EMAIL" ? undefined : maskAddress(found.type, found.address);
    const changes = { statusPageId, type: found.type, ...(address && { address }) };
    const note = { action: "subscription.deleted", targetId: id, changes, at: clock.now() };
    await writeAuditEntry(tx, caller, note);
  });
}
