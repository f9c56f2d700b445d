import type { Database } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import type { PageReference } from "../page-reference.ts";
import {
  deletePageImages,
  type ImageRole,
  saveImageSource,
  saveUploadedImage,
} from "./image-store.ts";
import { findUploadHash, hashPicture, parsePictureAddress } from "./picture-address.ts";

export interface ImageWishes extends PageReference {
  /** For each role: an address to fetch, a `data:` URL, or null for no picture; absent stays. */
  readonly images: Readonly<Partial<Record<ImageRole, string | null>>>;
  readonly allowPrivate: boolean;
  readonly at: Date;
}

/**
 * What a page's pictures shall be. Addresses are fetched by a loop soon after. Answers with what
 * to keep in the page's own settings: the address, or a word that stands for what was sent.
 */
export async function wishPageImages(
  db: Database,
  accountId: string,
  wishes: ImageWishes,
): Promise<Partial<Record<ImageRole, string | null>>> {
  const { pageKind, pageId, images, allowPrivate, at } = wishes;
  const kept: Partial<Record<ImageRole, string | null>> = {};
  for (const [role, text] of Object.entries(images) as [ImageRole, string | null | undefined][]) {
    if (text === undefined) continue;
    const place = { pageKind, pageId, role };
    if (text === null) {
      await deletePageImages(db, accountId, { ...place, roles: [role] });
      kept[role] = null;
      continue;
    }
    const address = parsePictureAddress(text, allowPrivate);
    if (address.kind === "invalid")
      throw invalid(role === "logo-dark" ? "logoDark" : role, address.rule);
    const { source } = address;
    if (address.kind === "url") await saveImageSource(db, accountId, { ...place, source, at });
    else {
      const { bytes, contentType } = address;
      const upload = { ...place, source, bytes, contentType, hash: hashPicture(bytes), at };
      await saveUploadedImage(db, accountId, upload);
    }
    kept[role] = source;
  }
  return kept;
}

/** What the API shows: where a picture is fetched from, or our own address for what was sent. */
export function formatPictureAddress(
  source: string | null,
  place: { readonly folder: string; readonly role: ImageRole },
): string | null {
  const hash = source === null ? null : findUploadHash(source);
  return hash === null ? source : `${place.folder}/images/${place.role}?v=${hash}`;
}
