import { createHmac } from "node:crypto";

/** Credentials of a probe for NATS. */
export interface NatsLogin {
  readonly user: string;
  readonly password: string;
}

/**
 * Derives a secret from the hash of a key. Servers can do this too, because they store the hash.
 */
function derive(keyHash: Uint8Array, purpose: string): Buffer {
  return createHmac("sha256", keyHash).update(`vedette nats ${purpose}`).digest();
}

/**
 * Derives the login of a probe. The hash of the key cannot be derived from the login, so the login
 * does not allow anyone to sign results.
 */
export function deriveNatsLogin(keyHash: Uint8Array): NatsLogin {
  return {
    user: `probe-${derive(keyHash, "user").toString("hex").slice(0, 24)}`,
    password: derive(keyHash, "password").toString("hex"),
  };
}

/** Derives the key with which a probe proves its results; see `proveResult`. */
export function deriveProofKey(keyHash: Uint8Array): Buffer {
  return derive(keyHash, "proof");
}

/** Prefix of all subjects on which a probe receives responses. */
export const inboxPrefixOf = (user: string) => `_INBOX.${user}`;

/** Subject on which all probes with this key receive messages that are not responses. */
export const callSubjectOf = (user: string) => `${inboxPrefixOf(user)}.call`;
