import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { AlertRecord, Receipt } from "./store.ts";

const paging = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
};

export const ReceiptParams = Type.Object({ id: Guid });
export const CheckAlertParams = Type.Object({ checkId: Guid });
export const AlertQuery = Type.Object(paging);
export const ReceiptQuery = Type.Object({
  ...paging,
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
  alertChannelId: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  hasFailures: Type.Optional(Type.Boolean()),
});
export type ReceiptQuery = Type.Static<typeof ReceiptQuery>;

export const ReceiptSchema = Type.Object({
  id: Guid,
  alertId: Guid,
  checkId: Guid,
  checkName: OrNull(Type.String()),
  alertChannelId: OrNull(Type.Integer()),
  type: Type.String(),
  recipient: Type.String(),
  alertType: Type.String(),
  title: Type.String(),
  status: OneOf(["PENDING", "SENT", "DEAD"]),
  attempts: Type.Integer(),
  statusCode: OrNull(Type.Integer()),
  reason: OrNull(Type.String()),
  decidedAt: DateTime,
  sentAt: OrNull(DateTime),
  nextAttemptAt: OrNull(DateTime),
});
export const ReceiptList = Type.Array(ReceiptSchema);

export const AlertRecordSchema = Type.Object({
  id: Guid,
  checkId: Guid,
  name: OrNull(Type.String()),
  alertNumber: Type.Integer(),
  alertType: Type.String({ description: "NO_ALERT for what was held back" }),
  heldAlertType: OrNull(Type.String()),
  reason: Type.String(),
  parentCheckId: OrNull(Guid),
  checkResultId: OrNull(Guid),
  isReminder: Type.Boolean(),
  at: DateTime,
  created_at: DateTime,
});
export const AlertRecordList = Type.Array(AlertRecordSchema);

export function toWireReceipt(receipt: Receipt) {
  const { channelType, kind, decidedAt, sentAt, nextAttemptAt, ...rest } = receipt;
  return {
    ...rest,
    type: channelType,
    alertType: kind,
    decidedAt: formatDateTime(decidedAt),
    sentAt: sentAt && formatDateTime(sentAt),
    nextAttemptAt: receipt.status === "PENDING" ? formatDateTime(nextAttemptAt) : null,
  };
}

export function toWireAlertRecord(record: AlertRecord) {
  return {
    id: record.id,
    checkId: record.checkId,
    name: record.checkName,
    alertNumber: record.alertNumber,
    alertType: record.kind,
    heldAlertType: record.heldKind,
    reason: record.reason,
    parentCheckId: record.parentId,
    checkResultId: record.resultId,
    isReminder: record.isReminder,
    at: formatDateTime(record.at),
    created_at: formatDateTime(record.decidedAt),
  };
}
