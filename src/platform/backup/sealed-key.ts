import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { ExplainedError } from "../errors.ts";

/** 64 MB and 0.2 s for each guess at a passphrase. */
const cost = { N: 65_536, r: 8, p: 1, maxmem: 134_217_728 };
const algorithm = "aes-256-gcm";
const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt);

export interface SealedKey {
  readonly salt: string;
  readonly sealed: string;
}

export async function sealKey(key: string, passphrase: string): Promise<SealedKey> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv(algorithm, await derive(passphrase, salt, 32, cost), nonce);
  const body = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
  return { salt: salt.toString("base64"), sealed: sealed.toString("base64") };
}

export async function openKey({ salt, sealed }: SealedKey, passphrase: string): Promise<string> {
  const bytes = Buffer.from(sealed, "base64");
  const secret = await derive(passphrase, Buffer.from(salt, "base64"), 32, cost);
  try {
    const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    throw new ExplainedError(
      "BACKUP_PASSPHRASE does not decrypt the encryption key in this backup.\n" +
        "Set it to the passphrase used for the backup, or leave it empty and provide the\n" +
        "encryption key yourself: the file encryption.key in DATA_DIR, or ENCRYPTION_KEY.",
    );
  }
}
