import type { Database } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import type { Log } from "../../../platform/log.ts";
import type { Outbound } from "../../../platform/outbound.ts";
import type { SitesContext } from "../context.ts";
import type { PageReference } from "../page-names.ts";
import {
  type DueImage,
  deletePageImages,
  findPageImage,
  type ImagePlace,
  type ImageRole,
  imageRoles,
  type PageImage,
  saveFetchedImage,
  saveImageFault,
  saveImageSource,
  saveUploadedImage,
  takeDueImages,
} from "./image-store.ts";
import { findUploadHash, hashPicture, parsePicture, parsePictureAddress } from "./picture.ts";

const maxBytes = 512 * 1024;
const timeoutMs = 10_000;
/**
 * Duration of the lease of an image, which is longer than a fetch. If a server crashes, another one
 * fetches the image when the lease ends.
 */
const leaseMs = 120_000;
const maxAtOnce = 16;

/** Delay before each retry of a failed fetch. After the last retry, the image is abandoned. */
const waitsMs = [60_000, 300_000, 1_800_000, 7_200_000];

type Fetched =
  | ({ readonly kind: "picture" } & PageImage)
  | { readonly kind: "fault"; readonly fault: string; readonly mayPass: boolean };

export async function fetchPicture(outbound: Outbound, url: string): Promise<Fetched> {
  const answer = await outbound.request({
    method: "GET",
    url,
    headers: { accept: "image/*" },
    timeoutMs,
    maxResponseBytes: maxBytes,
  });
  if (answer.kind !== "answered") {
    const mayPass = answer.kind === "failed" && answer.reason !== "too-large";
    return { kind: "fault", fault: answer.message, mayPass };
  }
  const { status, bodyBytes: bytes } = answer;
  if (status !== 200) {
    return { kind: "fault", fault: `The server responded with status ${status}.`, mayPass: true };
  }
  const picture = parsePicture(bytes);
  if (picture.kind === "invalid") return { kind: "fault", fault: picture.fault, mayPass: true };
  return { kind: "picture", contentType: picture.contentType, bytes, hash: hashPicture(bytes) };
}

/** Returns when to retry a failed fetch; `null` if the image is abandoned. */
export function decideNextAttempt(
  attempt: number,
  { mayPass }: { readonly mayPass: boolean },
  now: Date,
): Date | null {
  const waitMs = mayPass ? waitsMs[attempt - 1] : undefined;
  return waitMs === undefined ? null : new Date(now.getTime() + waitMs);
}

async function fetchOne(context: SitesContext, due: DueImage): Promise<void> {
  const fetched = await fetchPicture(context.sendTools.outbound, due.source);
  const at = context.clock.now();
  if (fetched.kind === "picture") {
    await saveFetchedImage(context.db, due, { ...fetched, at });
    return;
  }
  const nextAttemptAt = decideNextAttempt(due.attempt, fetched, at);
  await saveImageFault(context.db, due, { fault: fetched.fault, nextAttemptAt });
}

/** Fetches due images concurrently, so that a slow host does not delay other images. */
export class ImageFetcher {
  readonly #context: SitesContext;
  readonly #log: Log;
  readonly #underWay = new Set<Promise<void>>();

  constructor(context: SitesContext, log: Log) {
    this.#context = context;
    this.#log = log;
  }

  /** Starts fetches up to the limit without waiting for their results. */
  async begin(): Promise<void> {
    const limit = maxAtOnce - this.#underWay.size;
    if (limit <= 0) return;
    const now = this.#context.clock.now();
    const until = new Date(now.getTime() + leaseMs);
    const due = await takeDueImages(this.#context.db, { now, until, limit });
    for (const one of due) {
      const fetching = fetchOne(this.#context, one)
        .catch((error) => this.#log.warn({ err: error }, "an image could not be stored"))
        .finally(() => this.#underWay.delete(fetching));
      this.#underWay.add(fetching);
    }
  }

  /**
   * Waits until the running fetches end, but at most for the timeout. If the server stops during a
   * fetch, the fetch is repeated when the lease of the image ends.
   */
  settleWithin(timeoutMs: number): Promise<void> {
    const late = new Promise<void>((resume) => setTimeout(resume, timeoutMs).unref());
    const done = Promise.all(this.#underWay).then(() => {});
    return Promise.race([done, late]);
  }
}

/** Stored source of each image: a URL, or a reference to an upload. */
type ImageSources = Readonly<Partial<Record<ImageRole, string | null>>>;

interface ImageChange extends PageReference {
  /** Image per role: a URL to fetch, a `data:` URL, or `null` for none; absent if unchanged. */
  readonly images: Readonly<Partial<Record<ImageRole, string | null | undefined>>>;
  readonly stored: ImageSources;
  /** URL of the page. Uploaded images are served below this URL. */
  readonly folder: string;
  readonly allowPrivate: boolean;
  readonly at: Date;
}

/** Returns the name of the image's field in requests. */
function nameImageField(role: ImageRole): string {
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

/** Saves changed images and returns the sources to store. A loop fetches new URLs soon after. */
export async function savePageImages(
  db: Database,
  accountId: string,
  change: ImageChange,
): Promise<Record<ImageRole, string | null>> {
  const { stored, folder } = change;
  const sources = { logo: null, "logo-dark": null, favicon: null, ...stored };
  for (const role of imageRoles) {
    const text = change.images[role];
    // If a client sends back the public URL of the stored upload, the image stays unchanged.
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

/** Formats an image source for the API: the URL to fetch, or this server's URL of an upload. */
export function formatPictureAddress(
  source: string | null,
  place: { readonly folder: string; readonly role: ImageRole },
): string | null {
  const hash = source === null ? null : findUploadHash(source);
  return hash === null ? source : `${place.folder}/images/${place.role}?v=${hash}`;
}

export type DraftImages = ReadonlyMap<ImageRole, PageImage>;

/** Finds the image of a draft if it is stored or uploaded. URLs are not fetched. */
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
