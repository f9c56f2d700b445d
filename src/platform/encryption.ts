import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from "node:crypto";
import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readCode } from "./errors.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts secrets that must be readable later. The key is never stored in the database. */
export class Encryption {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    if (key.length !== 32) throw new Error("An encryption key has 32 bytes.");
    this.#key = key;
  }

  /**
   * Returns an encryption with a key for one purpose. No other key decrypts the values it encrypts.
   */
  forPurpose(purpose: string): Encryption {
    return new Encryption(this.#derive(purpose));
  }

  /** Derives a signing key for one purpose. */
  deriveKey(purpose: string): KeyObject {
    return createSecretKey(this.#derive(purpose));
  }

  #derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#key, "", purpose, 32));
  }

  encrypt(text: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
  }

  decrypt(sealed: string): string {
    const bytes = Buffer.from(sealed, "base64");
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, this.#key, nonce);
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const body = bytes.subarray(nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  }

  /** Returns `null` if the value was encrypted with another key or is not a ciphertext. */
  tryDecrypt(sealed: string): string | null {
    try {
      return this.decrypt(sealed);
    } catch {
      return null;
    }
  }
}

export function keyFileOf(dataDir: string): string {
  return join(dataDir, "encryption.key");
}

/**
 * Returns the configured key, or the key in the data folder, in base64; `null` if there is neither.
 */
export async function findKeyText(
  dataDir: string,
  configured: string | undefined,
): Promise<string | null> {
  if (configured !== undefined) return configured;
  try {
    return (await readFile(keyFileOf(dataDir), "utf8")).trim();
  } catch (error) {
    if (readCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Returns the encryption with the configured or stored key; `null` if there is no key. */
export async function findEncryption(
  dataDir: string,
  configured: string | undefined,
): Promise<Encryption | null> {
  const text = await findKeyText(dataDir, configured);
  return text === null ? null : new Encryption(Buffer.from(text, "base64"));
}

/** Like `findEncryption`, but creates a key in the data folder if there is none. */
export async function loadEncryption(
  dataDir: string,
  configured: string | undefined,
): Promise<Encryption> {
  if (configured !== undefined) return new Encryption(Buffer.from(configured, "base64"));
  const path = keyFileOf(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  // The file name is random, because processes in two containers may have the same pid.
  const fresh = `${path}.${randomUUID()}`;
  await writeFile(fresh, randomBytes(32).toString("base64"), { mode: 0o600, flush: true });
  // `link` fails if the key file exists already. If several processes start at the same time, only
  // one of them creates the key file, and all of them read the key from this file.
  await link(fresh, path).catch(() => {});
  await rm(fresh, { force: true });
  await chmod(path, 0o600);
  return new Encryption(Buffer.from(await readFile(path, "utf8"), "base64"));
}
