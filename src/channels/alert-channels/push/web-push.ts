/**
 * Encrypts push messages for browsers (RFC 8291) and identifies this server to push services (RFC
 * 8292).
 */
import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  hkdfSync,
  randomBytes,
  sign,
} from "node:crypto";

/** Keys that identify this server to push services. The public key is uncompressed. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The push subscription of one browser. */
export interface PushTarget {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

const curve = "prime256v1";
const recordBytes = 4_096;
/** Maximum number of bytes in a payload: the record size minus header, delimiter and tag. */
export const maxPayloadBytes = recordBytes - 86 - 17;
const tokenSeconds = 12 * 3_600;

const decode = (text: string) => Buffer.from(text, "base64url");

export function createVapidKeys(): VapidKeys {
  const ecdh = createECDH(curve);
  ecdh.generateKeys();
  return {
    publicKey: ecdh.getPublicKey().toString("base64url"),
    // Add leading zeros: other implementations require private keys of exactly 32 bytes.
    privateKey: Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()])
      .subarray(-32)
      .toString("base64url"),
  };
}

/** Whether the keys of a subscription are valid: a point on the curve and a secret of 16 bytes. */
export function isSoundTarget({ p256dh, auth }: Pick<PushTarget, "p256dh" | "auth">): boolean {
  try {
    const ecdh = createECDH(curve);
    ecdh.generateKeys();
    ecdh.computeSecret(decode(p256dh));
    return decode(p256dh).length === 65 && decode(auth).length === 16;
  } catch {
    return false;
  }
}

const derive = (key: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length));

/**
 * Encrypts a push message. `chance` contains the random values of the encryption. Only a test sets
 * these values, to reproduce the example of the RFC.
 */
export function encryptPush(
  text: string,
  target: Pick<PushTarget, "p256dh" | "auth">,
  chance: { readonly salt: Buffer; readonly privateKey: Buffer | null } = {
    salt: randomBytes(16),
    privateKey: null,
  },
): Buffer {
  const ecdh = createECDH(curve);
  if (chance.privateKey === null) ecdh.generateKeys();
  else ecdh.setPrivateKey(chance.privateKey);
  const own = ecdh.getPublicKey();
  const theirs = decode(target.p256dh);
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, own]);
  const key = derive(ecdh.computeSecret(theirs), decode(target.auth), about, 32);
  const { salt } = chance;
  const contentKey = derive(key, salt, "Content-Encoding: aes128gcm\0", 16);
  const nonce = derive(key, salt, "Content-Encoding: nonce\0", 12);
  const cipher = createCipheriv("aes-128-gcm", contentKey, nonce);
  // A byte with the value 2 after the text marks the last record of the message.
  const plain = Buffer.concat([Buffer.from(text), Buffer.from([2])]);
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const size = Buffer.alloc(5);
  size.writeUInt32BE(recordBytes);
  size.writeUInt8(own.length, 4);
  return Buffer.concat([salt, size, own, body]);
}

const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Writes the header that proves to a push service that this server owns the VAPID keys. */
export function writeVapidHeader(
  { publicKey, privateKey }: VapidKeys,
  about: { readonly endpoint: string; readonly contact: string; readonly now: Date },
): string {
  const point = decode(publicKey);
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
      d: privateKey,
    },
  });
  const claims = {
    aud: new URL(about.endpoint).origin,
    exp: Math.floor(about.now.getTime() / 1_000) + tokenSeconds,
    sub: about.contact,
  };
  const signed = `${encodeJson({ typ: "JWT", alg: "ES256" })}.${encodeJson(claims)}`;
  const proof = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${proof.toString("base64url")}, k=${publicKey}`;
}
