/**
 * What public pages (status pages and dashboards) share: their *names* (a label on our host, a
 * custom domain) and the *hosts* derived from them, the *keys* of private pages and their cookies,
 * *images*, which are fetched once and served from here, and the filter of *custom CSS*. A page is
 * identified by its kind and id (*page reference*). A domain is served after a DNS record has
 * proved its ownership. Tables: page_names, page_domains, page_keys, page_images.
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
