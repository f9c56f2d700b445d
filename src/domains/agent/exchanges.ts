import { randomUUIDv7 } from "node:crypto";
import type { Caller } from "../accounts/index.ts";
import type { AgentContext } from "./context.ts";
import { type Exchange, insertExchange, listExchanges, updateExchange } from "./store.ts";

/** Longer requests are truncated; their full length is stored as well. */
const maxStoredChars = 200_000;

export interface Departure {
  readonly host: string;
  readonly model: string;
  readonly body: string;
}

/** Records a request before it is sent: if it cannot be recorded, it is not sent. */
export async function recordDeparture(
  context: AgentContext,
  caller: Caller,
  { host, model, body }: Departure,
): Promise<string> {
  const id = randomUUIDv7();
  // PostgreSQL cannot store NUL or an unpaired surrogate.
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
  return listExchanges(context.db, caller.accountId, query);
}
