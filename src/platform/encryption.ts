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

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** For secrets that must be read again: kept in the database only under a key that is not there. */
export class Encryption {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    if (key.length !== 32) throw new Error("An encryption key has 32 bytes.");
    this.#key = key;
  }

  /** A key of its own for one purpose: what is sealed for another does not open with it. */
  forPurpose(purpose: string): Encryption {
    return new Encryption(this.#derive(purpose));
  }

  /** For what is signed and not sealed. */
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

  /** Null for what was sealed under another key, or not by us. */
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

/** The key at hand in base64; null where none was made yet. */
export async function findKeyText(
  dataDir: string,
  configured: string | undefined,
): Promise<string | null> {
  if (configured !== undefined) return configured;
  try {
    return (await readFile(keyFileOf(dataDir), "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The same, ready for use. */
export async function findEncryption(
  dataDir: string,
  configured: string | undefined,
): Promise<Encryption | null> {
  const text = await findKeyText(dataDir, configured);
  return text === null ? null : new Encryption(Buffer.from(text, "base64"));
}

/** Created once and kept beside the data, unless the operator sets a key. */
export async function loadEncryption(
  dataDir: string,
  configured: string | undefined,
): Promise<Encryption> {
  if (configured !== undefined) return new Encryption(Buffer.from(configured, "base64"));
  const path = keyFileOf(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  // A name of its own: processes of two containers may well have the same number.
  const fresh = `${path}.${randomUUID()}`;
  await writeFile(fresh, randomBytes(32).toString("base64"), { mode: 0o600, flush: true });
  // The first to put its key there wins; everybody else reads that one.
  await link(fresh, path).catch(() => {});
  await rm(fresh, { force: true });
  await chmod(path, 0o600);
  return new Encryption(Buffer.from(await readFile(path, "utf8"), "base64"));
}
