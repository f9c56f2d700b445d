import { createHmac } from "node:crypto";

export interface Proof {
  /** Identical in every attempt to deliver the same message. */
  readonly idempotencyKey: string;
  readonly body: string;
  /** If missing, the message is not signed. */
  readonly secret: string | null | undefined;
  readonly now: Date;
}

/**
 * Returns headers that let a recipient detect forged and repeated messages. They must be set last
 * so that user headers cannot replace them.
 */
export function writeProof({ idempotencyKey, body, secret, now }: Proof): Record<string, string> {
  const timestamp = `${Math.floor(now.getTime() / 1_000)}`;
  const plain = { "idempotency-key": idempotencyKey, "x-vedette-timestamp": timestamp };
  if (!secret) return plain;
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  return {
    ...plain,
    "x-vedette-signature": sign(`${timestamp}.${body}`),
    // For receivers written for Checkly; it does not protect against replays.
    "x-checkly-signature": sign(body),
  };
}
