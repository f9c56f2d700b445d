import { quote, writeCount, writeDuration } from "../wording.ts";
import type { CheckRequest } from "./check-request.ts";
import type { ReadHost } from "./host-reader.ts";

/** The body of a request that creates a check. */
export interface CheckBody extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** What the API would refuse about a body, or null. */
export type FindBodyFault = (body: CheckBody) => string | null;

export interface Proposal {
  readonly bodies: readonly CheckBody[];
  /** What had to be bent to fit, and what was left out. */
  readonly notes: readonly string[];
}

/** Seconds between runs that a check may have, and how the wire writes each. */
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

/** One body for each host, held against the schema that the API validates with. */
export function buildBodies(request: CheckRequest, findFault: FindBodyFault): Proposal {
  const notes: string[] = [];
  const settings = {
    ...chooseInterval(request, notes),
    ...chooseLoss(request, notes),
    ...(request.degradedMs === null ? {} : { degradedResponseTime: request.degradedMs }),
    ...(request.places.length === 0 ? {} : { locations: request.places }),
    ...(request.privatePlaces.length === 0 ? {} : { privateLocations: request.privatePlaces }),
    ...(request.places.length === 0 && request.privatePlaces.length > 0 ? { locations: [] } : {}),
    ...(request.runsParallel ? { runParallel: true } : {}),
    ...(request.tags.length === 0 ? {} : { tags: request.tags }),
    ...chooseRetries(request, notes),
    ...chooseEscalation(request, notes),
    ...(request.isMuted ? { muted: true } : {}),
    ...(request.isPaused ? { activated: false } : {}),
  };
  const pingCount = choosePings(request, notes);
  const hosts = request.hosts.slice(0, maxBodies);
  const left = request.hosts.length - hosts.length;
  if (left > 0) notes.push(`${writeCount(left, "host")} left out: at most ${maxBodies} at a time.`);
  const { announced } = request;
  if (announced !== null && announced !== request.hosts.length) {
    notes.push(`You spoke of ${announced} hosts; I found ${request.hosts.length}.`);
  }
  const bodies = hosts
    .map((host): CheckBody => ({ ...describeHost(host, request, pingCount), ...settings }))
    .filter((body) => isAccepted(body, findFault, notes));
  return { bodies, notes };
}

/** A body that the API would refuse is never proposed. */
function isAccepted(body: CheckBody, findFault: FindBodyFault, notes: string[]): boolean {
  const fault = findFault(body);
  if (fault !== null) notes.push(`${quote(body.name)} is left out: ${fault}.`);
  return fault === null;
}

function describeHost(
  { hostname, family }: ReadHost,
  request: CheckRequest,
  pingCount: number | null,
): CheckBody {
  const { name, hosts, latency, wantsIpv6 } = request;
  const ipFamily = family ?? (wantsIpv6 ? "IPv6" : "IPv4");
  const assertions =
    latency === null
      ? []
      : [
          {
            source: "LATENCY" as const,
            property: latency.property,
            comparison: "LESS_THAN" as const,
            target: String(latency.ms),
          },
        ];
  return {
    name: name === null ? hostname : hosts.length === 1 ? name : `${name} ${hostname}`,
    request: {
      hostname,
      ipFamily,
      ...(pingCount === null ? {} : { pingCount }),
      ...(assertions.length === 0 ? {} : { assertions }),
    },
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

function clampPercent(percent: number, notes: string[]): number {
  const clamped = Math.min(100, Math.max(0, Math.round(percent)));
  if (clamped !== percent) notes.push(`Loss is told in whole percent from 0 to 100: ${clamped} %.`);
  return clamped;
}

function chooseLoss(request: CheckRequest, notes: string[]) {
  const { maxLossPercent, degradedLossPercent } = request;
  const max = maxLossPercent === null ? 20 : clampPercent(maxLossPercent, notes);
  if (maxLossPercent === 0) {
    notes.push("With a limit of 0 % every run fails; 1 % is the least that tells anything.");
  }
  // Unless it is named, degraded never lies above failing.
  const degraded =
    degradedLossPercent === null ? Math.min(10, max) : clampPercent(degradedLossPercent, notes);
  return { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: max };
}

function choosePings({ pingCount }: CheckRequest, notes: string[]): number | null {
  if (pingCount === null) return null;
  const clamped = Math.min(50, Math.max(1, Math.round(pingCount)));
  if (clamped !== pingCount) notes.push(`A run sends 1 to 50 packets: ${clamped}.`);
  return clamped;
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
