import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { toShortLine } from "../../platform/text/clip.ts";
import { isForHost, readCertificate } from "./certificate.ts";
import { readStaple } from "./ocsp-staple.ts";
import { maxChainKept, maxTermLength, type TlsFacts } from "./tls-facts.ts";

export interface TlsReadOptions {
  /** The name that the certificate must match; an address if there is no server name. */
  readonly host: string;
  readonly nowMs: number;
  /** Data of the `OCSPResponse` event, if the socket requested it. */
  readonly stapleBytes: Uint8Array | null;
}

/** Bounds the work for very long chains; OpenSSL itself stops at 100 kB. */
const maxChainRead = 200;

/**
 * Reads the facts of a completed handshake. The socket must have been created with
 * `rejectUnauthorized: false` and `checkServerIdentity: () => undefined`.
 *
 * Returns `null` if the server presented no certificate.
 */
export function readTls(socket: TLSSocket, options: TlsReadOptions): TlsFacts | null {
  const sent = listChain(socket.getPeerX509Certificate());
  const [leaf] = sent;
  if (leaf === undefined) return null;
  const chain = sent.slice(0, maxChainKept).map((certificate, place) => {
    const facts = readCertificate(certificate);
    return place === 0 ? facts : { ...facts, names: [] };
  });
  const [own] = chain;
  if (own === undefined) return null;
  const { fingerprint, issuerName, validFromMs, validToMs } = own;
  const { standardName, name } = socket.getCipher() ?? { standardName: "", name: "" };
  const { stapleBytes, nowMs, host } = options;
  const issuer = stapleBytes && sent.find((other) => leaf.checkIssued(other));
  return {
    protocol: toTerm(socket.getProtocol() ?? "unknown"),
    cipher: toTerm(standardName || name),
    alpn: typeof socket.alpnProtocol === "string" ? toTerm(socket.alpnProtocol) : null,
    certificate: { fingerprint, issuerName, validFromMs, validToMs },
    fitsName: isForHost(leaf, host),
    trustError: socket.authorized ? null : toTerm(readTrustError(socket)),
    staple:
      stapleBytes &&
      readStaple(stapleBytes, { certificate: leaf, issuer: issuer ?? undefined, nowMs }),
    chainLength: sent.length,
    chainValidToMs: Math.min(...chain.map((certificate) => certificate.validToMs)),
    chain,
  };
}

function listChain(leaf: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = leaf;
  while (next !== undefined && chain.length < maxChainRead) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

/** Node declares the type as Error, but returns the name of the error. */
function readTrustError({ authorizationError }: TLSSocket): string {
  const error: unknown = authorizationError;
  if (typeof error === "string") return error;
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode ? String(error.code) : "UNKNOWN";
}

function toTerm(text: string): string {
  return toShortLine(text, maxTermLength);
}
