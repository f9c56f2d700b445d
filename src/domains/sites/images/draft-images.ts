import type { Database } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import { findPageImage, type ImageRole, imageRoles, type PageImage } from "./image-store.ts";
import { formatPictureAddress, type ImageChange, nameImageField } from "./page-images.ts";
import { hashPicture, parsePictureAddress } from "./picture-address.ts";

export type DraftImages = ReadonlyMap<ImageRole, PageImage>;

/** Returns the image that a field refers to, if it is stored; nothing is fetched for a draft. */
async function findDraftImage(
  db: Database,
  draft: Omit<ImageChange, "at">,
  role: ImageRole,
): Promise<PageImage | null> {
  const text = draft.images[role];
  const { pageKind, pageId, folder, allowPrivate } = draft;
  if (text === null) return null;
  const stored = draft.stored[role] ?? null;
  const isStored = text === stored || text === formatPictureAddress(stored, { folder, role });
  if (text === undefined || isStored) return findPageImage(db, { pageKind, pageId, role });
  const address = parsePictureAddress(text, allowPrivate);
  if (address.kind === "invalid") throw invalid(nameImageField(role), address.rule);
  if (address.kind === "url") return null;
  const { bytes, contentType } = address;
  return { bytes, contentType, hash: hashPicture(bytes) };
}

/** Returns the images that a page would have if the change were saved. */
export async function draftPageImages(
  db: Database,
  draft: Omit<ImageChange, "at">,
): Promise<DraftImages> {
  const images = new Map<ImageRole, PageImage>();
  for (const role of imageRoles) {
    const image = await findDraftImage(db, draft, role);
    if (image !== null) images.set(role, image);
  }
  return images;
}
