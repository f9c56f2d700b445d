/**
 * The receiving side of web push: the keys of a browser, and the decryption of messages (RFC 8188
 * and RFC 8291).
 */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

export interface PushReceiver {
  readonly p256dh: string;
  readonly auth: string;
  /** Decrypts a message body. Throws if the body was not encrypted for these keys. */
  readonly decrypt: (body: Buffer) => string;
}

export function createPushReceiver(): PushReceiver {
  const own = createECDH("prime256v1");
  own.generateKeys();
  const auth = randomBytes(16);
  const derive = (key: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync("sha256", key, salt, info, length));
  const decrypt = (body: Buffer) => {
    const salt = body.subarray(0, 16);
    const keyLength = body.readUInt8(20);
    const theirs = body.subarray(21, 21 + keyLength);
    const sealed = body.subarray(21 + keyLength);
    const about = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), theirs]);
    const key = derive(own.computeSecret(theirs), auth, about, 32);
    const contentKey = derive(key, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = derive(key, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const decipher = createDecipheriv("aes-128-gcm", contentKey, nonce);
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const end = plain.lastIndexOf(2);
    return plain.subarray(0, end).toString("utf8");
  };
  return {
    p256dh: own.getPublicKey().toString("base64url"),
    auth: auth.toString("base64url"),
    decrypt,
  };
}
