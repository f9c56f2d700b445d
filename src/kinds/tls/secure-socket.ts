import { isIP } from "node:net";
import {
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import type { ClientCertificate } from "../../contract/order.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { readTls } from "./read-tls.ts";
import type { TlsFacts } from "./tls-facts.ts";
import { findTrustFault, type TrustFault, trustSystemStore } from "./trust.ts";

/** Cached, because creating one takes longer than a handshake. */
let plain: SecureContext | null = null;
const withCertificate = new BoundedMap<string, SecureContext>(100);

/** Throws if the certificate or its key cannot be read. */
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
 * Without the ML-KEM hybrid groups, which cost an eighth of the handshake and protect no secrets
 * here.
 */
const groups = "X25519:P-256:P-384:P-521";

export interface SecureEndpoint {
  /** An IP address that has been resolved and checked against the guard. */
  readonly address: string;
  readonly port: number;
  /** The name that the certificate must match; an address if there is no server name. */
  readonly host: string;
  readonly alpn: string[];
  readonly clientCertificate: ClientCertificate | null;
}

/**
 * Starts a TLS connection that accepts every certificate: call `inspectSocket` before sending data.
 * Throws if the client certificate or its key cannot be used. `onStart` runs after the slow
 * preparation, just before the connection starts.
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

/** Returns the facts of a completed handshake, and why a browser would reject the connection. */
export function inspectSocket(
  socket: TLSSocket,
  host: string,
): { readonly tls: TlsFacts | null; readonly fault: TrustFault | null } {
  const tls = readTls(socket, { host, nowMs: Date.now(), stapleBytes: null });
  if (tls !== null) return { tls, fault: findTrustFault(tls, host) };
  const fault = { code: "NO_CERTIFICATE", message: "The server presented no certificate." };
  return { tls, fault };
}
