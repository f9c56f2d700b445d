/**
 * What public pages share, whether a status page or a dashboard: the *domain* an owner brings, the
 * *keys* of private pages and the cookie of whoever showed one, and *pictures*, which are fetched
 * once and served from here. A page is named by its kind and id (*page reference*).
 * Tables: page_domains, page_keys, page_images.
 */
export type { SitesContext } from "./context.ts";
export { parseCustomDomain } from "./custom-domain.ts";
export { claimDomain, releaseDomain } from "./domain-store.ts";
export {
  deletePageImages,
  findPageImage,
  type ImageRole,
  imageRoles,
  listPageImages,
  type PageImage,
  type PageImageState,
} from "./images/image-store.ts";
export { formatPictureAddress, wishPageImages } from "./images/page-images.ts";
export { maxPictureAddressLength } from "./images/picture-address.ts";
export { sendImage } from "./images/send-image.ts";
export { createPageKey, listKeysOfPage, removePageKey, rotatePageKey } from "./keys/actions.ts";
export {
  grantPageAccess,
  hasPageAccess,
  type PageAccessContext,
  renewPageAccess,
  type Visitor,
  writePageCookie,
} from "./keys/page-access.ts";
export {
  createRawPageKey,
  findPresentedKey,
  maskPageKey,
  type PageKey,
  type ShownPageKey,
} from "./keys/page-key.ts";
export { deletePageKeys, insertPageKey } from "./keys/store.ts";
export { startSiteLoops } from "./loops.ts";
export type { PageKind, PageReference } from "./page-reference.ts";
export { pageUrlPattern, parsePageUrl } from "./page-url.ts";
