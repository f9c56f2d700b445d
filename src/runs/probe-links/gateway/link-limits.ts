import { maxFrameBytes } from "../../../contract/protocol.ts";

const megabyte = 1024 * 1024;

export interface LinkLimits {
  readonly maxLinks: number;
  readonly maxLinksOfKey: number;
  /** Maximum number of bytes in incomplete frames, for all connections of a key together. */
  readonly maxUnfinishedBytesOfKey: number;
  readonly maxUnfinishedBytes: number;
  /** Maximum time from the first to the last byte of a frame. */
  readonly frameMs: number;
  /**
   * Maximum number of bytes in frames whose results are not recorded yet. Above this limit, the
   * server stops reading from the connections of the key.
   */
  readonly maxHeldBytesOfKey: number;
  /**
   * Work units that a key may use per second: one per result and one per `bytesPerUnit` bytes of a
   * frame.
   */
  readonly unitsPerSecond: number;
  readonly maxSavedUnits: number;
  /** Number of forged results within `forgeryWindowMs` that locks a key. */
  readonly maxForgeries: number;
  readonly forgeryWindowMs: number;
  readonly lockMs: number;
}

/**
 * Default limits on the resources that probe keys may use. Up to 32 probes of one key may reconnect
 * simultaneously, and each probe may then send a frame. A frame normally has at most 1 MiB, so the
 * frames together stay below `maxUnfinishedBytesOfKey`.
 */
export const linkLimits: LinkLimits = {
  maxLinks: 2_000,
  maxLinksOfKey: 32,
  maxUnfinishedBytesOfKey: 5 * maxFrameBytes,
  maxUnfinishedBytes: 256 * megabyte,
  frameMs: 30_000,
  maxHeldBytesOfKey: 16 * megabyte,
  unitsPerSecond: 10_000,
  maxSavedUnits: 20_000,
  maxForgeries: 100,
  forgeryWindowMs: 60_000,
  lockMs: 60_000,
};

const bytesPerUnit = 400;
/** Number of forged results that a malformed frame counts as. */
export const malformedFrameForgeries = 20;

interface KeyUse {
  readonly links: Set<LinkMeter>;
  unfinishedBytes: number;
  heldBytes: number;
  savedUnits: number;
  countedAtMs: number;
  forgeries: number;
  forgeriesSinceMs: number;
  lockedUntilMs: number;
  waiting: (() => void)[];
}

/** Tracks the connections of all probe keys to this server, and their use of resources. */
export class LinkAccounts {
  readonly limits: LinkLimits;
  readonly nowMs: () => number;
  readonly #keys = new Map<string, KeyUse>();
  linkCount = 0;
  unfinishedBytes = 0;

  constructor(limits = linkLimits, nowMs: () => number = () => performance.now()) {
    this.limits = limits;
    this.nowMs = nowMs;
  }

  /** Returns the reason why the key must not open another connection, or `null`. */
  findRejection(keyId: string): "many-connections" | "forged-results" | null {
    const use = this.#keys.get(keyId);
    if (use !== undefined && use.lockedUntilMs > this.nowMs()) return "forged-results";
    const isFull =
      this.linkCount >= this.limits.maxLinks || (use?.links.size ?? 0) >= this.limits.maxLinksOfKey;
    return isFull ? "many-connections" : null;
  }

  open(keyId: string): LinkMeter {
    const use = this.#keys.get(keyId) ?? createUse(this.nowMs(), this.limits);
    this.#keys.set(keyId, use);
    const meter = new LinkMeter(this, use);
    use.links.add(meter);
    this.linkCount += 1;
    return meter;
  }

  close(meter: LinkMeter, use: KeyUse): void {
    if (!use.links.delete(meter)) return;
    this.linkCount -= 1;
    if (this.#keys.size > this.limits.maxLinks) this.#deleteIdleKeys();
  }

  /** Deletes keys without connections whose forged results are too old to count for a lock. */
  #deleteIdleKeys(): void {
    const nowMs = this.nowMs();
    const { forgeryWindowMs } = this.limits;
    for (const [keyId, use] of this.#keys) {
      const countsUntilMs = Math.max(use.lockedUntilMs, use.forgeriesSinceMs + forgeryWindowMs);
      if (use.links.size === 0 && countsUntilMs <= nowMs) this.#keys.delete(keyId);
    }
  }
}

function createUse(nowMs: number, { maxSavedUnits, forgeryWindowMs }: LinkLimits): KeyUse {
  return {
    links: new Set(),
    unfinishedBytes: 0,
    heldBytes: 0,
    savedUnits: maxSavedUnits,
    countedAtMs: nowMs,
    forgeries: 0,
    forgeriesSinceMs: nowMs - forgeryWindowMs,
    lockedUntilMs: 0,
    waiting: [],
  };
}

/** Tracks the use of resources by one connection, which counts towards the limits of its key. */
export class LinkMeter {
  readonly #accounts: LinkAccounts;
  readonly #use: KeyUse;
  #unfinishedBytes = 0;
  #frameSinceMs = 0;

  constructor(accounts: LinkAccounts, use: KeyUse) {
    this.#accounts = accounts;
    this.#use = use;
  }

  /** Counts received bytes. Returns false above a limit of the key or of all connections. */
  addBytes(count: number): boolean {
    const { limits } = this.#accounts;
    if (this.#unfinishedBytes === 0) this.#frameSinceMs = this.#accounts.nowMs();
    this.#setUnfinished(this.#unfinishedBytes + count);
    return (
      this.#use.unfinishedBytes <= limits.maxUnfinishedBytesOfKey &&
      this.#accounts.unfinishedBytes <= limits.maxUnfinishedBytes
    );
  }

  endFrame(): void {
    this.#setUnfinished(0);
  }

  /**
   * Restarts the time limit of the frame, because time in which the server did not read does not
   * count.
   */
  restartFrame(): void {
    this.#frameSinceMs = this.#accounts.nowMs();
  }

  /** Whether the current frame has been incomplete for too long. */
  get isFrameOverdue(): boolean {
    const { limits, nowMs } = this.#accounts;
    return this.#unfinishedBytes > 0 && nowMs() - this.#frameSinceMs > limits.frameMs;
  }

  /** Charges work units to the key. Returns how many milliseconds its next frame must wait. */
  charge({ bytes, results }: { readonly bytes: number; readonly results: number }): number {
    const { limits, nowMs } = this.#accounts;
    const use = this.#use;
    const atMs = nowMs();
    const earned = ((atMs - use.countedAtMs) / 1_000) * limits.unitsPerSecond;
    use.savedUnits = Math.min(use.savedUnits + earned, limits.maxSavedUnits);
    use.countedAtMs = atMs;
    use.savedUnits -= results + bytes / bytesPerUnit;
    return use.savedUnits >= 0 ? 0 : (-use.savedUnits / limits.unitsPerSecond) * 1_000;
  }

  /** Counts forged results. Returns true if the key is now locked. */
  noteForgeries(count: number): boolean {
    const { limits, nowMs } = this.#accounts;
    const use = this.#use;
    const atMs = nowMs();
    if (atMs - use.forgeriesSinceMs >= limits.forgeryWindowMs) {
      use.forgeries = 0;
      use.forgeriesSinceMs = atMs;
    }
    use.forgeries += count;
    if (use.forgeries < limits.maxForgeries) return false;
    use.lockedUntilMs = atMs + limits.lockMs;
    return true;
  }

  hold(bytes: number): void {
    this.#use.heldBytes += bytes;
  }

  release(bytes: number): void {
    const use = this.#use;
    use.heldBytes -= bytes;
    if (this.hasCapacity) for (const resume of use.waiting.splice(0)) resume();
  }

  get hasCapacity(): boolean {
    return this.#use.heldBytes <= this.#accounts.limits.maxHeldBytesOfKey;
  }

  async waitForCapacity(): Promise<void> {
    while (!this.hasCapacity) {
      await new Promise<void>((resume) => this.#use.waiting.push(resume));
    }
  }

  close(): void {
    this.#setUnfinished(0);
    this.#accounts.close(this, this.#use);
  }

  #setUnfinished(bytes: number): void {
    const change = bytes - this.#unfinishedBytes;
    this.#unfinishedBytes = bytes;
    this.#use.unfinishedBytes += change;
    this.#accounts.unfinishedBytes += change;
  }
}
