import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Caller, requireAccess } from "../access/accounts/index.ts";
import { invalid } from "../platform/errors.ts";
import { Described, OneOf } from "../platform/http/schema.ts";
import type { AgentContext } from "./context.ts";
import { type Exchange, insertExchange, listExchanges, updateExchange } from "./store.ts";

/** One part of a message. Clients send many types of parts. Only text parts are read. */
const Part = Type.Object(
  {
    type: Type.String({
      description: "Type of the part; only `text` is read.",
      examples: ["text"],
      maxLength: 200,
    }),
    text: Type.Optional(Type.String({ description: "Text of the part." })),
  },
  { additionalProperties: true },
);
const Parts = Type.Array(Part, { maxItems: 500 });

export const MessageSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: "Id sent by the AI SDK's transport; ignored." })),
    role: Described(OneOf(["user", "assistant", "system"]), "Author of the message.", "user"),
    content: Type.Optional(
      Type.Union([Type.String(), Parts], {
        description: "The text, or its parts. Either this or `parts`.",
        examples: ["Is anything failing?"],
      }),
    ),
    parts: Described(Type.Optional(Parts), "Parts of the message."),
  },
  {
    title: "Message",
    additionalProperties: true,
    description: "A message with `content` or with `parts`.",
  },
);

/** Text of one message, and whether the user or the assistant wrote it. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly text: string;
}

const maxTextBytes = 100_000;

type WireMessage = Type.Static<typeof MessageSchema>;

function readText({ content, parts }: WireMessage): string {
  if (typeof content === "string") return content;
  return (content ?? parts ?? [])
    .filter(({ type }) => type === "text")
    .map(({ text = "" }) => text)
    .join("\n");
}

/**
 * Converts the messages of a request. A system message from a client counts as a message of the
 * user, so that it cannot change the agent's rules.
 */
export function readMessages(wire: readonly WireMessage[]): readonly Message[] {
  for (const [index, message] of wire.entries()) {
    if (message.content === undefined && message.parts === undefined) {
      throw invalid(`messages.${index}.content`, "is required, or parts");
    }
  }
  const messages = wire.map(
    (message): Message => ({
      role: message.role === "assistant" ? "assistant" : "user",
      text: readText(message).toWellFormed(),
    }),
  );
  const byteCount = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (byteCount > maxTextBytes) {
    throw invalid("messages", `must have at most ${maxTextBytes} bytes of text together`);
  }
  const withText = messages.filter(({ text }) => text.trim() !== "");
  if (!withText.some(({ role }) => role === "user")) {
    throw invalid("messages", "must contain text of the user");
  }
  return withText;
}

/**
 * Maximum stored length of a request. A longer request is truncated, but its full size is stored.
 */
const maxStoredChars = 200_000;

interface Departure {
  readonly host: string;
  readonly model: string;
  readonly body: string;
}

/**
 * Records a request before it is sent to an external model. If this fails, the request is not sent.
 */
export async function recordDeparture(
  context: AgentContext,
  caller: Caller,
  { host, model, body }: Departure,
): Promise<string> {
  const id = randomUUIDv7();
  // PostgreSQL text cannot contain NUL characters or unpaired surrogates.
  const request = body.slice(0, maxStoredChars).replaceAll("\0", "").toWellFormed();
  await insertExchange(context.db, caller.accountId, {
    id,
    host,
    model,
    request,
    requestBytes: Buffer.byteLength(body),
    status: null,
    failure: null,
    sentAt: context.clock.now(),
  });
  return id;
}

export function recordArrival(
  context: AgentContext,
  caller: Caller,
  outcome: Pick<Exchange, "id" | "status" | "failure">,
): Promise<void> {
  return updateExchange(context.db, caller.accountId, outcome);
}

export function listOwnExchanges(
  context: AgentContext,
  caller: Caller,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<Exchange[]> {
  requireAccess(caller, "admin");
  return listExchanges(context.db, caller.accountId, query);
}
