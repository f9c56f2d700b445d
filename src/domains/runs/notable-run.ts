import type { CheckState, FinalResult } from "./state.ts";

/** A final run that may change what people should know. Alerting decides; this only leaves out. */
export interface NotableRun extends FinalResult {
  /** When a run before it last learned something. */
  readonly heardAtMs: number | null;
  /** To be decided on although later runs are known: the recorder put it in its place. */
  readonly isLate: boolean;
}

/** What else than verdicts makes a run worth a look. */
export interface Notice {
  /** Where a share of the places counts, each place's newest verdict matters. */
  readonly isShareCounted: boolean;
  readonly frequencyMinutes: number;
  readonly nowMs: number;
}

/** No account calls a shorter silence than this one, so only a longer one may have been told. */
const shortestSilenceMinutes = 2;

/** A run that passed, of a check that was passing, is news to nobody, and most runs are. */
export function findNotableRun(
  previous: CheckState | null,
  final: FinalResult,
  notice: Notice,
): NotableRun | null {
  const wasPassing = previous === null || previous.status === "passing";
  const isExpected = final.verdict === "passing" && wasPassing && !endsSilence(previous, notice);
  if (isExpected && !notice.isShareCounted) return null;
  const wasHeard = previous !== null && previous.status !== "unknown";
  return { ...final, heardAtMs: wasHeard ? previous.lastRunAtMs : null, isLate: false };
}

/** People may have been told that there is no data, although the last run had passed. */
function endsSilence(previous: CheckState | null, notice: Notice): boolean {
  const { nowMs, frequencyMinutes } = notice;
  const silenceMs = (shortestSilenceMinutes + frequencyMinutes) * 60_000;
  return previous !== null && nowMs - previous.lastRunAtMs >= silenceMs;
}
