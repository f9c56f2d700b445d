import { Counter, Gauge, type Registry } from "prom-client";
import type { ProgressState } from "./progress.ts";

/**
 * Adds metrics per loop: the last turn and success, turns, failures, and the time without progress.
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
  // A counter, because promtool requires that type for names ending in _total.
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
