/**
 * What public pages share, whether status page or dashboard: their *names* (a label of ours, a
 * domain of the owner's) and the *hosts* that follow from them, the *keys* of private pages and the
 * cookies given for them, *pictures*, which are fetched once and served from here, and the filter
 * of *custom CSS*. A page is known by its kind and id only (*page reference*).
 * A domain is served once a record in the DNS has proved it.
 * Tables: page_names, page_domains, page_keys, page_images.
 */
export type { DomainProof, SitesContext } from "./context.ts";
export type { CssWarning, FilteredCss } from "./custom-css/filter.ts";
export { maxCssBytes } from "./custom-css/limits.ts";
export { filterPageCss, readPageCss } from "./custom-css/page-css.ts";
export { CssWarningList } from "./custom-css/schema.ts";
export { parseCustomDomain } from "./custom-domain.ts";
export { checkPageDomain, getPageDomain } from "./domains/actions.ts";
export { createRecordLookUp } from "./domains/dns-records.ts";
export { PageDomainSchema, toWirePageDomain } from "./domains/schema.ts";
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
export { claimNames, findPageIdByName, servedDomainQuery } from "./name-store.ts";
export { createPageHosts } from "./page-hosts.ts";
export { pageUrlPattern, parsePageUrl } from "./page-url.ts";
