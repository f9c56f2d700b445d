import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { forbidden, invalid } from "../../platform/errors.ts";
import type { AgentContext } from "../context.ts";
import { explainFailure, mayUse } from "../run-tool.ts";
import { takeConfirmation } from "../store.ts";
import type { Tool, ToolFailure, ToolResult } from "../tool.ts";
import { findTool } from "../tools/all-tools.ts";
import {
  type Confirmation,
  type ConfirmationClaims,
  hashInput,
  openConfirmation,
} from "./confirmations.ts";

export interface Confirmed {
  readonly tool: string;
  readonly summary: string;
  readonly result: ToolResult;
}

/** Returns the same error for every invalid token, so that guessing a token reveals nothing. */
function rejectToken(): Error {
  return invalid("confirmation", "is not a valid token for one of your actions");
}

function openOwn(context: AgentContext, caller: Caller, token: string): ConfirmationClaims {
  const claims = openConfirmation(context.encryption, token);
  const isOwn =
    claims !== null &&
    claims.accountId === caller.accountId &&
    claims.credentialId === caller.credentialId &&
    claims.expiresAtMs > context.clock.now().getTime();
  if (!isOwn) throw rejectToken();
  return claims;
}

/**
 * Consumes a token. This happens before the tool is called, so that the tool is called at most
 * once.
 */
async function spend(
  db: Database,
  caller: Caller,
  { claims, at }: { readonly claims: ConfirmationClaims; readonly at: Date },
): Promise<Confirmation> {
  const { id, tool } = claims;
  const confirmation = await takeConfirmation(db, caller.accountId, { id, now: at });
  const isSame = confirmation?.tool === tool && hashInput(confirmation.input) === claims.inputHash;
  if (!isSame) throw rejectToken();
  const changes = { tool, summary: confirmation.summary, via: confirmation.via };
  const action = "agent-action.confirmed";
  await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
  return confirmation;
}

function findAllowed(caller: Caller, name: string): Tool {
  const tool = findTool(name);
  if (tool === null) throw rejectToken();
  if (!mayUse(caller, tool)) throw forbidden();
  return tool;
}

/**
 * Executes a confirmed action. Never throws, so that the outcomes of other actions are reported
 * too.
 */
async function carryOut(
  context: AgentContext,
  caller: Caller,
  { tool, input }: { readonly tool: Tool; readonly input: unknown },
): Promise<ToolResult> {
  try {
    return await explainFailure(() => tool.run(context, caller, input));
  } catch (error) {
    const { requestId } = caller;
    context.log.error({ err: error, requestId, tool: tool.name }, "confirmed action failed");
    const message = "It failed. See the server's log for the reason.";
    const data: ToolFailure = { error: "failed", message };
    return { data, sources: [] };
  }
}

/**
 * Executes exactly the actions that the user was shown, with the caller's current permissions. If
 * one of the tokens is invalid, no action is executed.
 */
export async function confirmActions(
  context: AgentContext,
  caller: Caller,
  tokens: readonly string[],
): Promise<Confirmed[]> {
  const opened = tokens.map((token) => {
    const claims = openOwn(context, caller, token);
    return { claims, tool: findAllowed(caller, claims.tool) };
  });
  const at = context.clock.now();
  const spent = await inTransaction(context.db, async (db) => {
    const taken: (Confirmation & { readonly action: Tool })[] = [];
    for (const { claims, tool } of opened) {
      taken.push({ ...(await spend(db, caller, { claims, at })), action: tool });
    }
    return taken;
  });
  const confirmed: Confirmed[] = [];
  for (const { action, input, summary } of spent) {
    const result = await carryOut(context, caller, { tool: action, input });
    confirmed.push({ tool: action.name, summary, result });
  }
  return confirmed;
}

/** Describes the outcome of a confirmed action. The text does not come from the model. */
export function describeOutcome(
  { summary, result }: Confirmed,
  write: (text: string) => string = (text) => text,
): string {
  const data = result.data as { readonly summary?: string; readonly message?: string };
  if (data.summary !== undefined) return `Done. ${write(data.summary)}`;
  return `Not done: ${write(summary)} ${data.message ?? "It failed."}`;
}

export async function confirmOne(
  context: AgentContext,
  caller: Caller,
  token: string,
): Promise<Confirmed> {
  const [confirmed] = await confirmActions(context, caller, [token]);
  if (confirmed === undefined) throw rejectToken();
  return confirmed;
}
