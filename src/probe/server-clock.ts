/** A hello and its answer: two moments of a clock that never jumps, two of the server's. */
export interface RoundTrip {
  readonly sentAtMs: number;
  readonly heardAtMs: number;
  readonly answeredAtMs: number;
  readonly receivedAtMs: number;
}

interface Sample {
  /** What the clock that never jumps lacks to the server's. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

const keptSamples = 8;
/** More than two clocks drift apart between a few hellos. */
const driftMs = 50;

/**
 * The server's time at the probe. Orders have their times by the server's clock, and results are
 * recorded by it, so that the clock of the probe's own machine may be wrong, and may be set.
 */
export class ServerClock {
  readonly #monotonicMs: () => number;
  readonly #wallMs: () => number;
  #samples: Sample[] = [];

  constructor(
    monotonicMs: () => number = () => performance.now(),
    wallMs: () => number = () => Date.now(),
  ) {
    this.#monotonicMs = monotonicMs;
    this.#wallMs = wallMs;
  }

  get monotonicMs(): number {
    return this.#monotonicMs();
  }

  note({ sentAtMs, heardAtMs, answeredAtMs, receivedAtMs }: RoundTrip): void {
    const roundTripMs = Math.max(0, receivedAtMs - sentAtMs - (answeredAtMs - heardAtMs));
    const offsetMs = (heardAtMs - sentAtMs + (answeredAtMs - receivedAtMs)) / 2;
    // A machine that slept, or a server whose clock was set: what was known is worth nothing.
    const isFitting = (known: Sample) =>
      Math.abs(known.offsetMs - offsetMs) <= (known.roundTripMs + roundTripMs) / 2 + driftMs;
    const fitting = this.#samples.filter(isFitting);
    this.#samples = [...fitting, { offsetMs, roundTripMs }].slice(-keptSamples);
  }

  /** By this machine's own clock until the server was heard. */
  nowMs(): number {
    const best = this.#findBest();
    return best === null ? this.#wallMs() : this.#monotonicMs() + best.offsetMs;
  }

  /** How far this machine's clock is ahead of the server's. */
  skewMs(): number | null {
    const best = this.#findBest();
    return best === null ? null : this.#wallMs() - (this.#monotonicMs() + best.offsetMs);
  }

  /** The quickest answer says most: what it was under way is all that is not known. */
  #findBest(): Sample | null {
    let best: Sample | null = null;
    for (const sample of this.#samples) {
      if (best === null || sample.roundTripMs < best.roundTripMs) best = sample;
    }
    return best;
  }
}
