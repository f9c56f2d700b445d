import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Order, SignedOrder } from "../../contract/order.ts";
import { contractVersion } from "../../contract/protocol.ts";
import type { SignedResult } from "../../contract/result.ts";
import type { Encryption } from "../../platform/encryption.ts";

/** Version of the tag format. Independent of the contract version. */
const tagVersion = 1;

type Tagged = Pick<
  SignedResult,
  "runId" | "checkId" | "route" | "location" | "attempt" | "dueAtMs" | "deadlineAtMs"
>;

/**
 * Signs orders that leave this process, so that a probe can only return results of runs it was
 * given. Run ids prove nothing, because they are derived from values that others may know. All
 * servers of an installation share the key.
 */
export class OrderTags {
  readonly #key: KeyObject;

  constructor(encryption: Encryption) {
    this.#key = encryption.deriveKey("order tags");
  }

  /** Removes the account id, which must not leave this process. */
  sign({ accountId: _account, ...order }: Order, route: string): SignedOrder {
    const tag = this.#write({ ...order, route }).toString("base64url");
    return { ...order, route, version: contractVersion, tag };
  }

  isRight(result: SignedResult): boolean {
    const given = Buffer.from(result.tag, "base64url");
    const right = this.#write(result);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #write({ runId, checkId, route, location, attempt, dueAtMs, deadlineAtMs }: Tagged): Buffer {
    const run = [tagVersion, runId, checkId, route, location, attempt, dueAtMs, deadlineAtMs];
    return createHmac("sha256", this.#key).update(JSON.stringify(run)).digest();
  }
}
