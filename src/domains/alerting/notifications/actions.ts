import { inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { getCheck } from "../../checks/index.ts";
import type { AlertingContext } from "../context.ts";
import {
  type AlertRecord,
  type AlertRecordQuery,
  findReceipt,
  listAlertRecords,
  listReceipts,
  type Receipt,
  type ReceiptQuery,
  replayDelivery,
} from "./store.ts";

export function listOwnReceipts(
  context: AlertingContext,
  caller: Caller,
  query: ReceiptQuery,
): Promise<{ readonly receipts: Receipt[]; readonly total: number }> {
  return listReceipts(context.db, caller.accountId, query);
}

export async function getReceipt(
  context: AlertingContext,
  caller: Caller,
  id: string,
): Promise<Receipt> {
  const receipt = await findReceipt(context.db, caller.accountId, id);
  if (receipt === null) throw notFound();
  return receipt;
}

/** Sends a message again with the same idempotency key. */
export async function replayReceipt(
  context: AlertingContext,
  caller: Caller,
  id: string,
): Promise<Receipt> {
  const before = await getReceipt(context, caller, id);
  await inTransaction(context.db, async (db) => {
    const at = context.clock.now();
    const isReplayed = await replayDelivery(db, caller.accountId, {
      id,
      now: at,
      by: caller.label,
    });
    if (!isReplayed) throw conflict("message is still being delivered");
    const changes = { recipient: before.recipient };
    const action = "alert-notification.replayed";
    await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
  });
  return getReceipt(context, caller, id);
}

export async function listOwnAlerts(
  context: AlertingContext,
  caller: Caller,
  query: AlertRecordQuery,
): Promise<{ readonly records: AlertRecord[]; readonly total: number }> {
  if (query.checkId !== null) await getCheck(context, caller, query.checkId);
  return listAlertRecords(context.db, caller.accountId, query);
}
