import { isIP } from "node:net";
import {
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  setDefaultCACertificates,
  type TLSSocket,
} from "node:tls";
import type { ClientCertificate } from "../../../contract/order.ts";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { readTls } from "./read-tls.ts";
import { type TlsFacts, writeDay } from "./tls-facts.ts";

let isDone = false;

/**
 * Makes this thread trust Node's certificates, `NODE_EXTRA_CA_CERTS` and the system store. The
 * first call reads the system store, which takes a few tenths of a second.
 */
export function trustSystemStore(): void {
  if (isDone) return;
  isDone = true;
  setDefaultCACertificates([
    ...new Set([...getCACertificates("default"), ...getCACertificates("system")]),
  ]);
}

interface TrustFault {
  /** OpenSSL's name of the trust error, or `HOSTNAME_MISMATCH`. */
  readonly code: string;
  /** Explanation of the error as a full sentence. */
  readonly message: string;
}

const maxNamesShown = 3;

/** Returns why a browser would reject the certificate; `null` if a browser would accept it. */
function findTrustFault(facts: TlsFacts, host: string): TrustFault | null {
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

/** Cache of secure contexts, because creating a context takes longer than a handshake. */
let plain: SecureContext | null = null;
const withCertificate = new BoundedMap<string, SecureContext>(100);

/**
 * Returns the secure context for a client certificate, or for none. Throws if the client
 * certificate or its key cannot be read.
 */
function getSecureContext(shown: ClientCertificate | null): SecureContext {
  trustSystemStore();
  if (shown === null) {
    plain ??= createSecureContext();
    return plain;
  }
  const { certificate, key, ca } = shown;
  const name = [certificate, key, ca ?? ""].join("\n\n");
  return withCertificate.getOrCreate(name, () => {
    const trusted = ca === null ? {} : { ca: [...getCACertificates("default"), ca] };
    return createSecureContext({ cert: certificate, key, ...trusted });
  });
}

/**
 * Key exchange groups. The ML-KEM hybrid groups are left out, because they take an eighth of the
 * handshake's time, and the traffic of checks needs no protection against quantum computers.
 */
const groups = "X25519:P-256:P-384:P-521";

interface SecureEndpoint {
  /** IP address to connect to, already resolved and accepted by the address guard. */
  readonly address: string;
  readonly port: number;
  /** Name that the certificate must match, or an address if there is no server name. */
  readonly host: string;
  readonly alpn: string[];
  readonly clientCertificate: ClientCertificate | null;
}

/**
 * Starts a TLS connection that accepts every certificate. The caller must call `inspectSocket`
 * before it sends data. Throws if the client certificate or its key cannot be used.
 *
 * `onStart` runs after the slow preparation, just before the connection starts.
 */
export function openSecureSocket(endpoint: SecureEndpoint, onStart: () => void): TLSSocket {
  const { address, port, host, alpn, clientCertificate } = endpoint;
  const secureContext = getSecureContext(clientCertificate);
  onStart();
  const options = { host: address, port, autoSelectFamily: false, noDelay: true };
  return connect({
    ...options,
    secureContext,
    servername: isIP(host) === 0 ? host : "",
    ALPNProtocols: alpn,
    ecdhCurve: groups,
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
}

/** Returns the facts of a completed handshake, and why a browser would reject the certificate. */
export function inspectSocket(
  socket: TLSSocket,
  host: string,
): { readonly tls: TlsFacts | null; readonly fault: TrustFault | null } {
  const tls = readTls(socket, host);
  if (tls !== null) return { tls, fault: findTrustFault(tls, host) };
  const fault = { code: "NO_CERTIFICATE", message: "The server presented no certificate." };
  return { tls, fault };
}
