/** What a probe says of a run before its result, where somebody waits for it. */
export interface RunStarted {
  readonly runId: string;
  readonly probeId: string;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
}
