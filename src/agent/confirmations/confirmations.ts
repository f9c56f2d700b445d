import { hash } from "node:crypto";
import type { Encryption } from "../../platform/encryption.ts";

/** A call of a write tool that a person must confirm before it is executed. */
export interface Confirmation {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly summary: string;
  readonly via: ConfirmationWay;
  readonly askedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export type ConfirmationWay = "stream" | "mcp";

export const confirmWithinMs = 600_000;
/**
 * Maximum number of pending confirmations per account, because a model could keep proposing
 * actions.
 */
export const maxPending = 50;

/** Content of a token. The token proves that this tool call was shown to this credential. */
export interface ConfirmationClaims {
  readonly id: string;
  readonly accountId: string;
  readonly credentialId: string;
  readonly tool: string;
  readonly inputHash: string;
  readonly expiresAtMs: number;
}

const purpose = "agent-confirmation";
const prefix = "vdc_";
export const tokenPattern = "^vdc_[A-Za-z0-9_-]{40,2000}$";

/** Hashes an input, independent of the order of its fields. */
export function hashInput(input: unknown): string {
  return hash("sha256", JSON.stringify(sortKeys(input)), "base64url");
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

/** Encrypts a token with the server's key, so that nobody else can create or change tokens. */
export function sealConfirmation(encryption: Encryption, claims: ConfirmationClaims): string {
  const { id, accountId, credentialId, tool, inputHash, expiresAtMs } = claims;
  const fields = [purpose, id, accountId, credentialId, tool, inputHash, expiresAtMs];
  const sealed = encryption.encrypt(JSON.stringify(fields));
  return prefix + Buffer.from(sealed, "base64").toString("base64url");
}

export function openConfirmation(encryption: Encryption, token: string): ConfirmationClaims | null {
  if (!token.startsWith(prefix)) return null;
  try {
    const sealed = Buffer.from(token.slice(prefix.length), "base64url").toString("base64");
    const fields = JSON.parse(encryption.decrypt(sealed));
    const [sealedFor, id, accountId, credentialId, tool, inputHash, expiresAtMs] = fields;
    // The purpose is checked, because values for other purposes are encrypted with the same key.
    if (sealedFor !== purpose) return null;
    return { id, accountId, credentialId, tool, inputHash, expiresAtMs };
  } catch {
    return null;
  }
}
