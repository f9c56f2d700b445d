import type { CheckState, FinalResult } from "./state.ts";

/** A final run that may change what people should know. Alerting decides; this only leaves out. */
export interface NotableRun extends FinalResult {
  /** When a run before it last learned something. */
  readonly heardAtMs: number | null;
}

/**
 * A run that passed, of a check that was passing, is news to nobody, and most runs are. Only where
 * a share of the places counts does each place's newest verdict matter.
 */
export function findNotableRun(
  previous: CheckState | null,
  final: FinalResult,
  isShareCounted: boolean,
): NotableRun | null {
  const wasPassing = previous === null || previous.status === "passing";
  if (final.verdict === "passing" && wasPassing && !isShareCounted) return null;
  const wasHeard = previous !== null && previous.status !== "unknown";
  return { ...final, heardAtMs: wasHeard ? previous.lastRunAtMs : null };
}
