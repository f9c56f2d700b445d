import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, Matching, OneOf } from "../../../platform/http/schema.ts";
import type { AskedConfirmation } from "./actions.ts";
import { type Confirmed, describeOutcome } from "./confirm.ts";
import { tokenPattern } from "./confirmation.ts";

export const ConfirmationParams = Type.Object({ accountId: Described(Guid, "The account's id.") });
export const DeclineParams = Type.Object({
  accountId: Described(Guid, "The account's id."),
  confirmationId: Described(Guid, "The id of what was proposed."),
});
const Anything = Type.Object({}, { additionalProperties: true });

export const PendingList = Type.Array(
  Type.Object({
    id: Described(Guid, "Its id."),
    tool: Type.String({ description: "The tool that would run.", examples: ["create_incident"] }),
    summary: Type.String({
      description: "What it would do, for people.",
      examples: ["Create the incident “Payments fail”."],
    }),
    input: Described(Anything, "What the tool would be given."),
    via: Described(OneOf(["stream", "mcp"]), "How the agent was reached."),
    askedBy: Type.String({ description: "Who asked.", examples: ["ada@example.com"] }),
    token: Type.String({ description: "confirms this, once, with the key it was shown to" }),
    created_at: Described(DateTime, "When it was created."),
    expiresAt: Described(DateTime, "Until when it can be confirmed."),
  }),
);

export const ConfirmBody = Type.Object(
  {
    token: Matching(tokenPattern, "must be the token of a proposal: vdc_…", {
      description: "The token that came with the proposal.",
      examples: ["vdc_eyJ0b29sIjoiY3JlYXRlX2NoZWNrIiwiaWQiOiI3ZDFmMmM5ZSJ9"],
    }),
  },
  { title: "ConfirmationInput" },
);

export const ConfirmedSchema = Type.Object({
  tool: Type.String({ description: "The tool that ran.", examples: ["create_incident"] }),
  isDone: Type.Boolean({ description: "True: it was carried out." }),
  message: Type.String({
    description: "What became of it, for people.",
    examples: ["The incident was created."],
  }),
  data: Described(Anything, "What the tool answered."),
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
