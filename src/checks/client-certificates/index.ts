/**
 * Client certificates that checks present to servers. A *client certificate* is valid for one host
 * or for the hosts of one domain. If a check connects to such a host, the order that a probe
 * receives for the run contains the certificate. The private key is encrypted in the database and
 * never shown. Tables: client_certificates.
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
