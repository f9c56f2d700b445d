import { Type } from "typebox";
import { formatDateTime } from "../platform/dates.ts";
import { invalid } from "../platform/errors.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  Matching,
  OneOf,
  OrNull,
} from "../platform/http/schema.ts";
import { isTimeZone } from "../platform/text/time.ts";
import { type AgentName, agentNames, focusKinds } from "./agents.ts";
import type { Question } from "./answer-run.ts";
import type { PendingConfirmation } from "./confirmations/actions.ts";
import { type Confirmed, describeOutcome } from "./confirmations/confirm.ts";
import { tokenPattern } from "./confirmations/confirmations.ts";
import { MessageSchema, readMessages } from "./exchanges.ts";
import type { Exchange } from "./store.ts";

const Token = Matching(tokenPattern, "must be the token of a proposed action: vdc_…");

export const StreamParams = Type.Object({
  accountId: Type.String({ description: "The account's id.", format: "uuid" }),
});

/** Pattern of ids: a UUID for a check, a number for a group, letters and digits for a dashboard. */
const idPattern = "^[A-Za-z0-9-]{1,64}$";

const Screen = Type.Object(
  {
    kind: Described(OneOf(focusKinds), "Type of the object."),
    id: Matching(idPattern, "must be 1 to 64 letters, digits and hyphens", {
      description: "Id of the object.",
      examples: ["0190f3a2-7b1c-7def-8000-0000000000c1"],
    }),
  },
  {
    title: "QuestionContext",
    description:
      "Object on the user's screen, which “why is this failing?” then refers to. An object of " +
      "another account is ignored.",
    additionalProperties: false,
  },
);

export const StreamBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({ description: "Id of the chat, sent by the AI SDK's transport." }),
    ),
    trigger: Type.Optional(
      Type.String({ description: "Sent by the AI SDK's transport; ignored." }),
    ),
    messages: Type.Array(MessageSchema, {
      description: "The conversation, oldest first.",
      examples: [[{ role: "user", content: "Is anything failing?" }]],
      minItems: 1,
      maxItems: 100,
    }),
    agent: Type.Optional(
      Type.String({
        maxLength: 100,
        description: `One of ${agentNames.join(", ")}. Default: basic.`,
      }),
    ),
    context: Type.Optional(Screen),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "Time zone of expressions such as “this morning”. Default: UTC.",
        examples: ["Europe/Berlin"],
      }),
    ),
    confirmation: Type.Optional(
      Type.Union([Token, Type.Array(Token, { minItems: 1, maxItems: 20 })], {
        description: "Tokens of proposed actions to confirm.",
      }),
    ),
  },
  { title: "Question" },
);

/**
 * Schema of the response, for which OpenAPI lists two formats. Streamed responses are not
 * validated.
 */
export const StreamAnswer = Type.Unsafe<string>({
  description: "The answer, streamed.",
  content: {
    "application/json": { schema: Type.String() },
    "text/event-stream": {
      schema: Type.String({ description: "The AI SDK's UI message stream." }),
    },
  },
});

function parseAgent(name: string | undefined): AgentName {
  const found = agentNames.find((known) => known === (name ?? "basic"));
  if (found === undefined) throw invalid("agent", `must be one of ${agentNames.join(", ")}`);
  return found;
}

function parseTimeZone(name: string | undefined): string | null {
  if (name === undefined) return null;
  if (!isTimeZone(name)) throw invalid("timeZone", "must be a time zone such as Europe/Berlin");
  return name;
}

export interface StreamRequest {
  readonly question: Question;
  readonly tokens: readonly string[];
  readonly form: "events" | "json";
}

type Body = Type.Static<typeof StreamBody>;

/**
 * Returns whether the request comes from the default transport of the AI SDK, which reads only
 * events.
 */
function isFromChatTransport({ id, trigger, messages }: Body): boolean {
  return (
    id !== undefined &&
    trigger !== undefined &&
    messages.every((message) => message.id !== undefined && message.parts !== undefined)
  );
}

/**
 * Chooses the response format by the Accept header or, if it names neither format, by the shape of
 * the body.
 */
function decideForm(body: Body, accept = ""): StreamRequest["form"] {
  if (/\btext\/event-stream\b/i.test(accept)) return "events";
  if (/\bapplication\/json\b/i.test(accept)) return "json";
  return isFromChatTransport(body) ? "events" : "json";
}

export function toStreamRequest(body: Body, accept: string | undefined): StreamRequest {
  const tokens = body.confirmation === undefined ? [] : [body.confirmation].flat();
  const question = {
    agent: parseAgent(body.agent),
    messages: readMessages(body.messages),
    focus: body.context ?? null,
    timeZone: parseTimeZone(body.timeZone),
  };
  return { question, tokens: [...new Set(tokens)], form: decideForm(body, accept) };
}

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

const Message = Type.Object(
  { jsonrpc: Type.Literal("2.0", { description: "Version of JSON-RPC." }) },
  { additionalProperties: true },
);

/** A JSON-RPC message, or a batch of messages. The MCP SDK validates their content. */
export const McpBody = Type.Union([Message, Type.Array(Message, { minItems: 1, maxItems: 10 })]);
export const McpAnswer = Type.Unsafe<unknown>({
  description: "Messages of the Model Context Protocol.",
});
