import { argon2, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const deriveArgon2 = promisify(argon2);

/** Cost of a password hash: OWASP's second profile for Argon2id (19 MiB, two passes, one lane). */
const defaultCost = { memory: 19 * 1024, passes: 2 };
const shape = { parallelism: 1, tagLength: 32 };
let cost = defaultCost;
const phcPattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function createSecret(byteLength = 32): string {
  return randomBytes(byteLength).toString("base64url");
}

/**
 * Hashes a random secret, such as an API key. Passwords need `hashPassword`, because they can be
 * guessed.
 */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

/** Sets the cost of new password hashes. Tests lower it, because they create hundreds of users. */
export function setPasswordCost(next = defaultCost): void {
  cost = next;
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await deriveArgon2("argon2id", { message: password, nonce, ...shape, ...cost });
  const parameters = `m=${cost.memory},t=${cost.passes},p=${shape.parallelism}`;
  return `$argon2id$v=19$${parameters}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/**
 * Verifies a password with the parameters in its hash, so that it stays valid if the cost changes.
 */
export async function verifyPassword(password: string, storedHash: string): Promise<boolean> {
  const parts = phcPattern.exec(storedHash);
  if (parts === null) return false;
  const [, memory, passes, parallelism, nonce = "", tag = ""] = parts;
  const expected = Buffer.from(tag, "base64");
  const actual = await deriveArgon2("argon2id", {
    message: password,
    nonce: Buffer.from(nonce, "base64"),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}
