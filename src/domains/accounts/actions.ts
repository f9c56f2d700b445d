import { randomUUIDv7 } from "node:crypto";
import { inTransaction } from "../../platform/database.ts";
import { forbidden, notFound } from "../../platform/errors.ts";
import type { Account } from "./account.ts";
import { writeAuditEntry } from "./audit/store.ts";
import type { Caller } from "./caller.ts";
import type { AccountsContext } from "./context.ts";
import { insertMember } from "./members/store.ts";
import { insertAccount, listAccounts, lockAccount, updateAccountName } from "./store.ts";

export function listOwnAccounts(context: AccountsContext, caller: Caller): Promise<Account[]> {
  return listAccounts(context.db, caller.accountIds);
}

export async function getAccount(context: AccountsContext, caller: Caller): Promise<Account> {
  const [account] = await listAccounts(context.db, [caller.accountId]);
  if (account === undefined) throw notFound();
  return account;
}

export async function renameAccount(
  context: AccountsContext,
  caller: Caller,
  change: { readonly name?: string },
): Promise<Account> {
  return inTransaction(context.db, async (db) => {
    const before = await lockAccount(db, caller.accountId);
    if (before === null) throw notFound();
    const { name = before.name } = change;
    const at = context.clock.now();
    await updateAccountName(db, caller.accountId, { name, at });
    const changes = { name: { from: before.name, to: name } };
    const action = "account.updated";
    await writeAuditEntry(db, caller, { action, targetId: caller.accountId, changes, at });
    return { ...before, name, updatedAt: at };
  });
}

/** A further account on the same server, owned by the person who asks. */
export async function createAccount(
  context: AccountsContext,
  caller: Caller,
  input: { readonly name: string },
): Promise<Account> {
  const { userId } = caller;
  if (userId === null) throw forbidden();
  const at = context.clock.now();
  const account: Account = { id: randomUUIDv7(), name: input.name, createdAt: at, updatedAt: null };
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
