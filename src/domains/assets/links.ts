import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { StoredAsset } from "./store.ts";

/** How long a link to a file is valid, at least. */
const linkMs = 3_600_000;
/** Links of the same file are equal for this long, so that browsers can cache it. */
const stepMs = 600_000;

/** What a request presents to read a file without a key. */
export interface PresentedLink {
  readonly id: string;
  readonly expires: number;
  readonly signature: string;
}

/**
 * Signs links to files, which browsers and clients open without a key. A link is valid for one file
 * and for about an hour. All servers of an installation share the key.
 */
export class AssetLinks {
  readonly #key: KeyObject;
  readonly #clock: Clock;

  constructor(encryption: Encryption, clock: Clock) {
    this.#key = encryption.deriveKey("asset links");
    this.#clock = clock;
  }

  /** Returns the path and query of a file. */
  write({ id, name }: Pick<StoredAsset, "id" | "name">): string {
    const expires = (Math.ceil((this.#clock.nowMs() + linkMs) / stepMs) * stepMs) / 1_000;
    const signature = this.#sign(id, expires).toString("base64url");
    return `/v1/assets/${id}/${name}?expires=${expires}&signature=${signature}`;
  }

  isValid({ id, expires, signature }: PresentedLink): boolean {
    if (expires * 1_000 < this.#clock.nowMs()) return false;
    const given = Buffer.from(signature, "base64url");
    const right = this.#sign(id, expires);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #sign(id: string, expires: number): Buffer {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([id, expires]))
      .digest();
  }
}
