/**
 * Functions that status pages and dashboards share. A page has *names*: a label on this server's
 * host and a custom domain. Its *hosts* are derived from the names. A private page has *keys*,
 * which visitors exchange for cookies. *Images* are uploaded, or fetched a single time, and served
 * from here. *Custom CSS* is filtered. A *page reference* is the kind and id of a page. A domain is
 * served after a DNS record has proved its ownership. Tables: page_names, page_domains, page_keys,
 * page_images. Views: served_domains.
 */
export type { SitesContext } from "./context.ts";
export type { CssWarning, FilteredCss } from "./custom-css/filter.ts";
export { CssWarningList, filterPageCss, readPageCss } from "./custom-css/page-css.ts";
export { maxCssBytes } from "./custom-css/values.ts";
export { createRecordLookUp } from "./domains/domain-claim.ts";
export {
  checkPageDomain,
  getPageDomain,
  PageDomainSchema,
  toWirePageDomain,
} from "./domains/domains.ts";
export {
  findPageImage,
  imageRoles,
  listPageImages,
  mapPictureHashes,
  type PageImageState,
} from "./images/image-store.ts";
export {
  type DraftImages,
  draftPageImages,
  formatPictureAddress,
  savePageImages,
} from "./images/page-images.ts";
export { findUploadHash, maxPictureAddressLength, nameStoredPicture } from "./images/picture.ts";
export type { PageKey, ShownPageKey } from "./keys/key-store.ts";
export { listPageKeys } from "./keys/key-store.ts";
export {
  addPageKey,
  createPageKey,
  grantPageAccess,
  hasPageAccess,
  readVisitor,
  removePageKey,
  renewPageAccess,
  rotatePageKey,
  type Visitor,
} from "./keys/page-keys.ts";
export { startSiteLoops } from "./loops.ts";
export { claimNames, findPageIdByName, forgetPage, listTakenNames } from "./name-store.ts";
export { createPageHosts } from "./page-hosts.ts";
export { pageUrlPattern, parseCustomDomain, parsePageUrl } from "./page-names.ts";
