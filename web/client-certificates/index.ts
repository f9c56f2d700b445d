/** Client certificates that checks present to servers, and the screen that manages them. */
export { certificatesQuery } from "./queries.ts";
export { words as clientCertificateWords } from "./words.ts";
