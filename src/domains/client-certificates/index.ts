/**
 * Client certificates that checks present to servers. A *client certificate* is for one host or for
 * the hosts of one domain; probes receive it in the orders of checks that connect there. Its
 * private key is encrypted in the database and never shown.
 * Tables: client_certificates.
 */

export { chooseCertificate, decideCertificate } from "./certificate-input.ts";
export {
  type AccountCertificates,
  addCertificateRoutes,
  CertificateBody,
  type CertificatesContext,
  createAccountCertificates,
  createCertificate,
  listOwnCertificates,
  removeCertificate,
} from "./client-certificates.ts";
export { listSealedInCertificates } from "./store.ts";
