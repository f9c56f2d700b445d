import { type EscalationStage, minuteMs } from "./alert-rules.ts";

/** Sorts stages by time; they are stored in any order. */
function orderStages(stages: readonly EscalationStage[]): readonly EscalationStage[] {
  return stages.toSorted((one, other) => one.afterMinutes - other.afterMinutes);
}

/** Lists the stages that are due but not reached yet, earliest first. */
export function listDueStages(
  stages: readonly EscalationStage[],
  reached: number,
  elapsedMs: number,
): readonly EscalationStage[] {
  return orderStages(stages)
    .slice(reached)
    .filter((stage) => elapsedMs >= stage.afterMinutes * minuteMs);
}

/** Returns how long after the alert the next stage is due; `null` if there is none. */
export function findNextStageMs(
  stages: readonly EscalationStage[],
  reached: number,
): number | null {
  const next = orderStages(stages)[reached];
  return next === undefined ? null : next.afterMinutes * minuteMs;
}

/** Lists the channels of the stages reached so far. */
export function listReachedChannelIds(
  stages: readonly EscalationStage[],
  reached: number,
): readonly number[] {
  const channelIds = orderStages(stages)
    .slice(0, reached)
    .flatMap((stage) => stage.channelIds);
  return [...new Set(channelIds)];
}
