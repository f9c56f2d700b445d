import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignedResult } from "./result.ts";

/** How a probe signs in to NATS. */
export interface NatsLogin {
  readonly user: string;
  readonly password: string;
}

/** A server knows the hash of a probe's key and nothing else of it; so both ends begin there. */
function derive(keyHash: Uint8Array, purpose: string): Buffer {
  return createHmac("sha256", keyHash).update(`vedette nats ${purpose}`).digest();
}

/** From neither of the two follows the hash, so whoever reads them in NATS cannot sign results. */
export function deriveNatsLogin(keyHash: Uint8Array): NatsLogin {
  return {
    user: `probe-${derive(keyHash, "user").toString("hex").slice(0, 24)}`,
    password: derive(keyHash, "password").toString("hex"),
  };
}

export function deriveProofKey(keyHash: Uint8Array): Buffer {
  return derive(keyHash, "proof");
}

/** The tag stands for the order; the rest is what was found. */
function writeProof(proofKey: Uint8Array, result: SignedResult): Buffer {
  const { tag, probeId, startedAtMs, stoppedAtMs, outcome } = result;
  const said = JSON.stringify([tag, probeId, startedAtMs, stoppedAtMs, outcome]);
  return createHmac("sha256", proofKey).update(said).digest();
}

export function proveResult(proofKey: Uint8Array, result: SignedResult): string {
  return writeProof(proofKey, result).toString("base64url");
}

export function isProofRight(proofKey: Uint8Array, result: SignedResult): boolean {
  const given = Buffer.from(result.proof ?? "", "base64url");
  const right = writeProof(proofKey, result);
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Answers to a probe come below this alone. */
export const inboxPrefixOf = (user: string) => `_INBOX.${user}`;

/** Where every probe with the key hears what no hello of its own asked for. */
export const callSubjectOf = (user: string) => `${inboxPrefixOf(user)}.call`;
