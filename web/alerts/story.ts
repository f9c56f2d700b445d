/** Builds the timeline of an alert. */
import type { components } from "../api/schema.d.ts";

type Schemas = components["schemas"];

export type Story = Schemas["AlertStory"];
export type Decision = Schemas["Alert"];
export type Message = Schemas["AlertNotification"];
export type Response = Schemas["AlertStoryResponse"];

export type StoryEvent =
  | {
      readonly type: "decision";
      readonly at: string;
      readonly decision: Decision;
      readonly messages: readonly Message[];
    }
  | { readonly type: "acknowledged"; readonly at: string; readonly by: string }
  | { readonly type: "responded"; readonly at: string; readonly response: Response }
  | { readonly type: "omitted"; readonly at: string; readonly count: number };

/** Inserts an event into a chronological list, before the first event with a later time. */
function insertEvent(events: StoryEvent[], event: StoryEvent): void {
  const after = events.findIndex(({ at }) => Date.parse(at) > Date.parse(event.at));
  events.splice(after < 0 ? events.length : after, 0, event);
}

/** Lists an alert's decisions with their notifications, and the users' responses, oldest first. */
export function listEvents(story: Story): readonly StoryEvent[] {
  const byAlert = Map.groupBy(story.messages, ({ alertId }) => alertId);
  const events: StoryEvent[] = story.decisions.map((decision) => ({
    type: "decision",
    at: decision.at,
    decision,
    messages: byAlert.get(decision.id) ?? [],
  }));
  const { acknowledgement, responses, decisionsTotal, decisions } = story;
  const omitted = decisionsTotal - decisions.length;
  const gap = decisions[firstShown];
  if (omitted > 0 && gap !== undefined) {
    events.splice(firstShown, 0, { type: "omitted", at: gap.at, count: omitted });
  }
  for (const response of responses) {
    insertEvent(events, { type: "responded", at: response.at, response });
  }
  // Snoozing also acknowledges the alert, so this acknowledgement is not listed separately.
  const isSnooze = responses.some(
    ({ action, at }) => action === "SNOOZED" && at === acknowledgement?.at,
  );
  if (acknowledgement !== null && !isSnooze) {
    insertEvent(events, { type: "acknowledged", ...acknowledgement });
  }
  return events;
}

/**
 * Number of decisions that the API returns from the beginning of an alert with many decisions. The
 * API omits the decisions between these and the newest ones.
 */
const firstShown = 50;

interface LeadingRun {
  readonly startedAt: string;
}

const shownBefore = 2;
const shownSince = 8;

/**
 * Picks the runs that led to an alert, oldest first: the newest runs since the problem started, and
 * the last runs before the problem. `runs` must be sorted newest first.
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
