import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  findPageImage,
  hasPageAccess,
  type imageRoles,
  listPageImages,
  type PageImageState,
  type Visitor,
} from "../../sites/index.ts";
import { getStatusPage } from "../actions.ts";
import type { StatusPagesContext } from "../context.ts";
import { findStatusPageByUrl } from "../public-store.ts";
import { referToPage } from "../status-page.ts";

export type ShownImage = Awaited<ReturnType<typeof getStatusPageImage>>;

/** Images of a private page need its key; without one they are not found. */
export async function getStatusPageImage(
  context: StatusPagesContext,
  request: { readonly url: string; readonly role: (typeof imageRoles)[number] },
  visitor: Visitor,
) {
  const page = await findStatusPageByUrl(context.db, request.url);
  if (page === null) throw notFound();
  const { isPrivate } = page;
  const place = referToPage(page.id);
  if (isPrivate && !(await hasPageAccess(context, place, visitor))) throw notFound();
  const image = await findPageImage(context.db, { ...place, role: request.role });
  if (image === null) throw notFound();
  // Proxies must not cache private images.
  return { ...image, isPrivate };
}

export async function listStatusPageImages(
  context: StatusPagesContext,
  caller: Caller,
  statusPageId: string,
): Promise<PageImageState[]> {
  const { id: pageId } = await getStatusPage(context, caller, statusPageId);
  return listPageImages(context.db, referToPage(pageId));
}
