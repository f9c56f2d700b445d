import { randomUUIDv7 } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { invalid, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { holdChecks } from "../../checks/index.ts";
import { type Annotation, type AnnotationInput, findFault, maxPerAccount } from "./annotation.ts";
import {
  type AnnotationsQuery,
  deleteAnnotation,
  insertAnnotation,
  listAnnotations,
  trimAnnotations,
} from "./store.ts";

export interface AnnotationsContext {
  readonly db: Database;
  readonly clock: Clock;
}

export async function createAnnotation(
  { db: pool, clock }: AnnotationsContext,
  caller: Caller,
  input: AnnotationInput,
): Promise<Annotation> {
  const { accountId } = caller;
  const now = clock.now();
  const fault = findFault(input, now);
  if (fault !== null) throw invalid(fault.key, fault.rule);
  const checkId = input.checkId ?? null;
  const annotation: Annotation = {
    id: randomUUIDv7(),
    type: input.type,
    text: input.text.trim(),
    url: input.url ?? null,
    at: input.at === undefined ? now : new Date(input.at),
    checkId,
    tags: [...new Set(input.tags ?? [])],
    author: caller.label,
    createdAt: now,
  };
  await inTransaction(pool, async (db) => {
    if (checkId !== null && (await holdChecks(db, accountId, [checkId])).size === 0) {
      throw invalid("checkId", "does not exist in this account");
    }
    await lockName(db, `annotations ${accountId}`);
    await insertAnnotation(db, accountId, annotation);
    await trimAnnotations(db, accountId, maxPerAccount);
    const changes = { name: annotation.text, type: annotation.type, checkId };
    const entry = { action: "annotation.created", targetId: annotation.id, changes, at: now };
    await writeAuditEntry(db, caller, entry);
  });
  return annotation;
}

export function listOwnAnnotations(
  { db }: AnnotationsContext,
  { accountId }: Caller,
  query: AnnotationsQuery,
): Promise<{ readonly annotations: Annotation[]; readonly total: number }> {
  return listAnnotations(db, accountId, query);
}

export async function removeAnnotation(
  { db: pool, clock }: AnnotationsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  await inTransaction(pool, async (db) => {
    const deleted = await deleteAnnotation(db, caller.accountId, id);
    if (deleted === null) throw notFound();
    const { text: name, type, checkId } = deleted;
    const changes = { name, type, checkId };
    const at = clock.now();
    await writeAuditEntry(db, caller, { action: "annotation.deleted", targetId: id, changes, at });
  });
}
