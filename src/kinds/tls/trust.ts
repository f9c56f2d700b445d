import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { TlsFacts } from "./tls-facts.ts";
import { writeDay } from "./tls-facts.ts";

let isDone = false;

/**
 * Makes this thread trust Node's certificates, `NODE_EXTRA_CA_CERTS` and the system store. Reading
 * the system store takes a few tenths of a second, once.
 */
export function trustSystemStore(): void {
  if (isDone) return;
  isDone = true;
  setDefaultCACertificates([
    ...new Set([...getCACertificates("default"), ...getCACertificates("system")]),
  ]);
}

export interface TrustFault {
  /** OpenSSL's name of the error, or `HOSTNAME_MISMATCH`. */
  readonly code: string;
  /** A full sentence. */
  readonly message: string;
}

const maxNamesShown = 3;

/** Returns why a browser would reject the connection; `null` if it would accept it. */
export function findTrustFault(facts: TlsFacts, host: string): TrustFault | null {
  const { trustError, fitsName } = facts;
  if (trustError !== null) return { code: trustError, message: describe(trustError, facts) };
  if (fitsName) return null;
  return { code: "HOSTNAME_MISMATCH", message: describeMismatch(facts, host) };
}

function describe(code: string, { certificate, chain, chainValidToMs }: TlsFacts): string {
  switch (code) {
    case "CERT_HAS_EXPIRED": {
      const isOwn = certificate.validToMs <= chainValidToMs;
      const whose = isOwn ? "The certificate" : "A certificate of the chain";
      return `${whose} expired on ${writeDay(chainValidToMs)}.`;
    }
    case "CERT_NOT_YET_VALID":
      return `The certificate is not valid before ${writeDay(certificate.validFromMs)}.`;
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return "The certificate is self-signed.";
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return "The certificate chain ends in an authority that this machine does not trust.";
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return chain.length > 1
        ? "The authority that signed the certificate chain is unknown to this machine."
        : "The server does not send the intermediate certificate of its issuer.";
    default:
      return `The certificate is not trusted (${code}).`;
  }
}

function describeMismatch({ chain }: TlsFacts, host: string): string {
  const names = chain[0]?.names ?? [];
  if (names.length === 0) return `The certificate names no host, so it is not for ${host}.`;
  const shown = names.slice(0, maxNamesShown).join(", ");
  const more = names.length > maxNamesShown ? " and others" : "";
  return `The certificate is for ${shown}${more}, not for ${host}.`;
}
