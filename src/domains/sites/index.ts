/**
 * What public pages (status pages and dashboards) share: their *names* (a label on our host, a
 * custom domain) and the *hosts* derived from them, the *keys* of private pages and their cookies,
 * *images*, which are fetched once and served from here, and the filter of *custom CSS*. A page is
 * identified by its kind and id (*page reference*). A domain is served after a DNS record has
 * proved its ownership. Tables: page_names, page_domains, page_keys, page_images.
 * Views: served_domains.
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
