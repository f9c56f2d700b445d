import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, forbidden, notFound } from "../../platform/errors.ts";
import { writeAuditEntry } from "./audit/store.ts";
import type { Caller } from "./caller.ts";
import type { AccountsContext } from "./context.ts";
import { insertMember } from "./members/member-store.ts";
import { hasSecondFactor } from "./second-factors/second-factor.ts";
import { findFactors } from "./second-factors/store.ts";
import { type Account, insertAccount, listAccounts, lockAccount, updateAccount } from "./store.ts";

export function listOwnAccounts(context: AccountsContext, caller: Caller): Promise<Account[]> {
  return listAccounts(context.db, caller.accountIds);
}

export async function getAccount(context: AccountsContext, caller: Caller): Promise<Account> {
  const [account] = await listAccounts(context.db, [caller.accountId]);
  if (account === undefined) throw notFound();
  return account;
}

export interface AccountChange {
  readonly name?: string;
  readonly requiresSecondFactor?: boolean;
}

export async function changeAccount(
  context: AccountsContext,
  caller: Caller,
  change: AccountChange,
): Promise<Account> {
  const account = await inTransaction(context.db, async (db) => {
    const before = await lockAccount(db, caller.accountId);
    if (before === null) throw notFound();
    await rejectRuleChange(db, caller, { before, change });
    const at = context.clock.now();
    // Copies named fields only: the body may carry fields that its schema does not name, such as
    // another account's id.
    const { name = before.name, requiresSecondFactor = before.requiresSecondFactor } = change;
    const after = { ...before, name, requiresSecondFactor };
    await updateAccount(db, after, at);
    const changes = {
      name: { from: before.name, to: after.name },
      ...(change.requiresSecondFactor !== undefined && {
        requiresSecondFactor: { from: before.requiresSecondFactor, to: after.requiresSecondFactor },
      }),
    };
    const action = "account.updated";
    await writeAuditEntry(db, caller, { action, targetId: caller.accountId, changes, at });
    return { ...after, updatedAt: at };
  });
  context.credentials.forgetAll();
  return account;
}

/**
 * An owner must have a second factor before requiring one: otherwise the change would lock the
 * owner out.
 */
async function rejectRuleChange(
  db: Database,
  { role, userId }: Caller,
  { before, change }: { readonly before: Account; readonly change: AccountChange },
): Promise<void> {
  const { requiresSecondFactor: isAsked = before.requiresSecondFactor } = change;
  if (isAsked === before.requiresSecondFactor) return;
  if (role !== "OWNER") throw forbidden();
  if (!isAsked || userId === null) return;
  if (!hasSecondFactor(await findFactors(db, userId, null))) {
    throw conflict("set up your own second factor first");
  }
}

/** Creates a further account on the same server, owned by the calling user. */
export async function createAccount(
  context: AccountsContext,
  caller: Caller,
  input: { readonly name: string },
): Promise<Account> {
  const { userId } = caller;
  if (userId === null) throw forbidden();
  const at = context.clock.now();
  const account: Account = {
    id: randomUUIDv7(),
    name: input.name,
    requiresSecondFactor: false,
    createdAt: at,
    updatedAt: null,
  };
  await inTransaction(context.db, async (db) => {
    await insertAccount(db, account);
    await insertMember(db, account.id, { userId, role: "OWNER", at });
    const changes = { name: account.name };
    const actor = { ...caller, accountId: account.id };
    const action = "account.created";
    await writeAuditEntry(db, actor, { action, targetId: account.id, changes, at });
  });
  context.credentials.forgetAll();
  return account;
}
