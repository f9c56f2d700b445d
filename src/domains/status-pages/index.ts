/**
 * What an account shows the world, and whom it tells. A *page* has *cards*, a card shows
 * *services*; *subscribers* of a page are told by *announcements*. What is wrong with a service is
 * said in `incidents`; the page that people look at is put together in `public-pages`.
 * Tables: services, status_pages, status_page_cards, status_page_card_services, page_domains,
 * page_keys, page_images, subscribers, announcements, subscriber_deliveries.
 */
export { findBasePath, formatPageUrl } from "./page-address.ts";
export {
  type Card,
  listServicesOf,
  type Palette,
  type Service,
  type StatusPage,
  type StatusPageSettings,
  type Theme,
} from "./status-page.ts";
