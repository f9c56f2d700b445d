import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Fault } from "../../kinds/kit/definition.ts";
import { readCode } from "../../platform/errors.ts";
import { doesHostMatch, parseHostname } from "../../platform/net/host.ts";

/**
 * A stored client certificate. The private key is encrypted; the passphrase of the uploaded key is
 * not stored.
 */
export interface ClientCertificateRecord {
  readonly id: string;
  /** A host name, or `*.` followed by a domain. */
  readonly host: string;
  /** The certificate in PEM, optionally followed by its intermediate certificates. */
  readonly certificate: string;
  /** PEM certificates of the authorities that may sign the server's certificate. */
  readonly ca: string | null;
  readonly sealedKey: string;
  readonly createdAt: Date;
}

/**
 * Returns the certificate for a host. A certificate for the exact host takes precedence over a
 * wildcard certificate. Among equals, the newest applies.
 */
export function chooseCertificate(
  certificates: readonly ClientCertificateRecord[],
  host: string,
): ClientCertificateRecord | null {
  const fitting = certificates.filter((one) => doesHostMatch(one.host, host));
  const isWide = (one: ClientCertificateRecord) => Number(one.host.startsWith("*."));
  const [best] = fitting.sort(
    (one, other) =>
      isWide(one) - isWide(other) || other.createdAt.getTime() - one.createdAt.getTime(),
  );
  return best ?? null;
}

const sequenceTag = 0x30;
const integerTag = 0x02;
const maxDepth = 8;

/** Fields of a request that creates a certificate. */
export interface CertificateInput {
  readonly host: string;
  readonly cert: string;
  readonly ca?: string | null | undefined;
  /** Private key in PEM; absent if `cert` contains the key. */
  readonly key?: string | undefined;
  readonly passphrase?: string | null | undefined;
}

/** Validated input; the private key is decrypted. */
interface SoundCertificate {
  readonly host: string;
  readonly certificate: string;
  readonly ca: string | null;
  readonly key: string;
}

type CertificateDecision =
  | { readonly kind: "sound"; readonly certificate: SoundCertificate }
  | { readonly kind: "fault"; readonly fault: Fault };

const maxCertificates = 20;
/**
 * Maximum number of hash iterations of an encrypted key. Decrypting a key with more iterations
 * would block the server.
 */
const maxIterations = 1_000_000;
const keyTypes = ["rsa", "rsa-pss", "ec", "ed25519", "ed448"];

interface PemBlock {
  readonly label: string;
  readonly text: string;
}

const beginning = /-----BEGIN ([A-Z0-9 ]{1,40})-----/g;

function listBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let from = 0;
  for (const { index, 1: label = "" } of text.matchAll(beginning)) {
    if (index < from) continue;
    const end = `-----END ${label}-----`;
    const at = text.indexOf(end, index);
    if (at < 0) break;
    from = at + end.length;
    blocks.push({ label, text: text.slice(index, from) });
  }
  return blocks;
}

function reject(key: keyof CertificateInput, rule: string): CertificateDecision {
  return { kind: "fault", fault: { key, rule } };
}

/** Validates the input. Also rejects a certificate that a probe could not use for TLS. */
export function decideCertificate(input: CertificateInput): CertificateDecision {
  const hostFault = findHostFault(input.host);
  if (hostFault !== null) return reject("host", hostFault);
  const blocks = listBlocks(input.cert);
  const chain = parseCertificates(blocks);
  if (typeof chain === "string") return reject("cert", chain);
  const [leaf] = chain;
  if (leaf === undefined) return reject("cert", "must contain a certificate in PEM");
  const authorities = parseCertificates(listBlocks(input.ca ?? ""));
  if (typeof authorities === "string") return reject("ca", authorities);
  const hasCa = (input.ca ?? "").trim() !== "";
  if (hasCa && authorities.length === 0) return reject("ca", "must contain certificates in PEM");
  const opened = openKey(input, blocks);
  if (opened.kind === "fault") return reject(opened.key, opened.rule);
  if (!leaf.checkPrivateKey(opened.key)) return reject("key", "does not belong to the certificate");
  const certificate = chain.map(String).join("");
  const ca = hasCa ? authorities.map(String).join("") : null;
  const key = opened.key.export({ type: "pkcs8", format: "pem" }).toString();
  const unusable = findUse({ certificate, key, ca });
  if (unusable !== null) return reject("cert", unusable);
  const host = input.host.toLowerCase();
  return { kind: "sound", certificate: { host, certificate, ca, key } };
}

function findHostFault(host: string): string | null {
  const isWide = host.startsWith("*.");
  const parsed = parseHostname(isWide ? host.slice(2) : host);
  if (parsed.kind === "invalid") return `is not a valid host: ${parsed.reason}`;
  return isWide && parsed.kind === "address"
    ? "is not a valid host: a wildcard requires a domain."
    : null;
}

/** Parses certificates; returns an error message if one is invalid or if there are too many. */
function parseCertificates(blocks: readonly PemBlock[]): X509Certificate[] | string {
  const certificates = blocks.filter(({ label }) => label.endsWith("CERTIFICATE"));
  if (certificates.length > maxCertificates)
    return `must contain at most ${maxCertificates} certificates`;
  try {
    return certificates.map(({ text }) => new X509Certificate(text));
  } catch {
    return "contains an invalid certificate";
  }
}

type OpenedKey =
  | { readonly kind: "opened"; readonly key: KeyObject }
  | { readonly kind: "fault"; readonly key: "key" | "passphrase"; readonly rule: string };

function openKey({ key, passphrase }: CertificateInput, blocks: readonly PemBlock[]): OpenedKey {
  const rejectKey = (field: "key" | "passphrase", rule: string): OpenedKey => {
    return { kind: "fault", key: field, rule };
  };
  const given = key === undefined || key.trim() === "" ? blocks : listBlocks(key);
  const [pem, second] = given.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  if (pem === undefined) return rejectKey("key", "must contain a private key in PEM");
  if (second !== undefined) return rejectKey("key", "must contain exactly one private key");
  const isEncrypted = /ENCRYPTED/.test(pem.text);
  const secret = passphrase ?? "";
  if (isEncrypted && secret === "") {
    return rejectKey("passphrase", "is required because the key is encrypted");
  }
  if (isEncrypted && findLargestInteger(pem.text) > maxIterations) {
    return rejectKey("key", `must be encrypted with at most ${maxIterations} iterations`);
  }
  try {
    const opened = createPrivateKey({ key: pem.text, format: "pem", passphrase: secret });
    if (keyTypes.includes(opened.asymmetricKeyType ?? "")) return { kind: "opened", key: opened };
    return rejectKey("key", "must be an RSA, EC or Edwards key; other keys do not work with TLS");
  } catch {
    if (isEncrypted) return rejectKey("passphrase", "does not decrypt the key");
    return rejectKey("key", "contains an invalid private key");
  }
}

/**
 * Returns an error if OpenSSL rejects the certificate, key and authorities for TLS. A key that is
 * too short, for example, is parsed without an error, but OpenSSL does not accept it for TLS.
 */
function findUse(parts: Omit<SoundCertificate, "host">): string | null {
  try {
    const { certificate: cert, key, ca } = parts;
    createSecureContext({ cert, key, ...(ca !== null && { ca }) });
    return null;
  } catch (error) {
    return `cannot be used for TLS (${readCode(error)})`;
  }
}

/**
 * Returns the largest integer in the encryption parameters of a PEM key, which is an upper bound of
 * the number of hash iterations. Returns 0 if there are no such parameters, as in the older key
 * format.
 */
export function findLargestInteger(pem: string): number {
  const base64 = pem.replaceAll(/-----[^-]*-----/g, "");
  if (base64.includes(":")) return 0;
  const bytes = Buffer.from(base64, "base64");
  const [whole] = listElements(bytes);
  if (whole?.tag !== sequenceTag) return 0;
  // The ASN.1 structure EncryptedPrivateKeyInfo contains the algorithm and then the encrypted data.
  const [algorithm] = listElements(whole.content);
  return algorithm?.tag === sequenceTag ? findIn(algorithm.content, 0) : 0;
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

function findIn(bytes: Buffer, depth: number): number {
  if (depth > maxDepth) return Number.POSITIVE_INFINITY;
  const numbers = listElements(bytes).map(({ tag, content }) => {
    if (tag === sequenceTag) return findIn(content, depth + 1);
    return tag === integerTag ? readInteger(content) : 0;
  });
  return Math.max(0, ...numbers);
}

function readInteger(bytes: Buffer): number {
  const digits = bytes.toString("hex");
  return digits === "" ? 0 : Number(`0x${digits}`);
}

/** Lists ASN.1 elements up to the first invalid element. OpenSSL rejects invalid data later. */
function listElements(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    if (lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) break;
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const from = at + 2 + lengthBytes;
    elements.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}
