import { Type } from "typebox";
import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { DeliveryReceipt } from "./delivery-store.ts";
import { maskAddress, type Subscriber, subscriberStatuses, subscriberTypes } from "./subscriber.ts";

export const SubscriptionsParams = Type.Object({ statusPageId: Guid });
export const SubscriptionParams = Type.Object({ statusPageId: Guid, subscriptionId: Guid });

export const SubscriptionsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
  nextId: Type.Optional(Guid),
});
export const DeliveriesQuery = Type.Object(CursorQuery);

const DateOnly = Type.String({ format: "date" });

export const SubscriptionSchema = Type.Object({
  id: Guid,
  type: OneOf([...subscriberTypes]),
  address: Type.String({ description: "of a webhook or of Slack only the host" }),
  status: OneOf([...subscriberStatuses]),
  created_at: DateOnly,
  updated_at: OrNull(DateOnly),
});
export const SubscriptionList = Type.Array(SubscriptionSchema);

export const BulkBody = Type.Object({
  subscriptions: Type.Array(
    Type.Object({
      type: OneOf(["EMAIL"]),
      config: Type.String({ minLength: 1, maxLength: 254, description: "an email address" }),
    }),
    { minItems: 1, maxItems: 100 },
  ),
  autoVerify: Type.Boolean({
    default: false,
    description: "true: they have agreed already, and are not asked to confirm",
  }),
});
export type BulkBody = Type.Static<typeof BulkBody>;

export const BulkResult = Type.Object({
  created: Type.Integer(),
  skipped: Type.Integer(),
  status: OneOf(["PENDING", "VERIFIED"]),
});

const DeliverySchema = Type.Object({
  id: Guid,
  subscriptionId: Guid,
  type: OneOf([...subscriberTypes]),
  address: Type.String(),
  purpose: OneOf(["announce", "confirm", "remind"]),
  title: OrNull(Type.String()),
  incidentId: OrNull(Guid),
  status: OneOf(["PENDING", "SENT", "DEAD"]),
  attempts: Type.Integer(),
  statusCode: OrNull(Type.Integer()),
  reason: OrNull(Type.String()),
  created_at: DateTime,
  sentAt: OrNull(DateTime),
  nextAttemptAt: OrNull(DateTime),
});
export const DeliveriesPage = CursorPage(DeliverySchema);

export const PageParams = Type.Object({ url: Type.String({ minLength: 1, maxLength: 63 }) });
export const LinkParams = Type.Object({
  ...PageParams.properties,
  token: Type.String({ minLength: 20, maxLength: 500 }),
});
export const PageQuery = Type.Object({ key: Type.Optional(Type.String({ maxLength: 100 })) });

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
