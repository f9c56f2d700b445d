/** Builds the timeline of an alert. */
import type { components } from "../api/schema.d.ts";

type Schemas = components["schemas"];

export type Story = Schemas["AlertStory"];
export type Decision = Schemas["Alert"];
export type Message = Schemas["AlertNotification"];

export type StoryEvent =
  | {
      readonly type: "decision";
      readonly at: string;
      readonly decision: Decision;
      readonly messages: readonly Message[];
    }
  | { readonly type: "acknowledged"; readonly at: string; readonly by: string }
  | { readonly type: "omitted"; readonly at: string; readonly count: number };

/** Lists decisions with their notifications, and the acknowledgement, oldest first. */
export function listEvents(story: Story): readonly StoryEvent[] {
  const byAlert = Map.groupBy(story.messages, ({ alertId }) => alertId);
  const events: StoryEvent[] = story.decisions.map((decision) => ({
    type: "decision",
    at: decision.at,
    decision,
    messages: byAlert.get(decision.id) ?? [],
  }));
  const { acknowledgement, decisionsTotal, decisions } = story;
  const omitted = decisionsTotal - decisions.length;
  const gap = decisions[firstShown];
  if (omitted > 0 && gap !== undefined) {
    events.splice(firstShown, 0, { type: "omitted", at: gap.at, count: omitted });
  }
  if (acknowledgement !== null) {
    const after = events.findIndex(({ at }) => Date.parse(at) > Date.parse(acknowledgement.at));
    const place = after < 0 ? events.length : after;
    events.splice(place, 0, { type: "acknowledged", ...acknowledgement });
  }
  return events;
}

/** Number of first decisions that the API returns for a long alert. */
const firstShown = 50;

interface LeadingRun {
  readonly startedAt: string;
}

const shownBefore = 2;
const shownSince = 8;

/**
 * Picks the runs that led to an alert, oldest first: those since the problem started, and the last
 * passing ones before it. `runs` is sorted newest first.
 */
export function pickLeadingRuns<Run extends LeadingRun>(
  runs: readonly Run[],
  startedAt: string,
): readonly Run[] {
  const beganMs = Date.parse(startedAt);
  const since = runs.filter((run) => Date.parse(run.startedAt) >= beganMs).slice(0, shownSince);
  const before = runs.filter((run) => Date.parse(run.startedAt) < beganMs).slice(0, shownBefore);
  return [...since, ...before].reverse();
}
