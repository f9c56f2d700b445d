import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../accounts/index.ts";
import type { Snippet, SnippetInput } from "./snippet.ts";
import {
  countSnippets,
  deleteSnippet,
  findSnippet,
  insertSnippet,
  listSnippets,
  updateSnippet,
} from "./store.ts";

/** Dependencies of the actions. */
export interface SnippetsContext {
  readonly db: Database;
  readonly clock: Clock;
}

const maxPerAccount = 1_000;

export function createSnippet(
  context: SnippetsContext,
  caller: Caller,
  input: SnippetInput,
): Promise<Snippet> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    await lockName(db, `snippets ${accountId}`);
    if ((await countSnippets(db, accountId)) >= maxPerAccount) {
      throw conflict(`limit of ${maxPerAccount} snippets reached; delete one first`);
    }
    const snippet = await insertSnippet(db, accountId, { ...input, createdAt: at });
    const note = { action: "snippet.created", changes: { name: snippet.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(snippet.id), at });
    return snippet;
  });
}

export async function listOwnSnippets(
  context: SnippetsContext,
  { accountId }: Caller,
  paging: { readonly limit: number; readonly page: number },
): Promise<{ readonly snippets: Snippet[]; readonly total: number }> {
  const snippets = await listSnippets(context.db, accountId, paging);
  return { snippets, total: await countSnippets(context.db, accountId) };
}

export async function getSnippet(
  context: SnippetsContext,
  caller: Caller,
  id: number,
): Promise<Snippet> {
  const snippet = await findSnippet(context.db, caller.accountId, id);
  if (snippet === null) throw notFound();
  return snippet;
}

export function changeSnippet(
  context: SnippetsContext,
  caller: Caller,
  { id, input }: { readonly id: number; readonly input: SnippetInput },
): Promise<Snippet> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const snippet = await updateSnippet(db, caller.accountId, { ...input, id, at });
    if (snippet === null) throw notFound();
    const note = { action: "snippet.updated", changes: { name: snippet.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return snippet;
  });
}

export async function removeSnippet(
  context: SnippetsContext,
  caller: Caller,
  id: number,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const removed = await deleteSnippet(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const note = { action: "snippet.deleted", changes: { name: removed.name } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
  });
}
