import { Type } from "typebox";
import { formatDateTime, toDay } from "../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateOnly,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
} from "../../platform/http/schema.ts";
import { type DeliveryReceipt, deliveryStatuses } from "./delivery-store.ts";
import {
  maskAddress,
  maxImportLength,
  type Subscriber,
  subscriberStatuses,
  subscriberTypes,
} from "./subscriber.ts";

export const SubscriptionsParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
});
export const SubscriptionParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  subscriptionId: Described(Guid, "The subscriber's id."),
});

export const SubscriptionsQuery = Type.Object({
  limit: Type.Integer({
    description: "Number of entries to return.",
    minimum: 1,
    maximum: 100,
    default: 100,
  }),
  nextId: Described(Type.Optional(Guid), "`nextId` of the previous page."),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: "Part of an email address, case-insensitive; other addresses are not searched.",
    }),
  ),
  status: Described(
    Type.Optional(OneOf([...subscriberStatuses])),
    "Only entries with this status.",
  ),
});
export const DeliveriesQuery = Type.Object({
  ...CursorQuery,
  subscriptionId: Described(Type.Optional(Guid), "Only messages to this subscriber."),
  status: Described(Type.Optional(OneOf([...deliveryStatuses])), "Only entries with this status."),
});
export const DeliveryParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  deliveryId: Described(Guid, "The message's id."),
});

const SubscriptionSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    type: Described(OneOf([...subscriberTypes]), "The channel."),
    address: Type.String({ description: "for webhooks and Slack only the host" }),
    status: Described(OneOf([...subscriberStatuses]), "The status of the subscription."),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "The day it was last changed, in UTC; `null` if never.",
    ),
  },
  { title: "StatusPageSubscription" },
);
export const SubscriptionList = Type.Array(SubscriptionSchema);

export const BulkBody = Type.Object(
  {
    subscriptions: Type.Array(
      Type.Object({
        type: Described(OneOf(["EMAIL"]), "The channel."),
        config: Type.String({ minLength: 1, maxLength: 254, description: "an email address" }),
      }),
      { description: "The subscribers to add.", minItems: 1, maxItems: 100 },
    ),
    autoVerify: Type.Boolean({
      default: false,
      description: "true if they have already agreed; no confirmation request is sent then",
    }),
  },
  { title: "StatusPageSubscriptionsInput" },
);

export const BulkResult = Type.Object({
  created: Type.Integer({ description: "Number of added subscribers." }),
  skipped: Type.Integer({ description: "Number of existing subscribers." }),
  status: Described(OneOf(["PENDING", "VERIFIED"]), "PENDING if confirmation was requested."),
});

const Count = Type.Integer({ minimum: 0 });
export const SubscriptionCounts = Type.Object(
  {
    total: Described(Count, "All subscribers."),
    PENDING: Described(Count, "Unconfirmed subscribers."),
    VERIFIED: Described(Count, "Confirmed subscribers, who receive messages."),
    QUARANTINED: Described(Count, "Subscribers whose address rejects messages."),
  },
  { title: "StatusPageSubscriptionCounts" },
);

export const ImportBody = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: maxImportLength,
      description: "One email address per line, or a CSV table.",
      examples: ["name,email\nAda,ada@example.com"],
    }),
    autoVerify: Type.Boolean({
      default: false,
      description: "true if they have already agreed; no confirmation request is sent then",
    }),
  },
  { title: "StatusPageSubscriptionsImport" },
);

export const ImportResult = Type.Object(
  {
    ...BulkResult.properties,
    faults: Type.Array(
      Type.Object({
        line: Type.Integer({ description: "Line number, starting at 1." }),
        text: Type.String({ description: "The beginning of the line.", examples: ["nobody"] }),
        rule: Type.String({
          description: "The error.",
          examples: ["must be an email address"],
        }),
      }),
      { description: "The invalid lines." },
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
    type: Described(OneOf([...subscriberTypes]), "The channel."),
    address: Type.String({
      description: "The recipient; for webhooks and Slack only the host.",
      examples: ["ada@example.com"],
    }),
    purpose: Described(OneOf(["announce", "confirm", "remind"]), "The purpose."),
    title: Described(
      OrNull(Type.String()),
      "The title; `null` if it is not an announcement.",
      "Payments fail",
    ),
    incidentId: Described(OrNull(Guid), "The incident's id; `null` if there is none."),
    status: Described(OneOf([...deliveryStatuses]), "DEAD if delivery was abandoned."),
    attempts: Type.Integer({ description: "Number of attempts." }),
    statusCode: Described(
      OrNull(Type.Integer()),
      "HTTP status of the receiver; `null` if there was none.",
      200,
    ),
    reason: Described(OrNull(Type.String()), "Reason of a failure; `null` if there is none.", null),
    created_at: Described(DateTime, "When it was created."),
    sentAt: Described(OrNull(DateTime), "When it was sent; `null` if not yet."),
    nextAttemptAt: Described(
      OrNull(DateTime),
      "Time of the next attempt; `null` if there is none.",
    ),
  },
  { title: "StatusPageDelivery" },
);
export const DeliveriesPage = CursorPage(DeliverySchema);

export const PageParams = Type.Object({
  url: Type.String({ description: "The label in the page's URL.", minLength: 1, maxLength: 63 }),
});
export const LinkParams = Type.Object({
  ...PageParams.properties,
  token: Type.String({ description: "The token of the link.", minLength: 20, maxLength: 500 }),
});
export const PageQuery = Type.Object({
  key: Type.Optional(Type.String({ description: "A private page's key.", maxLength: 100 })),
  type: Type.Optional(Described(OneOf([...subscriberTypes]), "The way that the form is for.")),
});

export function toWireSubscription(subscriber: Subscriber) {
  return {
    id: subscriber.id,
    type: subscriber.type,
    address: maskAddress(subscriber.type, subscriber.address),
    status: subscriber.status,
    created_at: toDay(subscriber.createdAt),
    updated_at: subscriber.updatedAt && toDay(subscriber.updatedAt),
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
