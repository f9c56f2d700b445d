import { type Database, runSql } from "../../../platform/database.ts";
import type { PageReference } from "../page-names.ts";

export const imageRoles = ["logo", "logo-dark", "favicon"] as const;
export type ImageRole = (typeof imageRoles)[number];

export type ImagePlace = PageReference & { readonly role: ImageRole };

export interface PageImage {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
}

/** Finds the stored image of a page; `null` if there is none or it has not been fetched yet. */
export async function findPageImage(db: Database, place: ImagePlace): Promise<PageImage | null> {
  const [row] = await runSql<PageImage>(
    db,
    `select content_type as "contentType", bytes, hash from page_images
      where page_kind = $1 and page_id = $2 and role = $3 and bytes is not null`,
    [place.pageKind, place.pageId, place.role],
  );
  return row ?? null;
}

export interface PageImageState {
  readonly role: ImageRole;
  /** Hash of the stored image; `null` if there is no image to serve. */
  readonly hash: string | null;
  /** Reason why the last fetch failed; `null` if it did not fail. */
  readonly fault: string | null;
  readonly fetchedAt: Date | null;
  /** Time of the next fetch; `null` if the image was fetched, uploaded or abandoned. */
  readonly nextAttemptAt: Date | null;
}

/** Lists the images of a page, without their bytes. */
export function listPageImages(db: Database, page: PageReference): Promise<PageImageState[]> {
  return runSql(
    db,
    `select role, hash, fault, fetched_at as "fetchedAt", next_attempt_at as "nextAttemptAt"
      from page_images where page_kind = $1 and page_id = $2 order by role limit $3`,
    [page.pageKind, page.pageId, imageRoles.length],
  );
}

/** Returns the hashes of a page's images by role. Image URLs contain the hash as a version. */
export async function mapPictureHashes(
  db: Database,
  page: PageReference,
): Promise<Readonly<Partial<Record<ImageRole, string>>>> {
  const pictures = await listPageImages(db, page);
  return Object.fromEntries(pictures.flatMap(({ role, hash }) => (hash ? [[role, hash]] : [])));
}

export async function deletePageImages(
  db: Database,
  accountId: string,
  page: PageReference & { readonly roles?: readonly ImageRole[] },
): Promise<void> {
  await runSql(
    db,
    `delete from page_images
      where account_id = $1 and page_kind = $2 and page_id = $3 and role = any($4::text[])`,
    [accountId, page.pageKind, page.pageId, page.roles ?? imageRoles],
  );
}

/**
 * Saves the URL of an image to fetch. If the URL is unchanged, the old image stays until the new
 * one is fetched. Otherwise the old image is deleted.
 */
export async function saveImageSource(
  db: Database,
  accountId: string,
  requested: ImagePlace & { readonly source: string; readonly at: Date },
): Promise<void> {
  const { pageKind, pageId, role, source, at } = requested;
  const updated = await runSql(
    db,
    `update page_images set fault = null, attempts = 0, next_attempt_at = $5
      where page_kind = $1 and page_id = $2 and role = $3 and source_url = $4 returning 1`,
    [pageKind, pageId, role, source, at],
  );
  if (updated.length > 0) return;
  await deletePageImages(db, accountId, { pageKind, pageId, roles: [role] });
  await runSql(
    db,
    `insert into page_images
        (page_kind, page_id, role, account_id, source_url, attempts, next_attempt_at)
      values ($1, $2, $3, $4, $5, 0, $6)`,
    [pageKind, pageId, role, accountId, source, at],
  );
}

/** Saves an uploaded image. No fetch is needed, because the request contained the bytes. */
export async function saveUploadedImage(
  db: Database,
  accountId: string,
  upload: ImagePlace & PageImage & { readonly source: string; readonly at: Date },
): Promise<void> {
  const { pageKind, pageId, role, source, contentType, bytes, hash, at } = upload;
  await deletePageImages(db, accountId, { pageKind, pageId, roles: [role] });
  await runSql(
    db,
    `insert into page_images (page_kind, page_id, role, account_id, source_url, content_type, bytes,
        hash, attempts, fetched_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9)`,
    [pageKind, pageId, role, accountId, source, contentType, bytes, hash, at],
  );
}

export interface DueImage extends ImagePlace {
  readonly source: string;
  /** Number of this attempt, starting at 1. */
  readonly attempt: number;
}

/**
 * Reserves due images for this server. No other server can reserve the same images until `until` is
 * reached or this server has saved the result of the fetch.
 */
export async function takeDueImages(
  db: Database,
  take: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<DueImage[]> {
  return runSql(
    db,
    `update page_images as image set next_attempt_at = $2, attempts = image.attempts + 1
      from (select page_kind, page_id, role from page_images where next_attempt_at <= $1
        order by next_attempt_at limit $3 for update skip locked) as due
      where image.page_kind = due.page_kind and image.page_id = due.page_id
        and image.role = due.role
      returning image.page_kind as "pageKind", image.page_id as "pageId", image.role,
        image.source_url as source, image.attempts as attempt`,
    [take.now, take.until, take.limit],
  );
}

/** Matches a leased row unless its source was changed or requested again in the meantime. */
const isDue = "page_kind = $1 and page_id = $2 and role = $3 and source_url = $4 and attempts = $5";
const keyOf = (due: DueImage) => [due.pageKind, due.pageId, due.role, due.source, due.attempt];

export async function saveFetchedImage(
  db: Database,
  due: DueImage,
  image: PageImage & { readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `update page_images set content_type = $6, bytes = $7, hash = $8, fault = null,
        fetched_at = $9, next_attempt_at = null
      where ${isDue}`,
    [...keyOf(due), image.contentType, image.bytes, image.hash, image.at],
  );
}

/** Saves the error of a fetch. The image that was fetched before stays. */
export async function saveImageFault(
  db: Database,
  due: DueImage,
  { fault, nextAttemptAt }: { readonly fault: string; readonly nextAttemptAt: Date | null },
): Promise<void> {
  const text = `update page_images set fault = $6, next_attempt_at = $7 where ${isDue}`;
  await runSql(db, text, [...keyOf(due), fault, nextAttemptAt]);
}
