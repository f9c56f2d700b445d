import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull, paging } from "../../../platform/http/schema.ts";
import { alertKinds } from "../../alert-channels/index.ts";
import { maxSteps } from "../delivery-store.ts";
import type { AlertRecord, Receipt } from "./store.ts";

export const ReceiptParams = Type.Object({ id: Described(Guid, "The message's id.") });
export const CheckAlertParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const bounds = {
  from: Described(Type.Optional(DateTime), "Of this moment or later."),
  to: Described(Type.Optional(DateTime), "Before this moment."),
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
  from: Described(Type.Optional(DateTime), "Decided at this moment or later."),
  to: Described(Type.Optional(DateTime), "Decided before this moment."),
  alertChannelId: Type.Optional(
    Type.Integer({
      description: "Only messages through this channel.",
      minimum: 1,
      maximum: 2_147_483_647,
    }),
  ),
  hasFailures: Type.Optional(
    Type.Boolean({ description: "Only messages that failed at least once, or only the others." }),
  ),
  checkId: Described(Type.Optional(Guid), "Only messages about this check."),
  alertId: Described(Type.Optional(Guid), "Only messages of this alert."),
  status: Described(
    Type.Optional(OneOf(["PENDING", "SENT", "DEAD"])),
    "Only messages with this status; DEAD: no further attempts.",
  ),
});
export type ReceiptQuery = Type.Static<typeof ReceiptQuery>;

const DeliveryStep = Type.Object(
  {
    at: Described(DateTime, "When it ended."),
    what: Described(
      OneOf(["sent", "failed", "replayed"]),
      "Accepted by the receiver, not accepted, or sent again because somebody asked for it.",
    ),
    statusCode: Described(
      OrNull(Type.Integer()),
      "The receiver's HTTP status; null: no response.",
      200,
    ),
    reason: Described(OrNull(Type.String()), "Why the attempt failed; null: it did not.", null),
    by: Described(OrNull(Type.String()), "Who had it sent again; null: nobody.", null),
  },
  { title: "AlertNotificationStep" },
);

export const ReceiptSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    alertId: Described(Guid, "The alert that it is about."),
    checkId: Described(Guid, "The check's id."),
    checkName: Described(
      OrNull(Type.String()),
      "The check's name; null: the check was deleted.",
      "Router",
    ),
    alertChannelId: Described(OrNull(Type.Integer()), "The channel; null: it was deleted.", 7),
    type: Type.String({ description: "The kind of channel.", examples: ["EMAIL"] }),
    recipient: Type.String({
      description: "Whom it reaches, without secrets.",
      examples: ["ops@example.com"],
    }),
    alertType: Type.String({ description: "The kind of alert.", examples: ["ALERT_FAILURE"] }),
    title: Type.String({
      description: "The first line of the message.",
      examples: ["Router is down"],
    }),
    status: Described(OneOf(["PENDING", "SENT", "DEAD"]), "DEAD: no further attempts."),
    attempts: Type.Integer({ description: "The number of attempts so far." }),
    statusCode: Described(
      OrNull(Type.Integer()),
      "The receiver's HTTP status; null: no response.",
      200,
    ),
    reason: Described(
      OrNull(Type.String()),
      "Why the last attempt failed; null: it did not.",
      null,
    ),
    decidedAt: Described(DateTime, "When it was decided."),
    sentAt: Described(OrNull(DateTime), "When it was sent; null: not yet."),
    nextAttemptAt: Described(
      OrNull(DateTime),
      "When the next attempt is due; null: no further attempts.",
    ),
    digestId: Described(
      OrNull(Guid),
      "The same for messages that were sent together as one digest; null: it was sent alone.",
      null,
    ),
    history: Type.Array(DeliveryStep, {
      description: `What happened to it, oldest first, at most ${maxSteps} steps.`,
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
      "The check's name; null: the check was deleted.",
      "Router",
    ),
    alertNumber: Type.Integer({ description: "Counts the alerts of the check.", examples: [3] }),
    alertType: Type.String({ description: "The kind of alert; NO_ALERT: it was held." }),
    heldAlertType: Described(
      OrNull(Type.String()),
      "The kind of alert that was held; null: it was sent.",
      null,
    ),
    reason: Type.String({
      description: "Why it was sent or held.",
      examples: ["run-threshold-reached"],
    }),
    explanation: Described(
      OrNull(Type.String()),
      "The same in one sentence, with the figures of the rules at that moment; null: it is older " +
        "than the field.",
      "2 runs in a row failed; the rules ask for 2.",
    ),
    startedAt: Described(
      OrNull(DateTime),
      "When the state began that it is about; null: it is older than the field.",
    ),
    parentCheckId: Described(
      OrNull(Guid),
      "The failing parent because of which it was held; null: none.",
      null,
    ),
    checkResultId: Described(OrNull(Guid), "The result that caused it; null: none did."),
    isReminder: Type.Boolean({ description: "True: it repeats an earlier one." }),
    at: Described(DateTime, "When it happened."),
    created_at: Described(DateTime, "When it was decided."),
    messages: Type.Object(
      {
        sent: Type.Integer({ description: "Accepted by the receiver.", examples: [2] }),
        pending: Type.Integer({ description: "Still to be sent.", examples: [0] }),
        dead: Type.Integer({ description: "Given up.", examples: [0] }),
      },
      { description: "How many messages it became, by what became of them." },
    ),
  },
  { title: "Alert" },
);
export const AlertRecordList = Type.Array(AlertRecordSchema);

export function toWireReceipt(receipt: Receipt) {
  const { channelType, kind, decidedAt, sentAt, nextAttemptAt, history, ...rest } = receipt;
  return {
    ...rest,
    type: channelType,
    alertType: kind,
    decidedAt: formatDateTime(decidedAt),
    sentAt: sentAt && formatDateTime(sentAt),
    nextAttemptAt: receipt.status === "PENDING" ? formatDateTime(nextAttemptAt) : null,
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
