/**
 * What an account shows the world, and whom it tells. A *page* has *cards*, a card shows
 * *services*; *subscribers* of a page are told by *announcements*. What is wrong with a service is
 * said in `incidents`; the page that people look at is put together in `public-pages`.
 * Tables: services, service_follows, status_pages, status_page_cards, status_page_card_services,
 * page_domains, page_keys, page_images, subscribers, announcements, subscriber_deliveries.
 */
export { getStatusPage } from "./actions.ts";
export type { StatusPagesContext } from "./context.ts";
export { parseCustomDomain } from "./custom-domain.ts";
export {
  deletePageImages,
  findPageImage,
  type ImageRole,
  imageRoles,
  listPageImages,
  type PageImage,
  type PageImageState,
} from "./images/image-store.ts";
export { formatPictureAddress, type ImageWishes, wishPageImages } from "./images/page-images.ts";
export {
  createPageKey,
  listKeysOfPage,
  removePageKey,
  rotatePageKey,
} from "./keys/actions.ts";
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
export {
  PageKeyList,
  PageKeySchema,
  ShownPageKeySchema,
  toWirePageKey,
  toWireShownPageKey,
} from "./keys/schema.ts";
export { deletePageKeys, insertPageKey } from "./keys/store.ts";
export { startStatusPageLoops } from "./loops.ts";
export { findBasePath, formatPageUrl } from "./page-address.ts";
export {
  claimDomain,
  type DomainOwner,
  findDomainOwner,
  findStatusPageByUrl,
  listPageHosts,
  type PageHost,
  type PageKind,
  type PageReference,
  releaseDomain,
} from "./page-host-store.ts";
export { parsePageUrl } from "./page-url.ts";
export { addStatusPageRoutes } from "./routes.ts";
export { getService, listAllServices } from "./services/actions.ts";
export { mapFollows } from "./services/follow-store.ts";
export type { Follow, Follows } from "./services/follows.ts";
export { ServiceSchema, toWireService } from "./services/schema.ts";
export { findService, listServices, listServicesByIds } from "./services/store.ts";
export {
  type Card,
  listServicesOf,
  type Palette,
  type Service,
  type StatusPage,
  type StatusPageSettings,
  type Theme,
} from "./status-page.ts";
export { findStatusPageById, holdServices, listStatusPagesOf } from "./store.ts";
export type { Announcement } from "./subscribers/announcement.ts";
export { announce, announceBy } from "./subscribers/announcement-store.ts";
export { createSignUpLimits, type SubscribersContext } from "./subscribers/context.ts";
export { startSubscriberLoops } from "./subscribers/loops.ts";
export { addSubscriberRoutes } from "./subscribers/routes.ts";
export { createSubscriberMetrics } from "./subscribers/subscriber-metrics.ts";
