import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import type { AgentContext } from "../context.ts";
import {
  countPending,
  insertConfirmation,
  listPending,
  lockPending,
  withdrawConfirmation,
} from "../store.ts";
import type { ProposedChange } from "../tool.ts";
import {
  type Confirmation,
  type ConfirmationWay,
  confirmWithinMs,
  hashInput,
  maxPending,
  sealConfirmation,
} from "./confirmations.ts";

/** A pending confirmation, with the token that the caller must send to confirm the action. */
export interface PendingConfirmation extends Confirmation {
  readonly token: string;
}

/** A proposed action, with its title and the changes that it would make. */
export interface ProposedConfirmation extends PendingConfirmation {
  readonly title: string;
  readonly changes: readonly ProposedChange[];
}

/** Adds a token to a confirmation. Only the credential of the caller can use the token. */
function addToken(
  { encryption }: Pick<AgentContext, "encryption">,
  caller: Caller,
  confirmation: Confirmation,
): PendingConfirmation {
  const token = sealConfirmation(encryption, {
    id: confirmation.id,
    accountId: caller.accountId,
    credentialId: caller.credentialId,
    tool: confirmation.tool,
    inputHash: hashInput(confirmation.input),
    expiresAtMs: confirmation.expiresAt.getTime(),
  });
  return { ...confirmation, token };
}

export async function requestConfirmation(
  context: AgentContext,
  caller: Caller,
  proposed: Pick<Confirmation, "tool" | "input" | "summary"> & { readonly via: ConfirmationWay },
): Promise<PendingConfirmation> {
  const now = context.clock.now();
  const confirmation: Confirmation = {
    ...proposed,
    id: randomUUIDv7(),
    askedBy: caller.label,
    createdAt: now,
    expiresAt: new Date(now.getTime() + confirmWithinMs),
  };
  const { accountId, credentialId } = caller;
  await inTransaction(context.db, async (db) => {
    await lockPending(db, accountId);
    if ((await countPending(db, accountId, now)) >= maxPending) {
      throw new KnownError("tooManyRequests", {
        message: `This account already has ${maxPending} actions waiting for confirmation.`,
      });
    }
    await insertConfirmation(db, accountId, { ...confirmation, credentialId });
  });
  return addToken(context, caller, confirmation);
}

export async function listOwnPending(
  context: AgentContext,
  caller: Caller,
): Promise<PendingConfirmation[]> {
  const { credentialId } = caller;
  const query = { now: context.clock.now(), limit: maxPending, credentialId };
  const pending = await listPending(context.db, caller.accountId, query);
  return pending.map((confirmation) => addToken(context, caller, confirmation));
}

/** Discards a proposed action. Every user who may confirm an action may also decline it. */
export async function declineAction(
  context: AgentContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { accountId, credentialId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const withdrawn = await withdrawConfirmation(db, accountId, { id, credentialId, now: at });
    if (withdrawn === null) throw notFound();
    const { tool, summary, via } = withdrawn;
    const changes = { tool, summary, via };
    await writeAuditEntry(db, caller, {
      action: "agent-action.declined",
      targetId: id,
      changes,
      at,
    });
  });
}
