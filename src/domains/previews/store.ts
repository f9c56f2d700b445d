import { type Database, runSql } from "../../platform/database.ts";
import type { PreviewFile } from "./preview.ts";

export interface StoredPreview {
  readonly tokenHash: Buffer;
  readonly contentSecurityPolicy: string;
  readonly files: ReadonlyMap<string, PreviewFile>;
  readonly byteCount: number;
  readonly expiresAt: Date;
}

export async function insertPreview(
  db: Database,
  accountId: string,
  preview: StoredPreview,
): Promise<void> {
  const { tokenHash, contentSecurityPolicy, byteCount, expiresAt } = preview;
  const files = [...preview.files];
  await runSql(
    db,
    `with preview as (
      insert into previews (token_hash, account_id, content_security_policy, byte_count, expires_at)
      values ($1, $2, $3, $4, $5) returning id
    )
    insert into preview_files (preview_id, path, content_type, bytes)
    select preview.id, file.path, file.content_type, file.bytes
    from preview, unnest($6::text[], $7::text[], $8::bytea[]) as file (path, content_type, bytes)`,
    [
      tokenHash,
      accountId,
      contentSecurityPolicy,
      byteCount,
      expiresAt,
      files.map(([path]) => path),
      files.map(([, { contentType }]) => contentType),
      files.map(([, { bytes }]) => bytes),
    ],
  );
}

/** Deletes the oldest previews above the limits. */
export async function deleteExcess(
  db: Database,
  accountId: string,
  limits: { readonly count: number; readonly bytes: number },
): Promise<void> {
  await runSql(
    db,
    `delete from previews where id in (
      select id from (
        select id, row_number() over newest as place, sum(byte_count) over newest as bytes
        from previews where account_id = $1
        window newest as (order by id desc)
      ) as counted
      where place > 1 and (place > $2 or bytes > $3)
    )`,
    [accountId, limits.count, limits.bytes],
  );
}

export interface FoundFile extends PreviewFile {
  readonly contentSecurityPolicy: string;
}

/** Finds a file by the token of the preview's URL; no other authorization is needed. */
export async function findPreviewFileByToken(
  db: Database,
  request: { readonly tokenHash: Buffer; readonly path: string; readonly now: Date },
): Promise<FoundFile | null> {
  const [file] = await runSql<FoundFile>(
    db,
    `select content_type as "contentType", bytes,
      content_security_policy as "contentSecurityPolicy"
    from previews join preview_files on preview_id = id
    where token_hash = $1 and path = $2 and expires_at > $3`,
    [request.tokenHash, request.path, request.now],
  );
  return file ?? null;
}

export async function deletePreviewsBefore(db: Database, now: Date): Promise<void> {
  await runSql(db, "delete from previews where expires_at <= $1", [now]);
}
