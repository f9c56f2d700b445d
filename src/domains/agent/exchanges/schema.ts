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
    host: Type.String({ description: "Host it was sent to.", examples: ["api.example.com"] }),
    model: Type.String({ description: "Name of the model.", examples: ["example-model"] }),
    request: Type.String({ description: "The body exactly as sent; truncated if very long." }),
    requestBytes: Type.Integer({ description: "Length of the body in bytes.", examples: [2048] }),
    status: Described(
      OrNull(Type.Integer()),
      "Status of the response; `null` if there was none.",
      200,
    ),
    failure: Described(OrNull(Type.String()), "Why it failed; `null` if it did not.", null),
    sentAt: Described(DateTime, "Time of sending."),
  }),
);

export function toWireExchange(exchange: Exchange) {
  return { ...exchange, sentAt: formatDateTime(exchange.sentAt) };
}
