import { randomUUIDv7 } from "node:crypto";
import { inTransaction } from "../../../platform/database.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { AgentContext } from "../context.ts";
import type { ProposedChange } from "../tool.ts";
import {
  type Confirmation,
  type ConfirmationWay,
  confirmWithinMs,
  hashInput,
  maxPending,
  sealConfirmation,
} from "./confirmation.ts";
import {
  countPending,
  insertConfirmation,
  listPending,
  lockPending,
  withdrawConfirmation,
} from "./store.ts";

/** What the user is shown, and the token that confirms it. */
export interface AskedConfirmation extends Confirmation {
  readonly token: string;
}

/** As it is proposed: what it is called, and what it would change. */
export interface ProposedConfirmation extends AskedConfirmation {
  readonly title: string;
  readonly changes: readonly ProposedChange[];
}

/** A token is valid only for the credential it was issued to. */
function addToken(
  { encryption }: Pick<AgentContext, "encryption">,
  caller: Caller,
  confirmation: Confirmation,
): AskedConfirmation {
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

export async function askConfirmation(
  context: AgentContext,
  caller: Caller,
  proposed: Pick<Confirmation, "tool" | "input" | "summary"> & { readonly via: ConfirmationWay },
): Promise<AskedConfirmation> {
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
        message: `${maxPending} actions of this account wait to be confirmed already.`,
      });
    }
    await insertConfirmation(db, accountId, { ...confirmation, credentialId });
  });
  return addToken(context, caller, confirmation);
}

export async function listOwnPending(
  context: AgentContext,
  caller: Caller,
): Promise<AskedConfirmation[]> {
  const { credentialId } = caller;
  const query = { now: context.clock.now(), limit: maxPending, credentialId };
  const pending = await listPending(context.db, caller.accountId, query);
  return pending.map((confirmation) => addToken(context, caller, confirmation));
}

/** Nobody confirms it any more. Whoever may confirm it may decline it. */
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
