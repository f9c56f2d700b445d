import type { FinalResult } from "../results/index.ts";
import type { CheckState } from "../states/index.ts";

/** A final run that may cause an alert. Alerting decides; other runs are filtered out here. */
export interface NotableRun extends FinalResult {
  /** When the last run with a verdict before it was due. */
  readonly lastResultAtMs: number | null;
  /** True if alerting must decide on it although later runs were already decided. */
  readonly isLate: boolean;
}

/** Conditions other than verdicts that make a run notable. */
export interface Notice {
  /** True if a share of the locations decides, so that the verdict of each location matters. */
  readonly isShareCounted: boolean;
  readonly frequencyMinutes: number;
  readonly nowMs: number;
}

/** The shortest no-data time of any account: only longer gaps may have caused an alert. */
const shortestSilenceMinutes = 2;

/** Filters out passing runs of passing checks, which are most runs. */
export function findNotableRun(
  previous: CheckState | null,
  final: FinalResult,
  notice: Notice,
): NotableRun | null {
  const wasPassing = previous === null || previous.status === "passing";
  const isExpected = final.verdict === "passing" && wasPassing && !endsSilence(previous, notice);
  if (isExpected && !notice.isShareCounted) return null;
  const hadVerdict = previous !== null && previous.status !== "unknown";
  return { ...final, lastResultAtMs: hadVerdict ? previous.lastRunAtMs : null, isLate: false };
}

/** Whether a no-data alert may have been sent although the last run passed. */
function endsSilence(previous: CheckState | null, notice: Notice): boolean {
  const { nowMs, frequencyMinutes } = notice;
  const silenceMs = (shortestSilenceMinutes + frequencyMinutes) * 60_000;
  return previous !== null && nowMs - previous.lastRunAtMs >= silenceMs;
}
