import { Type } from "typebox";
import { invalid } from "../../../platform/errors.ts";
import { Described, Matching, OneOf } from "../../../platform/http/schema.ts";
import { isTimeZone } from "../../../platform/text/time-zone.ts";
import { type AgentName, agentNames, focusKinds } from "../agents.ts";
import type { Question } from "../answer.ts";
import { tokenPattern } from "../confirmations/confirmation.ts";
import { MessageSchema, readMessages } from "../message.ts";

const Token = Matching(tokenPattern, "must be the token of a proposal: vdc_…");

export const StreamParams = Type.Object({
  accountId: Type.String({ description: "The account's id.", format: "uuid" }),
});

/** What an id may be: of a check a UUID, of a group a number, of a dashboard letters and digits. */
const idPattern = "^[A-Za-z0-9-]{1,64}$";

const Screen = Type.Object(
  {
    kind: Described(OneOf(focusKinds), "What it is."),
    id: Matching(idPattern, "must be 1 to 64 letters, digits and hyphens", {
      description: "Its id.",
      examples: ["0190f3a2-7b1c-7def-8000-0000000000c1"],
    }),
  },
  {
    title: "QuestionContext",
    description:
      "What the person who asks is looking at: “why is this failing?” is then about it. " +
      "What is not of this account is ignored.",
    additionalProperties: false,
  },
);

export const StreamBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({ description: "of the chat, as the AI SDK's transport sends it" }),
    ),
    trigger: Type.Optional(Type.String({ description: "as the AI SDK's transport sends it" })),
    messages: Type.Array(MessageSchema, {
      description: "The conversation so far, the oldest first.",
      examples: [[{ role: "user", content: "Is anything failing?" }]],
      minItems: 1,
      maxItems: 100,
    }),
    agent: Type.Optional(
      Type.String({ maxLength: 100, description: `one of ${agentNames.join(", ")}; else basic` }),
    ),
    context: Type.Optional(Screen),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "The time zone in which “this morning” is meant; UTC if it is not given.",
        examples: ["Europe/Berlin"],
      }),
    ),
    confirmation: Type.Optional(
      Type.Union([Token, Type.Array(Token, { minItems: 1, maxItems: 20 })], {
        description: "tokens that the stream gave for actions it proposed",
      }),
    ),
  },
  { title: "Question" },
);

/** OpenAPI knows one answer in two forms; the validator has no part in a stream. */
export const StreamAnswer = Type.Unsafe<string>({
  description: "the answer, as it comes",
  content: {
    "application/json": { schema: Type.String() },
    "text/event-stream": {
      schema: Type.String({ description: "the AI SDK's UI message stream" }),
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
  if (!isTimeZone(name)) throw invalid("timeZone", "must be a time zone, such as Europe/Berlin");
  return name;
}

export interface StreamRequest {
  readonly question: Question;
  readonly tokens: readonly string[];
  readonly form: "events" | "json";
}

type Body = Type.Static<typeof StreamBody>;

/** The AI SDK's stock transport names no type that it accepts, and reads nothing but events. */
function isFromChatTransport({ id, trigger, messages }: Body): boolean {
  return (
    id !== undefined &&
    trigger !== undefined &&
    messages.every((message) => message.id !== undefined && message.parts !== undefined)
  );
}

/** The accepted type decides if the client names one; otherwise the shape of the body does. */
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
