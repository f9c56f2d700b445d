import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { CursorPage, CursorQuery, DateTime, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { Exchange } from "./store.ts";

export const ExchangeParams = Type.Object({ accountId: Guid });
export const ExchangeQuery = Type.Object(CursorQuery);

export const ExchangePage = CursorPage(
  Type.Object({
    id: Guid,
    host: Type.String(),
    model: Type.String(),
    request: Type.String({ description: "the body exactly as it left; clipped when very long" }),
    requestBytes: Type.Integer(),
    status: OrNull(Type.Integer()),
    failure: OrNull(Type.String()),
    sentAt: DateTime,
  }),
);

export function toWireExchange(exchange: Exchange) {
  return { ...exchange, sentAt: formatDateTime(exchange.sentAt) };
}
