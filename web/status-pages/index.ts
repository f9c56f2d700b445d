/**
 * Status pages: the list of pages, the page editor with services and preview, and the settings for
 * access, domain and subscribers.
 */
export { pagesQuery } from "./queries.ts";
