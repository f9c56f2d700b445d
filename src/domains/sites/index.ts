/**
 * What public pages share, whether status page or dashboard: their *names* (a label of ours, a
 * domain of the owner's) and the *hosts* that follow from them, the *keys* of private pages and the
 * cookies given for them, and *pictures*, which are fetched once and served from here. A page is
 * known by its kind and id only (*page reference*).
 * Tables: page_names, page_keys, page_images.
 */
export type { SitesContext } from "./context.ts";
export { parseCustomDomain } from "./custom-domain.ts";
export { forgetPage } from "./forget-page.ts";
export { type DraftImages, draftPageImages } from "./images/draft-images.ts";
export {
  findPageImage,
  imageRoles,
  listPageImages,
  mapPictureHashes,
  type PageImageState,
} from "./images/image-store.ts";
export { formatPictureAddress, savePageImages } from "./images/page-images.ts";
export { maxPictureAddressLength } from "./images/picture-address.ts";
export { addPageKey, createPageKey, removePageKey, rotatePageKey } from "./keys/actions.ts";
export {
  grantPageAccess,
  hasPageAccess,
  readVisitor,
  renewPageAccess,
  type Visitor,
} from "./keys/page-access.ts";
export type { PageKey, ShownPageKey } from "./keys/page-key.ts";
export { listPageKeys } from "./keys/store.ts";
export { startSiteLoops } from "./loops.ts";
export { claimNames, findPageIdByName } from "./name-store.ts";
export { createPageHosts } from "./page-hosts.ts";
export { pageUrlPattern, parsePageUrl } from "./page-url.ts";
