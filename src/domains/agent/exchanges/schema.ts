import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { Exchange } from "./store.ts";

export const ExchangeParams = Type.Object({ accountId: Described(Guid, "The account's id.") });
export const ExchangeQuery = Type.Object(CursorQuery);

export const ExchangePage = CursorPage(
  Type.Object({
    id: Described(Guid, "Its id."),
    host: Type.String({ description: "Where it was sent.", examples: ["api.example.com"] }),
    model: Type.String({ description: "The model that was asked.", examples: ["example-model"] }),
    request: Type.String({ description: "the body exactly as it left; clipped when very long" }),
    requestBytes: Type.Integer({ description: "How long it was, in bytes.", examples: [2048] }),
    status: Described(OrNull(Type.Integer()), "The status of the answer; null: none came.", 200),
    failure: Described(OrNull(Type.String()), "Why it failed; null: it did not.", null),
    sentAt: Described(DateTime, "When it was sent."),
  }),
);

export function toWireExchange(exchange: Exchange) {
  return { ...exchange, sentAt: formatDateTime(exchange.sentAt) };
}
