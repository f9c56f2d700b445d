/**
 * Client certificates that checks present to servers. A *client certificate* is for one host or for
 * the hosts of one domain; probes receive it in the orders of checks that connect there. Its
 * private key is encrypted in the database and never shown.
 * Tables: client_certificates.
 */
export {
  type AccountCertificates,
  type CertificatesContext,
  createAccountCertificates,
} from "./actions.ts";
export { type ClientCertificateRecord, chooseCertificate } from "./client-certificate.ts";
export { addCertificateRoutes } from "./routes.ts";
export { listSealedInCertificates } from "./store.ts";
