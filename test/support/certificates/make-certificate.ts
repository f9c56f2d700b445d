import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { isIP } from "node:net";
import { bits, der, integer, isTrue, octets, oid, sequence, time, utf8 } from "./der-writer.ts";

/** Generated certificate with its private key. */
export interface MadeCertificate {
  readonly certificate: Buffer;
  /** Certificate in PEM format, for servers and clients. */
  readonly cert: string;
  readonly key: string;
  readonly privateKey: KeyObject;
  readonly subject: Buffer;
  readonly serial: Buffer;
}

export interface CertificateInput {
  /** Common name of the subject. */
  readonly name?: string;
  readonly organisation?: string;
  /** Domain names and IP addresses for the subject alternative name. */
  readonly names?: readonly string[];
  /** Certificate of the issuer. If missing, the certificate is self-signed. */
  readonly issuer?: MadeCertificate;
  readonly validFromMs?: number;
  readonly validToMs?: number;
  readonly isAuthority?: boolean;
  readonly serial?: Buffer;
  /** Private key; a new EC key on P-256 by default. */
  readonly privateKey?: KeyObject;
  readonly hash?: "sha256" | "sha1";
  /** Encoded extensions, added to those that the other fields produce. */
  readonly extensions?: readonly Buffer[];
  /** Encoded subject name that replaces the generated one. */
  readonly subject?: Buffer;
}

const dayMs = 86_400_000;

const algorithms = {
  ec: { sha256: sequence(oid("2a8648ce3d040302")), sha1: sequence(oid("2a8648ce3d0401")) },
  rsa: {
    sha256: sequence(oid("2a864886f70d01010b"), der(0x05)),
    sha1: sequence(oid("2a864886f70d010105"), der(0x05)),
  },
} as const;

export function makeKey(kind: "ec" | "ec-384" | "rsa-1024" | "rsa-2048" = "ec"): KeyObject {
  const made = kind.startsWith("ec")
    ? generateKeyPairSync("ec", { namedCurve: kind === "ec" ? "prime256v1" : "secp384r1" })
    : generateKeyPairSync("rsa", { modulusLength: Number(kind.slice(4)) });
  return made.privateKey;
}

/** Encodes a distinguished name, with each attribute in a separate relative name. */
export function encodeName(...attributes: readonly (readonly [oidHex: string, value: Buffer])[]) {
  return sequence(...attributes.map(([id, value]) => der(0x31, sequence(oid(id), value))));
}

const attributeIds = { organisation: "55040a", name: "550403" } as const;

export function extension(oidHex: string, value: Uint8Array, isCritical = false): Buffer {
  return sequence(oid(oidHex), ...(isCritical ? [isTrue] : []), octets(value));
}

/** Extension that requires the server to staple an OCSP response. */
export const mustStaple = extension("2b06010505070118", sequence(integer(Buffer.from([5]))));

export function encodeAltName(name: string): Buffer {
  if (isIP(name) === 4) return der(0x87, Buffer.from(name.split(".").map(Number)));
  if (isIP(name) === 6) return der(0x87, Buffer.from(expandIpv6(name), "hex"));
  return der(0x82, Buffer.from(name, "latin1"));
}

function expandIpv6(address: string): string {
  const [head = "", tail = ""] = address.split("::");
  const left = head.split(":").filter(Boolean);
  const right = tail.split(":").filter(Boolean);
  const middle = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...middle, ...right].map((group) => group.padStart(4, "0")).join("");
}

function listExtensions({ names = [], isAuthority, extensions = [] }: CertificateInput): Buffer[] {
  return [
    ...(isAuthority ? [extension("551d13", sequence(isTrue), true)] : []),
    ...(names.length > 0 ? [extension("551d11", sequence(...names.map(encodeAltName)))] : []),
    ...extensions,
  ];
}

export function signWith(key: KeyObject, bytes: Buffer, hash: "sha256" | "sha1" = "sha256") {
  const algorithm = algorithms[key.asymmetricKeyType === "ec" ? "ec" : "rsa"][hash];
  return { algorithm, signature: bits(sign(hash, bytes, key)) };
}

export function makeCertificate(input: CertificateInput = {}): MadeCertificate {
  const { name = "test.example", organisation, issuer, hash = "sha256" } = input;
  const privateKey = input.privateKey ?? makeKey();
  const serial = input.serial ?? randomBytes(16);
  const attributes: [string, Buffer][] = [[attributeIds.name, utf8(name)]];
  if (organisation !== undefined) {
    attributes.unshift([attributeIds.organisation, utf8(organisation)]);
  }
  const subject = input.subject ?? encodeName(...attributes);
  const signer = issuer?.privateKey ?? privateKey;
  const extensions = listExtensions(input);
  const { algorithm } = signWith(signer, Buffer.alloc(0), hash);
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    issuer?.subject ?? subject,
    sequence(
      time(input.validFromMs ?? Date.now() - dayMs),
      time(input.validToMs ?? Date.now() + 90 * dayMs),
    ),
    subject,
    publicPart(privateKey),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  const certificate = sequence(body, algorithm, signWith(signer, body, hash).signature);
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { certificate, cert: toPem(certificate), key, privateKey, subject, serial };
}

function publicPart(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

function toPem(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
