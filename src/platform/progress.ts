import { Counter, Gauge, type Registry } from "prom-client";

/** Progress of a background task, as reported by `/readyz` and `/metrics`. */
export interface ProgressState {
  readonly name: string;
  /** Whether the server is not ready while this task is stuck. */
  readonly isEssential: boolean;
  readonly errors: number;
  readonly turns: number;
  /** When the latest iteration started. */
  readonly lastTurnAtMs: number | null;
  readonly lastSuccessAtMs: number | null;
  /** How long the task has been failing or busy with one iteration; 0 otherwise. */
  readonly lagMs: number;
  /** When the task stopped making progress; `null` if it is not stuck. */
  readonly stuckSinceMs: number | null;
}

export interface ProgressOptions {
  readonly name: string;
  readonly isEssential?: boolean;
  /** Duration of one iteration above which the task counts as stuck. */
  readonly maxTurnMs?: number;
  /**
   * Duration of failures above which the task counts as stuck. Shorter faults count as transient.
   */
  readonly toleranceMs?: number;
  readonly nowMs?: () => number;
}

/** Returns the largest lag of all loops, and the name of the loop that has it. */
export function findSlowest(states: readonly ProgressState[]): {
  readonly lagMs: number;
  readonly slowestLoop: string | null;
} {
  let slowest: ProgressState | null = null;
  for (const state of states) if (state.lagMs > (slowest?.lagMs ?? 0)) slowest = state;
  return { lagMs: slowest?.lagMs ?? 0, slowestLoop: slowest?.name ?? null };
}

export class Progress {
  readonly #options: Required<ProgressOptions>;
  #errors = 0;
  #turns = 0;
  #lastTurnAtMs: number | null = null;
  #failuresInARow = 0;
  #lastSuccessAtMs: number | null = null;
  #failingSinceMs: number | null = null;
  #turnSinceMs: number | null = null;

  constructor(options: ProgressOptions) {
    const { isEssential = true, maxTurnMs = 60_000, toleranceMs = 15_000 } = options;
    this.#options = {
      ...options,
      isEssential,
      maxTurnMs,
      toleranceMs,
      nowMs: options.nowMs ?? Date.now,
    };
  }

  get failuresInARow(): number {
    return this.#failuresInARow;
  }

  begin(): void {
    this.#turnSinceMs = this.#options.nowMs();
    this.#lastTurnAtMs = this.#turnSinceMs;
    this.#turns += 1;
  }

  succeed(): void {
    this.#turnSinceMs = null;
    this.#failingSinceMs = null;
    this.#failuresInARow = 0;
    this.#lastSuccessAtMs = this.#options.nowMs();
  }

  fail(): void {
    this.#failingSinceMs ??= this.#turnSinceMs ?? this.#options.nowMs();
    this.#turnSinceMs = null;
    this.#errors += 1;
    this.#failuresInARow += 1;
  }

  state(): ProgressState {
    const { name, isEssential, maxTurnMs, toleranceMs, nowMs } = this.#options;
    const now = nowMs();
    const turnMs = this.#turnSinceMs === null ? 0 : now - this.#turnSinceMs;
    const failingMs = this.#failingSinceMs === null ? 0 : now - this.#failingSinceMs;
    const lagMs = Math.max(0, turnMs, failingMs);
    const isStuck = turnMs > maxTurnMs || failingMs > toleranceMs;
    return {
      name,
      isEssential,
      errors: this.#errors,
      turns: this.#turns,
      lastTurnAtMs: this.#lastTurnAtMs,
      lastSuccessAtMs: this.#lastSuccessAtMs,
      lagMs,
      stuckSinceMs: isStuck ? now - lagMs : null,
    };
  }
}

/**
 * Adds metrics for each loop: the times of the last iteration and of the last success, the numbers
 * of iterations and failures, the lag, and whether the loop is stuck.
 */
export function addProgressMetrics(registry: Registry, list: () => readonly ProgressState[]): void {
  const add = (name: string, help: string, read: (state: ProgressState) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ["loop"],
      registers: [registry],
      collect() {
        this.reset();
        for (const state of list()) {
          const value = read(state);
          if (value !== null) this.set({ loop: state.name }, value);
        }
      },
    });
  add("vedette_loop_last_turn_timestamp_seconds", "When the loop last started a turn.", (state) =>
    state.lastTurnAtMs === null ? null : state.lastTurnAtMs / 1_000,
  );
  add(
    "vedette_loop_last_success_timestamp_seconds",
    "When the loop last completed a turn successfully.",
    (state) => (state.lastSuccessAtMs === null ? null : state.lastSuccessAtMs / 1_000),
  );
  // Counters are used here, because promtool rejects a gauge whose name ends with _total.
  const count = (name: string, help: string, read: (state: ProgressState) => number) =>
    new Counter({
      name,
      help,
      labelNames: ["loop"],
      registers: [registry],
      collect() {
        this.reset();
        for (const state of list()) this.inc({ loop: state.name }, read(state));
      },
    });
  count("vedette_loop_turns_total", "Turns that the loop has started.", (state) => state.turns);
  count("vedette_loop_errors_total", "Turns of the loop that failed.", (state) => state.errors);
  add(
    "vedette_loop_lag_seconds",
    "How long the loop has failed or spent on one turn; 0 while it makes progress.",
    (state) => state.lagMs / 1_000,
  );
  add("vedette_loop_stuck", "1 while the loop is stuck.", (state) =>
    state.stuckSinceMs === null ? 0 : 1,
  );
}
