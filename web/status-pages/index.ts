/**
 * Status pages: the list, the editor with its services and preview, access, domain and
 * subscribers.
 */
export { pagesQuery } from "./queries.ts";
