/**
 * What checks show to servers that ask who connects. A *client certificate* is for one host, or for
 * the hosts of one domain; the probes of checks that connect there get it in their orders. Its
 * private key is sealed in the database and never shown.
 * Tables: client_certificates.
 */
export { type AccountCertificates, createAccountCertificates } from "./account-certificates.ts";
export { type ClientCertificateRecord, chooseCertificate } from "./client-certificate.ts";
export type { CertificatesContext } from "./context.ts";
export { addCertificateRoutes } from "./routes.ts";
export { listSealedInCertificates } from "./sealed-store.ts";
