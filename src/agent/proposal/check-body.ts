import type { KindProposal, ReadTarget } from "../../kinds/kit/agent.ts";
import { quote, writeCount, writeDuration } from "../answers/wording.ts";
import type { CheckRequest } from "./check-request.ts";

export interface ProposedKind {
  readonly checkType: string;
  readonly proposal: KindProposal<ReadTarget, object>;
}

/** Body of a request that creates a check. */
export interface CheckBody extends Readonly<Record<string, unknown>> {
  readonly checkType: string;
  readonly name: string;
}

/** Returns the reason why the API would reject a body, or `null` if the body is valid. */
export type FindBodyFault = (body: CheckBody) => string | null;

interface Proposal {
  readonly bodies: readonly CheckBody[];
  /** Notes about requested values that were adjusted or omitted. */
  readonly notes: readonly string[];
}

/** Check intervals that the API supports, in seconds, with their API representation. */
const intervals: readonly { seconds: number; frequency: number; frequencyOffset?: number }[] = [
  { seconds: 10, frequency: 0, frequencyOffset: 10 },
  { seconds: 20, frequency: 0, frequencyOffset: 20 },
  { seconds: 30, frequency: 0, frequencyOffset: 30 },
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((frequency) => ({
    seconds: frequency * 60,
    frequency,
  })),
];

const defaultSeconds = 600;
export const maxBodies = 6;

/** Builds one request body per target, up to a limit. Omits bodies that the API would reject. */
export function buildBodies(
  request: CheckRequest,
  { checkType, proposal: kind }: ProposedKind,
  findFault: FindBodyFault,
): Proposal {
  const notes: string[] = [];
  const settings = {
    ...(kind.hasOwnSchedule ? {} : chooseSchedule(request, notes)),
    ...(request.tags.length === 0 ? {} : { tags: request.tags }),
    ...chooseRetries(request, notes),
    ...chooseEscalation(request, notes),
    ...(request.isMuted ? { muted: true } : {}),
    ...(request.isPaused ? { activated: false } : {}),
  };
  const fitted = kind.fitSettings(request.own, notes);
  const targets = request.targets.slice(0, maxBodies);
  const found = request.targets.length;
  const left = found - targets.length;
  if (left > 0) {
    notes.push(`${writeCount(left, kind.noun)} omitted: at most ${maxBodies} at a time.`);
  }
  const { announced, name } = request;
  if (announced !== null && announced !== found) {
    notes.push(`You mentioned ${writeCount(announced, kind.noun)}; I found ${found}.`);
  }
  const nameOf = ({ label }: ReadTarget) =>
    name === null ? label : found === 1 ? name : `${name} ${label}`;
  const bodies = targets
    .map((one): CheckBody => {
      const own = kind.buildBody(one, fitted);
      return { checkType, name: nameOf(one), ...own, ...settings };
    })
    .filter((body) => isAccepted(body, findFault, notes));
  return { bodies, notes };
}

/** Returns whether the API would accept a body. If not, adds a note with the reason. */
function isAccepted(body: CheckBody, findFault: FindBodyFault, notes: string[]): boolean {
  const fault = findFault(body);
  if (fault !== null) notes.push(`${quote(body.name)} is omitted: ${fault}.`);
  return fault === null;
}

function chooseSchedule(request: CheckRequest, notes: string[]) {
  const { places, privatePlaces, runsParallel } = request;
  return {
    ...chooseInterval(request, notes),
    ...(places.length === 0 ? {} : { locations: places }),
    ...(privatePlaces.length === 0 ? {} : { privateLocations: privatePlaces }),
    ...(places.length === 0 && privatePlaces.length > 0 ? { locations: [] } : {}),
    ...(runsParallel ? { runParallel: true } : {}),
  };
}

function chooseInterval({ everySeconds }: CheckRequest, notes: string[]) {
  const wanted = everySeconds ?? defaultSeconds;
  const nearest = intervals.reduce((best, one) =>
    Math.abs(one.seconds - wanted) < Math.abs(best.seconds - wanted) ? one : best,
  );
  if (everySeconds === null) notes.push("No interval was named: every 10 minutes.");
  else if (nearest.seconds !== wanted) {
    notes.push(
      `Every ${writeDuration(wanted * 1_000)} is not possible: the nearest is every ${writeDuration(nearest.seconds * 1_000)}.`,
    );
  }
  const { frequency, frequencyOffset } = nearest;
  return frequencyOffset === undefined ? { frequency } : { frequency, frequencyOffset };
}

function chooseRetries({ retries, backoffSeconds }: CheckRequest, notes: string[]) {
  if (retries === null) return {};
  if (retries === 0) return { retryStrategy: null };
  const maxRetries = Math.min(10, Math.max(1, Math.round(retries)));
  if (maxRetries !== retries) notes.push(`1 to 10 retries are possible: ${maxRetries}.`);
  const baseBackoffSeconds = Math.min(600, Math.max(0, backoffSeconds ?? 60));
  return {
    retryStrategy: {
      type: "FIXED",
      baseBackoffSeconds,
      sameRegion: true,
      maxRetries,
      maxDurationSeconds: 600,
      onlyOn: [],
    },
  };
}

const possibleMinutes = [5, 10, 15, 30];

function chooseEscalation({ failuresInRow, minutesFailing }: CheckRequest, notes: string[]) {
  if (failuresInRow === null && minutesFailing === null) return {};
  const runs = Math.min(5, Math.max(1, Math.round(failuresInRow ?? 1)));
  if (failuresInRow !== null && runs !== failuresInRow) {
    notes.push(`An alert can wait for 1 to 5 failing runs: ${runs}.`);
  }
  const wanted = minutesFailing ?? 5;
  const minutes = possibleMinutes.reduce((best, one) =>
    Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best,
  );
  if (minutesFailing !== null && minutes !== minutesFailing) {
    notes.push(`An alert can wait for 5, 10, 15 or 30 minutes: ${minutes}.`);
  }
  return {
    useGlobalAlertSettings: false,
    alertSettings: {
      escalationType: failuresInRow === null ? "TIME_BASED" : "RUN_BASED",
      runBasedEscalation: { failedRunThreshold: runs },
      timeBasedEscalation: { minutesFailingThreshold: minutes },
      reminders: { amount: 0, interval: 5 },
      parallelRunFailureThreshold: { enabled: false, percentage: 10 },
    },
  };
}
