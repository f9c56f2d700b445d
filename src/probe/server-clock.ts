/** A hello and its welcome: two times on the monotonic clock, two on the server's clock. */
export interface RoundTrip {
  readonly sentAtMs: number;
  readonly heardAtMs: number;
  readonly answeredAtMs: number;
  readonly receivedAtMs: number;
}

interface Sample {
  /** Offset from the monotonic clock to the server's clock. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

const keptSamples = 8;
/** Exceeds the drift of two clocks between a few hellos. */
const driftMs = 50;

/**
 * The server's time at the probe. Orders and results use the server's clock, so that the clock of
 * the probe's machine may be wrong or be set.
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
    // Discard samples from before the machine slept or the server's clock was set.
    const isFitting = (known: Sample) =>
      Math.abs(known.offsetMs - offsetMs) <= (known.roundTripMs + roundTripMs) / 2 + driftMs;
    const fitting = this.#samples.filter(isFitting);
    this.#samples = [...fitting, { offsetMs, roundTripMs }].slice(-keptSamples);
  }

  /** Returns this machine's time until the first welcome arrives. */
  nowMs(): number {
    const best = this.#findBest();
    return best === null ? this.#wallMs() : this.#monotonicMs() + best.offsetMs;
  }

  /** How far this machine's clock is ahead of the server's; `null` while unknown. */
  skewMs(): number | null {
    const best = this.#findBest();
    return best === null ? null : this.#wallMs() - (this.#monotonicMs() + best.offsetMs);
  }

  /** The fastest round trip has the smallest error. */
  #findBest(): Sample | null {
    let best: Sample | null = null;
    for (const sample of this.#samples) {
      if (best === null || sample.roundTripMs < best.roundTripMs) best = sample;
    }
    return best;
  }
}
