import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { toShortLine } from "../../platform/text/clip.ts";
import { isForHost, readCertificate } from "./certificate.ts";
import { readStaple } from "./ocsp-staple.ts";
import { maxChainKept, maxTermLength, type TlsFacts } from "./tls-facts.ts";

export interface AskedOfTls {
  /** The name that the certificate must be for; an address where no name was asked for. */
  readonly host: string;
  readonly nowMs: number;
  /** What came with the event `OCSPResponse`, where the socket requested it. */
  readonly stapleBytes: Uint8Array | null;
}

/** A server may send more, and each is looked at; OpenSSL itself stops at 100 kB. */
const maxChainRead = 200;

/**
 * Reads a connection whose handshake is done. For a verdict of the chain alone, it was made with
 * `rejectUnauthorized: false` and `checkServerIdentity: () => undefined`.
 *
 * Null: the server showed no certificate.
 */
export function readTls(socket: TLSSocket, asked: AskedOfTls): TlsFacts | null {
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
  const { stapleBytes, nowMs, host } = asked;
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

/** Node's type says Error; what it gives is the name of the error. */
function readTrustError({ authorizationError }: TLSSocket): string {
  const error: unknown = authorizationError;
  if (typeof error === "string") return error;
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode ? String(error.code) : "UNKNOWN";
}

function toTerm(text: string): string {
  return toShortLine(text, maxTermLength);
}
