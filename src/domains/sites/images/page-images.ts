import type { Database } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import type { PageReference } from "../page-reference.ts";
import {
  deletePageImages,
  type ImagePlace,
  type ImageRole,
  imageRoles,
  saveImageSource,
  saveUploadedImage,
} from "./image-store.ts";
import { findUploadHash, hashPicture, parsePictureAddress } from "./picture-address.ts";

/** For each role what is stored in the page's settings: a URL, or a reference to an upload. */
export type ImageSources = Readonly<Partial<Record<ImageRole, string | null>>>;

export interface ImageChange extends PageReference {
  /** A URL to fetch, a `data:` URL, or null for no picture; absent keeps what is stored. */
  readonly images: Readonly<Partial<Record<ImageRole, string | null | undefined>>>;
  readonly stored: ImageSources;
  /** The page's own address, below which uploads are shown. */
  readonly folder: string;
  readonly allowPrivate: boolean;
  readonly at: Date;
}

/** As requests spell it. */
export function nameImageField(role: ImageRole): string {
  return role === "logo-dark" ? "logoDark" : role;
}

async function saveImage(
  db: Database,
  accountId: string,
  image: ImagePlace & Pick<ImageChange, "allowPrivate" | "at"> & { readonly text: string },
): Promise<string> {
  const { role, text, allowPrivate, at } = image;
  const address = parsePictureAddress(text, allowPrivate);
  if (address.kind === "invalid") {
    throw invalid(nameImageField(role), address.rule);
  }
  const { source } = address;
  if (address.kind === "url") await saveImageSource(db, accountId, { ...image, source, at });
  else {
    const { bytes, contentType } = address;
    const upload = { ...image, source, bytes, contentType, hash: hashPicture(bytes), at };
    await saveUploadedImage(db, accountId, upload);
  }
  return source;
}

/** URLs are fetched by a loop soon after. Answers with the sources to store. */
export async function savePageImages(
  db: Database,
  accountId: string,
  change: ImageChange,
): Promise<Record<ImageRole, string | null>> {
  const { stored, folder } = change;
  const sources = { logo: null, "logo-dark": null, favicon: null, ...stored };
  for (const role of imageRoles) {
    const text = change.images[role];
    // Our own address of an upload comes back in an update and changes nothing.
    const isShownUpload =
      text !== sources[role] && text === formatPictureAddress(sources[role], { folder, role });
    if (text === undefined || isShownUpload) continue;
    if (text === null) await deletePageImages(db, accountId, { ...change, roles: [role] });
    const place = { pageKind: change.pageKind, pageId: change.pageId, role };
    const { allowPrivate, at } = change;
    sources[role] =
      text === null ? null : await saveImage(db, accountId, { ...place, text, allowPrivate, at });
  }
  return sources;
}

/** As the API shows it: the URL it is fetched from, or our own address of an upload. */
export function formatPictureAddress(
  source: string | null,
  place: { readonly folder: string; readonly role: ImageRole },
): string | null {
  const hash = source === null ? null : findUploadHash(source);
  return hash === null ? source : `${place.folder}/images/${place.role}?v=${hash}`;
}
