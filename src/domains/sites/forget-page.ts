import type { Database } from "../../platform/database.ts";
import { deletePageImages } from "./images/image-store.ts";
import { deletePageKeys } from "./keys/store.ts";
import { releaseNames } from "./name-store.ts";
import type { PageReference } from "./page-reference.ts";

/** Deletes the names, keys and images of a page, in the transaction that deletes the page. */
export async function forgetPage(
  db: Database,
  accountId: string,
  page: PageReference,
): Promise<void> {
  await releaseNames(db, accountId, page);
  await deletePageKeys(db, accountId, page);
  await deletePageImages(db, accountId, page);
}
