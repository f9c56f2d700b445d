import { createHmac } from "node:crypto";

/** Credentials of a probe for NATS. */
export interface NatsLogin {
  readonly user: string;
  readonly password: string;
}

/** Derives a secret from the hash of a key, because servers store only the hash. */
function derive(keyHash: Uint8Array, purpose: string): Buffer {
  return createHmac("sha256", keyHash).update(`vedette nats ${purpose}`).digest();
}

/** Derives the login. The hash, which signs results, cannot be derived from the login. */
export function deriveNatsLogin(keyHash: Uint8Array): NatsLogin {
  return {
    user: `probe-${derive(keyHash, "user").toString("hex").slice(0, 24)}`,
    password: derive(keyHash, "password").toString("hex"),
  };
}

/** Key with which a probe proves its results; see `proveResult`. */
export function deriveProofKey(keyHash: Uint8Array): Buffer {
  return derive(keyHash, "proof");
}

/** Prefix of all subjects on which a probe receives responses. */
export const inboxPrefixOf = (user: string) => `_INBOX.${user}`;

/** Subject on which every probe with the key receives unsolicited messages. */
export const callSubjectOf = (user: string) => `${inboxPrefixOf(user)}.call`;
