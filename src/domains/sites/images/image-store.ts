import type { Database } from "../../../platform/database.ts";
import type { PageKind, PageReference } from "../page-names.ts";

export const imageRoles = ["logo", "logo-dark", "favicon"] as const;
export type ImageRole = (typeof imageRoles)[number];

export type ImagePlace = PageReference & { readonly role: ImageRole };

export interface PageImage {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
}

type ImageTables = {
  page_images: {
    page_kind: PageKind;
    page_id: string;
    role: ImageRole;
    account_id: string;
    source_url: string;
    content_type: string | null;
    bytes: Buffer | null;
    hash: string | null;
    fault: string | null;
    attempts: number;
    fetched_at: Date | null;
    next_attempt_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<ImageTables>();

/** Returns `null` if nothing has been fetched. */
export async function findPageImage(db: Database, place: ImagePlace): Promise<PageImage | null> {
  const row = await tables(db)
    .selectFrom("page_images")
    .select(["content_type", "bytes", "hash"])
    .where("page_kind", "=", place.pageKind)
    .where("page_id", "=", place.pageId)
    .where("role", "=", place.role)
    .executeTakeFirst();
  if (!row?.bytes || row.content_type === null || row.hash === null) return null;
  return { contentType: row.content_type, bytes: row.bytes, hash: row.hash };
}

export interface PageImageState {
  readonly role: ImageRole;
  /** `null` if there is nothing to serve. */
  readonly hash: string | null;
  /** Why the last attempt to fetch it failed. */
  readonly fault: string | null;
  readonly fetchedAt: Date | null;
  /** `null` if it has been fetched or abandoned. */
  readonly nextAttemptAt: Date | null;
}

/** Without their bytes. */
export async function listPageImages(db: Database, page: PageReference): Promise<PageImageState[]> {
  const rows = await tables(db)
    .selectFrom("page_images")
    .select(["role", "hash", "fault", "fetched_at", "next_attempt_at"])
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId)
    .orderBy("role")
    .limit(imageRoles.length)
    .execute();
  return rows.map((row) => ({
    role: row.role,
    hash: row.hash,
    fault: row.fault,
    fetchedAt: row.fetched_at,
    nextAttemptAt: row.next_attempt_at,
  }));
}

/** Returns the hashes of the page's images, which version their URLs. */
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
  await tables(db)
    .deleteFrom("page_images")
    .where("account_id", "=", accountId)
    .where("page_kind", "=", page.pageKind)
    .where("page_id", "=", page.pageId)
    .where("role", "in", [...(page.roles ?? imageRoles)])
    .execute();
}

function placeColumns(accountId: string, place: ImagePlace) {
  const { pageKind, pageId, role } = place;
  return { page_kind: pageKind, page_id: pageId, role, account_id: accountId };
}

/** An unchanged source is fetched again; until then the previous image is served. */
export async function saveImageSource(
  db: Database,
  accountId: string,
  requested: ImagePlace & { readonly source: string; readonly at: Date },
): Promise<void> {
  const fresh = {
    source_url: requested.source,
    fault: null,
    attempts: 0,
    next_attempt_at: requested.at,
  };
  const updated = await tables(db)
    .updateTable("page_images")
    .set(fresh)
    .where("page_kind", "=", requested.pageKind)
    .where("page_id", "=", requested.pageId)
    .where("role", "=", requested.role)
    .where("source_url", "=", requested.source)
    .returning("role")
    .executeTakeFirst();
  if (updated !== undefined) return;
  await deletePageImages(db, accountId, { ...requested, roles: [requested.role] });
  await tables(db)
    .insertInto("page_images")
    .values({
      ...placeColumns(accountId, requested),
      ...fresh,
      content_type: null,
      bytes: null,
      hash: null,
      fetched_at: null,
    })
    .execute();
}

/** The bytes came with the request, so nothing is fetched. */
export async function saveUploadedImage(
  db: Database,
  accountId: string,
  upload: ImagePlace & PageImage & { readonly source: string; readonly at: Date },
): Promise<void> {
  await deletePageImages(db, accountId, { ...upload, roles: [upload.role] });
  await tables(db)
    .insertInto("page_images")
    .values({
      ...placeColumns(accountId, upload),
      source_url: upload.source,
      content_type: upload.contentType,
      bytes: upload.bytes,
      hash: upload.hash,
      fault: null,
      attempts: 0,
      fetched_at: upload.at,
      next_attempt_at: null,
    })
    .execute();
}

export interface DueImage extends ImagePlace {
  readonly source: string;
  /** Number of this attempt, starting at 1. */
  readonly attempt: number;
}

/** Claims due images until the given time. */
export async function takeDueImages(
  db: Database,
  take: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<DueImage[]> {
  const due = tables(db)
    .selectFrom("page_images")
    .select(["page_kind", "page_id", "role"])
    .where("next_attempt_at", "<=", take.now)
    .orderBy("next_attempt_at")
    .limit(take.limit)
    .forUpdate()
    .skipLocked();
  const rows = await tables(db)
    .updateTable("page_images")
    .from(due.as("due"))
    .set(({ eb, ref }) => ({
      next_attempt_at: take.until,
      attempts: eb(ref("page_images.attempts"), "+", 1),
    }))
    .whereRef("page_images.page_kind", "=", "due.page_kind")
    .whereRef("page_images.page_id", "=", "due.page_id")
    .whereRef("page_images.role", "=", "due.role")
    .returning([
      "page_images.page_kind",
      "page_images.page_id",
      "page_images.role",
      "page_images.source_url",
      "page_images.attempts",
    ])
    .execute();
  return rows.map((row) => ({
    pageKind: row.page_kind,
    pageId: row.page_id,
    role: row.role,
    source: row.source_url,
    attempt: row.attempts,
  }));
}

/** Does nothing if the source was changed or requested again in the meantime. */
function updateDue(db: Database, due: DueImage) {
  return tables(db)
    .updateTable("page_images")
    .where("page_kind", "=", due.pageKind)
    .where("page_id", "=", due.pageId)
    .where("role", "=", due.role)
    .where("source_url", "=", due.source)
    .where("attempts", "=", due.attempt);
}

export async function saveFetchedImage(
  db: Database,
  due: DueImage,
  image: PageImage & { readonly at: Date },
): Promise<void> {
  await updateDue(db, due)
    .set({
      content_type: image.contentType,
      bytes: image.bytes,
      hash: image.hash,
      fault: null,
      fetched_at: image.at,
      next_attempt_at: null,
    })
    .execute();
}

/** A previously fetched image is kept. */
export async function saveImageFault(
  db: Database,
  due: DueImage,
  outcome: { readonly fault: string; readonly nextAttemptAt: Date | null },
): Promise<void> {
  await updateDue(db, due)
    .set({ fault: outcome.fault, next_attempt_at: outcome.nextAttemptAt })
    .execute();
}
