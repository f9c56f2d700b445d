/** Actions on the whole list, and on single messages. */

import { inTransaction } from "../../platform/database.ts";
import { formatDate } from "../../platform/dates.ts";
import { conflict, invalid, KnownError, notFound } from "../../platform/errors.ts";
import { writeCsvLine } from "../../platform/text/escaping.ts";
import { type Caller, writeAuditEntry } from "../accounts/index.ts";
import { addSubscribers, assertOwnPage, type BulkOutcome } from "./actions.ts";
import type { SubscribersContext } from "./context.ts";
import { insertSubscriptionMessages, reviveDelivery } from "./delivery-store.ts";
import { type LineFault, maxImportLines, parseImportList } from "./import-list.ts";
import { countByStatus, findSubscriber, listSubscribers, restartConfirmation } from "./store.ts";
import { maskAddress, parseAddress, type SubscriberStatus } from "./subscriber.ts";

export async function countOwnSubscribers(
  context: SubscribersContext,
  caller: Caller,
  statusPageId: string,
): Promise<Readonly<Record<SubscriberStatus | "total", number>>> {
  await assertOwnPage(context, caller, statusPageId);
  const counts = await countByStatus(context.db, caller.accountId, { statusPageId });
  const { PENDING = 0, VERIFIED = 0, QUARANTINED = 0 } = Object.fromEntries(counts);
  return { PENDING, VERIFIED, QUARANTINED, total: PENDING + VERIFIED + QUARANTINED };
}

export interface ImportInput {
  readonly statusPageId: string;
  readonly text: string;
  readonly autoVerify: boolean;
  readonly idempotencyKey: string | undefined;
}

/** Invalid lines are reported and do not prevent the others from being added. */
export async function importSubscribers(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, text, autoVerify, idempotencyKey }: ImportInput,
): Promise<BulkOutcome & { readonly faults: readonly LineFault[] }> {
  await assertOwnPage(context, caller, statusPageId);
  const { parsed, faults } = parseImportList(text);
  if (parsed.length + faults.length > maxImportLines) {
    throw invalid("text", `must have at most ${maxImportLines} lines`);
  }
  const status = autoVerify ? "VERIFIED" : "PENDING";
  if (parsed.length === 0) return { created: 0, skipped: 0, status, faults };
  const body = { statusPageId, text, autoVerify };
  const addition = { statusPageId, parsed, autoVerify, idempotencyKey, body };
  return { ...(await addSubscribers(context, caller, addition)), faults };
}

const batchSize = 1_000;

/** Returns CSV, oldest first, in chunks; webhook and Slack URLs are masked. */
export async function* exportSubscribers(
  context: SubscribersContext,
  caller: Caller,
  statusPageId: string,
): AsyncGenerator<string> {
  const { db, encryption } = context;
  yield writeCsvLine(["address", "type", "status", "created_at"]);
  let nextId: string | undefined;
  do {
    const query = { statusPageId, limit: batchSize + 1, nextId, encryption };
    const list = await listSubscribers(db, caller.accountId, query);
    const lines = list
      .slice(0, batchSize)
      .map(({ type, address, status, createdAt }) =>
        writeCsvLine([maskAddress(type, address), type, status, formatDate(createdAt)]),
      );
    if (lines.length > 0) yield lines.join("");
    nextId = list[batchSize]?.id;
  } while (nextId !== undefined);
}

/** Recorded in the audit log, because personal data is exported. */
export async function startExport(
  context: SubscribersContext,
  caller: Caller,
  statusPageId: string,
): Promise<AsyncGenerator<string>> {
  await assertOwnPage(context, caller, statusPageId);
  const at = context.clock.now();
  const note = { action: "subscription.exported", targetId: statusPageId, changes: {}, at };
  await writeAuditEntry(context.db, caller, note);
  return exportSubscribers(context, caller, statusPageId);
}

/** Sends another confirmation request to an unconfirmed or quarantined subscriber. */
export async function resendConfirmation(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, id }: { readonly statusPageId: string; readonly id: string },
): Promise<void> {
  const { db, encryption, clock, sendTools, signUpLimits } = context;
  const found = await findSubscriber(db, caller.accountId, { statusPageId, id, encryption });
  if (found === null) throw notFound();
  if (found.status === "VERIFIED") throw conflict("this subscriber has already confirmed");
  if (found.type === "EMAIL" && sendTools.mailer === null) {
    throw conflict("no SMTP server is configured, so no confirmation can be sent");
  }
  const parsed = parseAddress(found.type, found.address);
  if (parsed.kind === "invalid") throw conflict(`the address ${parsed.rule}`);
  const { allowed, resetSeconds } = signUpLimits.perMailbox.take(parsed.mailboxKey);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    await restartConfirmation(tx, caller.accountId, { statusPageId, id, at });
    const message = { statusPageId, subscriberIds: [id], purpose: "confirm", at } as const;
    await insertSubscriptionMessages(tx, caller.accountId, message);
    const note = { action: "subscription.asked", targetId: id, changes: { statusPageId }, at };
    await writeAuditEntry(tx, caller, note);
  });
}

export async function resendDelivery(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, id }: { readonly statusPageId: string; readonly id: string },
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const outcome = await reviveDelivery(db, caller.accountId, { statusPageId, id, at });
    if (outcome === null) throw notFound();
    if (outcome === "SENT") throw conflict("this message was delivered");
    if (outcome === "PENDING") throw conflict("this message is still being sent");
    const changes = { statusPageId };
    const note = { action: "subscription.message-resent", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
