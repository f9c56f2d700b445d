import { CLOCK_REALTIME, TIMESPEC } from "./kernel-layout.ts";
import type { Libc } from "./libc.ts";

/** The kernel's wall clock, in the unit of the kernel's packet timestamps. */
export class WallClock {
  readonly #libc: Libc;
  readonly #timespec: number;
  readonly #pointer: bigint;
  readonly #baseSeconds: number;

  constructor(libc: Libc, baseSeconds: number) {
    this.#libc = libc;
    this.#timespec = libc.arena.take(TIMESPEC.size);
    this.#pointer = libc.arena.pointer(this.#timespec);
    this.#baseSeconds = baseSeconds;
  }

  nowNs(): number {
    this.#libc.call.clock_gettime(CLOCK_REALTIME, this.#pointer);
    const words = this.#libc.arena.words;
    const seconds = words[(this.#timespec + TIMESPEC.seconds) / 4] ?? 0;
    const nanoseconds = words[(this.#timespec + TIMESPEC.nanoseconds) / 4] ?? 0;
    return (seconds - this.#baseSeconds) * 1e9 + nanoseconds;
  }
}
