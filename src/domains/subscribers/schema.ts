import { Type } from "typebox";
import { formatDate, formatDateTime } from "../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
} from "../../platform/http/schema.ts";
import { maxImportLength } from "./import-list.ts";
import { type DeliveryReceipt, deliveryStatuses } from "./receipt-store.ts";
import { maskAddress, type Subscriber, subscriberStatuses, subscriberTypes } from "./subscriber.ts";

export const SubscriptionsParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
});
export const SubscriptionParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  subscriptionId: Described(Guid, "The subscriber's id."),
});

export const SubscriptionsQuery = Type.Object({
  limit: Type.Integer({
    description: "How many entries to show.",
    minimum: 1,
    maximum: 100,
    default: 100,
  }),
  nextId: Described(Type.Optional(Guid), "Where to go on: `nextId` of the page before."),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: "Part of an email address, in either case; others are not searched.",
    }),
  ),
  status: Described(Type.Optional(OneOf([...subscriberStatuses])), "Only those in this state."),
});
export const DeliveriesQuery = Type.Object({
  ...CursorQuery,
  subscriptionId: Described(Type.Optional(Guid), "Only those to this subscriber."),
  status: Described(Type.Optional(OneOf([...deliveryStatuses])), "Only those in this state."),
});
export const DeliveryParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  deliveryId: Described(Guid, "The message's id."),
});

const DateOnly = Type.String({ format: "date" });

export const SubscriptionSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    type: Described(OneOf([...subscriberTypes]), "How they are told."),
    address: Type.String({ description: "of a webhook or of Slack only the host" }),
    status: Described(OneOf([...subscriberStatuses]), "Whether they have confirmed."),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    updated_at: Described(OrNull(DateOnly), "The day it was last changed, in UTC; null: never."),
  },
  { title: "StatusPageSubscription" },
);
export const SubscriptionList = Type.Array(SubscriptionSchema);

export const BulkBody = Type.Object(
  {
    subscriptions: Type.Array(
      Type.Object({
        type: Described(OneOf(["EMAIL"]), "How they are told."),
        config: Type.String({ minLength: 1, maxLength: 254, description: "an email address" }),
      }),
      { description: "Whom to add.", minItems: 1, maxItems: 100 },
    ),
    autoVerify: Type.Boolean({
      default: false,
      description: "true: they have agreed already, and are not asked to confirm",
    }),
  },
  { title: "StatusPageSubscriptionsInput" },
);

export const BulkResult = Type.Object({
  created: Type.Integer({ description: "How many were added." }),
  skipped: Type.Integer({ description: "How many were there already." }),
  status: Described(OneOf(["PENDING", "VERIFIED"]), "PENDING: they are asked to confirm."),
});

const Count = Type.Integer({ minimum: 0 });
export const SubscriptionCounts = Type.Object(
  {
    total: Described(Count, "All of them."),
    PENDING: Described(Count, "Those who have not confirmed yet."),
    VERIFIED: Described(Count, "Those who are told."),
    QUARANTINED: Described(Count, "Those whose address refuses messages."),
  },
  { title: "StatusPageSubscriptionCounts" },
);

export const ImportBody = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: maxImportLength,
      description: "One email address a line, or a CSV table.",
      examples: ["name,email\nAda,ada@example.com"],
    }),
    autoVerify: Type.Boolean({
      default: false,
      description: "true: they have agreed already, and are not asked to confirm",
    }),
  },
  { title: "StatusPageSubscriptionsImport" },
);

export const ImportResult = Type.Object(
  {
    ...BulkResult.properties,
    faults: Type.Array(
      Type.Object({
        line: Type.Integer({ description: "Its number, from 1." }),
        text: Type.String({ description: "How it begins.", examples: ["nobody"] }),
        rule: Type.String({
          description: "What is wrong with it.",
          examples: ["must be an email address"],
        }),
      }),
      { description: "Every line that is no address." },
    ),
  },
  { title: "StatusPageSubscriptionsImported" },
);

export const SubscriptionExport = Type.String({
  description: "The subscribers, oldest first.",
  examples: ["address,type,status,created_at\r\nada@example.com,EMAIL,VERIFIED,2026-11-16\r\n"],
});

const DeliverySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    subscriptionId: Described(Guid, "The subscriber's id."),
    type: Described(OneOf([...subscriberTypes]), "How they are told."),
    address: Type.String({
      description: "Where it goes; of a webhook or of Slack only the host.",
      examples: ["ada@example.com"],
    }),
    purpose: Described(OneOf(["announce", "confirm", "remind"]), "Why it was sent."),
    title: Described(
      OrNull(Type.String()),
      "The first line; null: it is no announcement.",
      "Payments fail",
    ),
    incidentId: Described(OrNull(Guid), "The incident it tells of; null: none."),
    status: Described(OneOf([...deliveryStatuses]), "DEAD: it was given up."),
    attempts: Type.Integer({ description: "How often it was tried." }),
    statusCode: Described(OrNull(Type.Integer()), "The receiver's status; null: none came.", 200),
    reason: Described(OrNull(Type.String()), "Why; null: nothing to say.", null),
    created_at: Described(DateTime, "When it was created."),
    sentAt: Described(OrNull(DateTime), "When it was sent; null: not yet."),
    nextAttemptAt: Described(OrNull(DateTime), "When it is tried next; null: not again."),
  },
  { title: "StatusPageDelivery" },
);
export const DeliveriesPage = CursorPage(DeliverySchema);

export const PageParams = Type.Object({
  url: Type.String({ description: "The page's address.", minLength: 1, maxLength: 63 }),
});
export const LinkParams = Type.Object({
  ...PageParams.properties,
  token: Type.String({ description: "The token of the link.", minLength: 20, maxLength: 500 }),
});
export const PageQuery = Type.Object({
  key: Type.Optional(Type.String({ description: "A private page's key.", maxLength: 100 })),
});

export function toWireSubscription(subscriber: Subscriber) {
  return {
    id: subscriber.id,
    type: subscriber.type,
    address: maskAddress(subscriber.type, subscriber.address),
    status: subscriber.status,
    created_at: formatDate(subscriber.createdAt),
    updated_at: subscriber.updatedAt && formatDate(subscriber.updatedAt),
  };
}

export function toWireDelivery(receipt: DeliveryReceipt) {
  const { subscriberId, decidedAt, sentAt, nextAttemptAt, ...rest } = receipt;
  return {
    ...rest,
    subscriptionId: subscriberId,
    address: maskAddress(receipt.type, receipt.address),
    created_at: formatDateTime(decidedAt),
    sentAt: sentAt && formatDateTime(sentAt),
    nextAttemptAt: nextAttemptAt && formatDateTime(nextAttemptAt),
  };
}
