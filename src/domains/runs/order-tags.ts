import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Order, SignedOrder } from "../../contract/order.ts";
import type { SignedResult } from "../../contract/result.ts";
import { contractVersion } from "../../contract/version.ts";
import type { Encryption } from "../../platform/encryption.ts";

/** Of how a tag is made. It is not the contract's: both may live on when the other changes. */
const tagVersion = 1;

type Tagged = Pick<
  SignedResult,
  "runId" | "checkId" | "route" | "location" | "attempt" | "dueAtMs" | "deadlineAtMs"
>;

/**
 * Signs orders that leave this process, so that nobody can answer for a run that was not given to
 * them: run ids prove nothing, as they follow from values that others may know. All servers of an
 * installation have the same key.
 */
export class OrderTags {
  readonly #key: KeyObject;

  constructor(encryption: Encryption) {
    this.#key = encryption.deriveKey("order tags");
  }

  /** Of what leaves this process nothing says whose it is. */
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
