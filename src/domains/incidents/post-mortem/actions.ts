import { inTransaction } from "../../../platform/database.ts";
import { notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { IncidentsContext } from "../context.ts";
import { findRecord, lockRecord, saveIncident } from "../store.ts";
import { deletePostMortem, findPostMortem, type PostMortem, savePostMortem } from "./store.ts";

export async function readPostMortem(
  { db }: Pick<IncidentsContext, "db">,
  { accountId }: Pick<Caller, "accountId">,
  incidentId: string,
): Promise<PostMortem | null> {
  const record = await findRecord(db, accountId, incidentId);
  if (record === null) throw notFound();
  return findPostMortem(db, accountId, incidentId);
}

/** The publication date stays until the post-mortem is withdrawn. */
function decidePublication(
  before: PostMortem | null,
  isPublished: boolean | undefined,
  at: Date,
): Date | null {
  if (isPublished === undefined) return before?.publishedAt ?? null;
  return isPublished ? (before?.publishedAt ?? at) : null;
}

export async function writePostMortem(
  context: IncidentsContext,
  caller: Caller,
  input: {
    readonly incidentId: string;
    readonly body: string;
    readonly isPublished: boolean | undefined;
  },
): Promise<PostMortem> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const record = await lockRecord(db, accountId, input.incidentId);
    if (record === null) throw notFound();
    const before = await findPostMortem(db, accountId, record.id);
    const publishedAt = decidePublication(before, input.isPublished, at);
    const saved = {
      incidentId: record.id,
      body: input.body,
      author: caller.label,
      publishedAt,
      createdAt: before?.createdAt ?? at,
      updatedAt: at,
    };
    await savePostMortem(db, accountId, saved);
    // Updating the incident's row invalidates the pages that show it.
    await saveIncident(db, accountId, { ...record, updatedAt: at });
    const changes = { isPublished: publishedAt !== null };
    const entry = { action: "incident-post-mortem.saved", targetId: record.id, changes, at };
    await writeAuditEntry(db, caller, entry);
    return saved;
  });
}

export async function removePostMortem(
  context: IncidentsContext,
  caller: Caller,
  incidentId: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const record = await lockRecord(db, caller.accountId, incidentId);
    if (record === null) throw notFound();
    if (!(await deletePostMortem(db, caller.accountId, record.id))) throw notFound();
    await saveIncident(db, caller.accountId, { ...record, updatedAt: at });
    const entry = { action: "incident-post-mortem.deleted", targetId: record.id, changes: {}, at };
    await writeAuditEntry(db, caller, entry);
  });
}
