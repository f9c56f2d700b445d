import { Type } from "typebox";
import { alertKinds } from "../../../channels/alert-channels/index.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull, paging } from "../../../platform/http/schema.ts";
import { maxSteps } from "../delivery-store.ts";
import type { AlertRecord, Receipt } from "./store.ts";

export const ReceiptParams = Type.Object({ id: Described(Guid, "The message's id.") });
export const CheckAlertParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const bounds = {
  from: Described(Type.Optional(DateTime), "Only alerts at or after this time."),
  to: Described(Type.Optional(DateTime), "Only alerts before this time."),
};
export const AlertQuery = Type.Object({
  ...paging,
  ...bounds,
  alertType: Described(Type.Optional(OneOf(alertKinds)), "Only alerts of this kind, sent or held."),
  isHeld: Type.Optional(
    Type.Boolean({ description: "Only alerts that were held, or only those that were sent." }),
  ),
  search: Type.Optional(
    Type.String({
      description: "Only alerts of checks whose name contains this text.",
      minLength: 1,
      maxLength: 200,
    }),
  ),
});
export type AlertQuery = Type.Static<typeof AlertQuery>;

export const ReceiptQuery = Type.Object({
  ...paging,
  from: Described(Type.Optional(DateTime), "Only messages decided at or after this time."),
  to: Described(Type.Optional(DateTime), "Only messages decided before this time."),
  alertChannelId: Type.Optional(
    Type.Integer({
      description: "Only messages to this channel.",
      minimum: 1,
      maximum: 2_147_483_647,
    }),
  ),
  hasFailures: Type.Optional(
    Type.Boolean({
      description: "If true, only messages that failed at least once; if false, only the others.",
    }),
  ),
  checkId: Described(Type.Optional(Guid), "Only messages about this check."),
  alertId: Described(Type.Optional(Guid), "Only messages of this alert."),
  status: Described(
    Type.Optional(OneOf(["PENDING", "SENT", "DEAD", "CANCELLED"])),
    "Only messages with this status. DEAD means that no further attempts are made, and " +
      "CANCELLED that a step of a page was not needed.",
  ),
});
export type ReceiptQuery = Type.Static<typeof ReceiptQuery>;

const DeliveryStep = Type.Object(
  {
    at: Described(DateTime, "When the step ended."),
    what: Described(
      OneOf(["sent", "failed", "replayed"]),
      "Accepted by the recipient, rejected or failed, or replayed on request.",
    ),
    statusCode: Described(
      OrNull(Type.Integer()),
      "The receiver's HTTP status; null: no response.",
      200,
    ),
    reason: Described(
      OrNull(Type.String()),
      "Why the attempt failed; `null` if it did not fail.",
      null,
    ),
    by: Described(
      OrNull(Type.String()),
      "Who requested the replay; `null` if it is not a replay.",
      null,
    ),
  },
  { title: "AlertNotificationStep" },
);

export const ReceiptSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    alertId: Described(Guid, "The alert that the message reports."),
    checkId: Described(Guid, "The check's id."),
    checkName: Described(
      OrNull(Type.String()),
      "The check's name; `null` if the check was deleted.",
      "Router",
    ),
    alertChannelId: Described(OrNull(Type.Integer()), "The channel; `null` if it was deleted.", 7),
    type: Type.String({ description: "The kind of channel.", examples: ["EMAIL"] }),
    recipient: Type.String({
      description: "The recipient, without secrets.",
      examples: ["ops@example.com"],
    }),
    alertType: Type.String({ description: "The kind of alert.", examples: ["ALERT_FAILURE"] }),
    title: Type.String({
      description: "The first line of the message.",
      examples: ["Router is down"],
    }),
    status: Described(
      OneOf(["PENDING", "SENT", "DEAD", "CANCELLED"]),
      "Delivery status. DEAD means that no further attempts are made, and CANCELLED that a step " +
        "of a page was not needed, because the alert was acknowledged or has ended.",
    ),
    attempts: Type.Integer({ description: "The number of attempts so far." }),
    statusCode: Described(
      OrNull(Type.Integer()),
      "The receiver's HTTP status; null: no response.",
      200,
    ),
    reason: Described(
      OrNull(Type.String()),
      "Why the last attempt failed; `null` if it did not fail.",
      null,
    ),
    decidedAt: Described(DateTime, "When the alert was decided."),
    sentAt: Described(OrNull(DateTime), "When it was sent; `null` if not sent yet."),
    nextAttemptAt: Described(
      OrNull(DateTime),
      "When the next attempt is due; `null` if there is none.",
    ),
    digestId: Described(
      OrNull(Guid),
      "Id of the digest that the message was part of; `null` if it was sent alone.",
      null,
    ),
    heldUntil: Described(
      OrNull(DateTime),
      "The end of the channel's quiet hours that it waits or waited for; `null` if it was not held.",
      null,
    ),
    reroutedFromId: Described(
      OrNull(Type.Integer()),
      "The channel with quiet hours that it was meant for; `null` if it was not rerouted.",
      null,
    ),
    pageId: Described(
      OrNull(Guid),
      "Id of the message to the ONCALL channel that this message to a member is part of; `null` " +
        "if it is none.",
      null,
    ),
    history: Type.Array(DeliveryStep, {
      description: `Delivery attempts and replays, oldest first, at most ${maxSteps}.`,
    }),
  },
  { title: "AlertNotification" },
);
export const ReceiptList = Type.Array(ReceiptSchema);

export const AlertRecordSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    checkId: Described(Guid, "The check's id."),
    name: Described(
      OrNull(Type.String()),
      "The check's name; `null` if the check was deleted.",
      "Router",
    ),
    alertNumber: Type.Integer({
      description: "Sequence number of the alert within its check.",
      examples: [3],
    }),
    alertType: Type.String({ description: "The kind of alert; NO_ALERT if it was held." }),
    heldAlertType: Described(
      OrNull(Type.String()),
      "The kind of alert that was held; `null` if it was sent.",
      null,
    ),
    reason: Type.String({
      description: "Why it was sent or held.",
      examples: ["run-threshold-reached"],
    }),
    explanation: Described(
      OrNull(Type.String()),
      "The reason as one sentence with the values of the rules at that time; `null` for alerts " +
        "stored before the field existed.",
      "2 runs in a row failed; the rules require 2.",
    ),
    startedAt: Described(
      OrNull(DateTime),
      "When the reported state began; `null` for alerts stored before the field existed.",
    ),
    parentCheckId: Described(
      OrNull(Guid),
      "The failing parent because of which it was held; `null` if there is none.",
      null,
    ),
    checkResultId: Described(OrNull(Guid), "The result that caused it; `null` if no result did."),
    isReminder: Type.Boolean({ description: "True if it repeats an earlier alert." }),
    at: Described(DateTime, "When the alert was due."),
    created_at: Described(DateTime, "When it was decided."),
    messages: Type.Object(
      {
        sent: Type.Integer({ description: "Accepted by the recipient.", examples: [2] }),
        pending: Type.Integer({ description: "Waiting to be sent.", examples: [0] }),
        dead: Type.Integer({ description: "Given up.", examples: [0] }),
      },
      { description: "Number of messages of the alert, by outcome." },
    ),
  },
  { title: "Alert" },
);
export const AlertRecordList = Type.Array(AlertRecordSchema);

export function toWireReceipt(receipt: Receipt) {
  const { channelType, kind, decidedAt, sentAt, nextAttemptAt, history, heldUntil, ...rest } =
    receipt;
  return {
    ...rest,
    type: channelType,
    alertType: kind,
    decidedAt: formatDateTime(decidedAt),
    sentAt: sentAt && formatDateTime(sentAt),
    nextAttemptAt: receipt.status === "PENDING" ? formatDateTime(nextAttemptAt) : null,
    heldUntil: heldUntil && formatDateTime(heldUntil),
    history: history.map((step) => ({ ...step })),
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
    explanation: record.explanation,
    startedAt: record.startedAt && formatDateTime(record.startedAt),
    parentCheckId: record.parentId,
    checkResultId: record.resultId,
    isReminder: record.isReminder,
    at: formatDateTime(record.at),
    created_at: formatDateTime(record.decidedAt),
    messages: record.messages,
  };
}
