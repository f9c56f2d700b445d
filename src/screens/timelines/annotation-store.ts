import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { Annotation } from "./annotation.ts";

const columns = `id, type, text, url, at, check_id as "checkId", tags, author,
  created_at as "createdAt"`;

export async function insertAnnotation(
  db: Database,
  accountId: string,
  annotation: Annotation,
): Promise<void> {
  const { id, checkId, tags, type, text, url, at, author, createdAt } = annotation;
  await runPrepared(db, {
    name: "insert-annotation",
    text: `insert into annotations
        (id, account_id, check_id, tags, type, text, url, at, author, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [id, accountId, checkId, tags, type, text, url, at, author, createdAt],
  });
}

/** Deletes the oldest annotations above the limit per account. */
export async function trimAnnotations(
  db: Database,
  accountId: string,
  keep: number,
): Promise<void> {
  await runPrepared(db, {
    name: "trim-annotations",
    text: `delete from annotations where id in (
      select id from annotations where account_id = $1 order by at desc, id desc offset $2)`,
    values: [accountId, keep],
  });
}

export interface AnnotationsQuery {
  readonly from?: Date;
  readonly to?: Date;
  readonly checkId?: string;
  readonly limit: number;
  readonly page: number;
}

/** Lists annotations, newest first. */
export async function listAnnotations(
  db: Database,
  accountId: string,
  query: AnnotationsQuery,
): Promise<{ readonly annotations: Annotation[]; readonly total: number }> {
  const filter = `account_id = $1 and ($2::timestamptz is null or at >= $2)
    and ($3::timestamptz is null or at < $3) and ($4::uuid is null or check_id = $4)`;
  const values = [accountId, query.from ?? null, query.to ?? null, query.checkId ?? null];
  const annotations = await runSql<Annotation>(
    db,
    `select ${columns} from annotations where ${filter} order by at desc, id desc
      limit $5 offset $6`,
    [...values, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  const [row] = await runSql<{ total: number }>(
    db,
    `select count(*)::int as total from annotations where ${filter}`,
    values,
  );
  return { annotations, total: row?.total ?? 0 };
}

/** Lists the annotations that apply to one check, newest first. */
export function listAnnotationsOfCheck(
  db: Database,
  accountId: string,
  query: {
    readonly checkId: string;
    readonly tags: readonly string[];
    readonly from: Date;
    readonly to: Date;
    readonly limit: number;
  },
): Promise<Annotation[]> {
  return runPrepared<Annotation>(db, {
    name: "list-annotations-of-check",
    text: `select ${columns} from annotations
      where account_id = $1 and at >= $2 and at < $3
        and (check_id = $4 or check_id is null and (tags = '{}' or tags && $5::text[]))
      order by at desc, id desc limit $6`,
    values: [accountId, query.from, query.to, query.checkId, query.tags, query.limit],
  });
}

/** Deletes an annotation and returns it; `null` if the account has no annotation with this id. */
export async function deleteAnnotation(
  db: Database,
  accountId: string,
  id: string,
): Promise<Annotation | null> {
  const [deleted] = await runPrepared<Annotation>(db, {
    name: "delete-annotation",
    text: `delete from annotations where account_id = $1 and id = $2 returning ${columns}`,
    values: [accountId, id],
  });
  return deleted ?? null;
}
