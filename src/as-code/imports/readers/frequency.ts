import type { Origin, ReadingBuilder } from "../reading-builder.ts";

const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
};

/**
 * Parses durations of Go and Prometheus, such as `1m30s`, and numbers of seconds. Returns `null` if
 * the value is invalid.
 */
export function parseSeconds(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : null;
  const text = typeof value === "string" ? value.trim() : "";
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d|w))+$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d|w)/g)) {
    seconds += Number(amount) * (unitSeconds[unit] ?? 0);
  }
  return seconds;
}

/** Intervals below one minute that a check supports, in seconds. */
const secondsOfSubMinute = [10, 20, 30];
const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440];

interface Frequency {
  readonly frequency: number;
  readonly frequencyOffset?: number;
}

function decideFrequency(seconds: number): { readonly seconds: number; readonly at: Frequency } {
  if (seconds < 60) {
    const offset = secondsOfSubMinute.findLast((allowed) => allowed <= seconds) ?? 10;
    return { seconds: offset, at: { frequency: 0, frequencyOffset: offset } };
  }
  const frequency = minutes.findLast((allowed) => allowed * 60 <= seconds) ?? 1;
  return { seconds: frequency * 60, at: { frequency } };
}

export const formatSeconds = (seconds: number): string =>
  seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;

/**
 * Rounds an interval down to the next interval that a check supports. An interval below the
 * supported minimum is raised to the minimum. Reports a changed interval.
 */
export function toFrequency(builder: ReadingBuilder, origin: Origin, seconds: number): Frequency {
  const { seconds: allowed, at } = decideFrequency(seconds);
  if (allowed !== seconds) {
    const why =
      allowed < seconds
        ? "The next shorter interval that a check can have."
        : "The shortest interval of a check.";
    builder.change(origin, "interval", {
      from: formatSeconds(seconds),
      to: formatSeconds(allowed),
      why,
    });
  }
  return at;
}

const reminderMinutes = [1, 2, 3, 4, 5, 10, 15, 30];
/** Number of reminders that the API treats as unlimited. */
const unlimited = 100_000;

export function toReminders(builder: ReadingBuilder, origin: Origin, seconds: number) {
  if (seconds <= 0) return { amount: 0, interval: 5 };
  const wanted = seconds / 60;
  const interval = reminderMinutes.findLast((allowed) => allowed <= wanted) ?? 1;
  if (interval !== wanted) {
    builder.change(origin, "reminders", {
      from: formatSeconds(seconds),
      to: formatSeconds(interval * 60),
      why: "The nearest interval that reminders can have.",
    });
  }
  return { amount: unlimited, interval };
}

/** Maximum number of failing runs that can be required before an alert. */
export const maxFailedRuns = 5;

export function toFailedRuns(builder: ReadingBuilder, origin: Origin, runs: number): number {
  const allowed = Math.min(Math.max(Math.trunc(runs), 1), maxFailedRuns);
  if (allowed !== runs) {
    builder.change(origin, "failures before an alert", {
      from: runs,
      to: allowed,
      why: `An alert is sent after at most ${maxFailedRuns} failing runs.`,
    });
  }
  return allowed;
}

export interface AlertPlan {
  readonly failedRuns?: number;
  readonly reminders?: { readonly amount: number; readonly interval: number };
  readonly certificateDays?: number | null;
  /** Percentage of locations that must fail before an alert is sent. */
  readonly failingLocations?: number;
  readonly failingMinutes?: number;
}

/** Returns the alert settings of an imported check, which override those of the account. */
export function toAlertSettings(plan: AlertPlan) {
  const { failedRuns = 1, reminders = { amount: 0, interval: 5 }, failingMinutes } = plan;
  const { certificateDays, failingLocations } = plan;
  return {
    useGlobalAlertSettings: false,
    alertSettings: {
      escalationType: failingMinutes === undefined ? "RUN_BASED" : "TIME_BASED",
      runBasedEscalation: { failedRunThreshold: failedRuns },
      timeBasedEscalation: { minutesFailingThreshold: failingMinutes ?? 5 },
      reminders,
      parallelRunFailureThreshold: {
        enabled: failingLocations !== undefined,
        percentage: failingLocations ?? 10,
      },
      ...(certificateDays !== undefined && {
        sslCertificates: {
          enabled: certificateDays !== null,
          alertThreshold:
            certificateDays === null ? 30 : Math.min(Math.max(certificateDays, 1), 365),
        },
      }),
    },
  };
}
