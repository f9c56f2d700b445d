import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, Matching, OneOf } from "../../../platform/http/schema.ts";
import type { PendingConfirmation } from "./actions.ts";
import { type Confirmed, describeOutcome } from "./confirm.ts";
import { tokenPattern } from "./confirmation.ts";

export const ConfirmationParams = Type.Object({ accountId: Described(Guid, "The account's id.") });
export const DeclineParams = Type.Object({
  accountId: Described(Guid, "The account's id."),
  confirmationId: Described(Guid, "Id of the proposed action."),
});
const Anything = Type.Object({}, { additionalProperties: true });

export const PendingList = Type.Array(
  Type.Object({
    id: Described(Guid, "Its id."),
    tool: Type.String({ description: "The tool that would run.", examples: ["create_incident"] }),
    summary: Type.String({
      description: "Description of the action, for people.",
      examples: ["Create the incident “Payments fail”."],
    }),
    input: Described(Anything, "Input of the tool."),
    via: Described(OneOf(["stream", "mcp"]), "Whether it was proposed in the chat or over MCP."),
    askedBy: Type.String({ description: "Who asked.", examples: ["ada@example.com"] }),
    token: Type.String({ description: "Confirms this action once, with the same key or session." }),
    created_at: Described(DateTime, "Creation time."),
    expiresAt: Described(DateTime, "Expiry time."),
  }),
);

export const ConfirmBody = Type.Object(
  {
    token: Matching(tokenPattern, "must be the token of a proposed action: vdc_…", {
      description: "Token of the proposed action.",
      examples: ["vdc_eyJ0b29sIjoiY3JlYXRlX2NoZWNrIiwiaWQiOiI3ZDFmMmM5ZSJ9"],
    }),
  },
  { title: "ConfirmationInput" },
);

export const ConfirmedSchema = Type.Object({
  tool: Type.String({ description: "The tool that ran.", examples: ["create_incident"] }),
  isDone: Type.Boolean({ description: "Whether the action was executed." }),
  message: Type.String({
    description: "Outcome, for people.",
    examples: ["The incident was created."],
  }),
  data: Described(Anything, "Result of the tool."),
});

export function toWirePending(confirmation: PendingConfirmation) {
  const { id, tool, summary, via, askedBy, token } = confirmation;
  return {
    id,
    tool,
    summary,
    input: confirmation.input as Record<string, unknown>,
    via,
    askedBy,
    token,
    created_at: formatDateTime(confirmation.createdAt),
    expiresAt: formatDateTime(confirmation.expiresAt),
  };
}

export function toWireConfirmed(confirmed: Confirmed) {
  const data = confirmed.result.data as Record<string, unknown>;
  const { tool } = confirmed;
  return { tool, isDone: data.done === true, message: describeOutcome(confirmed), data };
}
