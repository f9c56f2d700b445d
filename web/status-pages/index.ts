/** Status pages: list, editor with services and preview, access, domain and subscribers. */
export { pagesQuery } from "./queries.ts";
