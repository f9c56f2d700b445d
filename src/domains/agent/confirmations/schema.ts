import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OneOf } from "../../../platform/http/schema.ts";
import type { AskedConfirmation } from "./actions.ts";
import { type Confirmed, describeOutcome } from "./confirm.ts";
import { tokenPattern } from "./confirmation.ts";

export const ConfirmationParams = Type.Object({ accountId: Guid });
const Anything = Type.Object({}, { additionalProperties: true });

export const PendingList = Type.Array(
  Type.Object({
    id: Guid,
    tool: Type.String(),
    summary: Type.String(),
    input: Anything,
    via: OneOf(["stream", "mcp"]),
    askedBy: Type.String(),
    token: Type.String({ description: "confirms this, once, with the key it was shown to" }),
    created_at: DateTime,
    expiresAt: DateTime,
  }),
);

export const ConfirmBody = Type.Object(
  {
    token: Type.String({
      pattern: tokenPattern,
      description: "The token that came with the proposal.",
      examples: ["vdc_eyJ0b29sIjoiY3JlYXRlX2NoZWNrIiwiaWQiOiI3ZDFmMmM5ZSJ9"],
    }),
  },
  { title: "ConfirmationInput" },
);

export const ConfirmedSchema = Type.Object({
  tool: Type.String(),
  isDone: Type.Boolean(),
  message: Type.String(),
  data: Anything,
});

export function toWirePending(asked: AskedConfirmation) {
  const { id, tool, summary, via, askedBy, token } = asked;
  return {
    id,
    tool,
    summary,
    input: asked.input as Record<string, unknown>,
    via,
    askedBy,
    token,
    created_at: formatDateTime(asked.createdAt),
    expiresAt: formatDateTime(asked.expiresAt),
  };
}

export function toWireConfirmed(confirmed: Confirmed) {
  const data = confirmed.result.data as Record<string, unknown>;
  const { tool } = confirmed;
  return { tool, isDone: data.done === true, message: describeOutcome(confirmed), data };
}
