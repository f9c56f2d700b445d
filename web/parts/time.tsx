/** Formats times in the local time zone, with UTC on hover. */
import { useSyncExternalStore } from "react";

/** All times use the 24-hour clock. */
const hourCycle = "h23";
const dateTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle,
});
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle,
});
const utc = new Intl.DateTimeFormat(undefined, {
  hourCycle,
  dateStyle: "medium",
  timeStyle: "long",
  timeZone: "UTC",
});
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle,
});

const steps = [
  [60, "s"],
  [60, "min"],
  [24, "h"],
  [Number.POSITIVE_INFINITY, "d"],
] as const;

/** Formats a duration in its largest unit: "14 min", "3 h". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return "under 1 s";
  let value = Math.max(0, ms) / 1000;
  for (const [size, unit] of steps) {
    if (value < size) return `${Math.floor(value)} ${unit}`;
    value /= size;
  }
  return "";
}

export function formatDateTime(at: string | number | Date): string {
  return dateTime.format(new Date(at));
}

export function formatClock(at: string | number | Date): string {
  return clock.format(new Date(at));
}

const listeners = new Set<() => void>();
let now = Date.now();
const tickMs = 5_000;
let timer: ReturnType<typeof setInterval> | undefined;

/** Adds a listener to the timer that all relative times on the screen share. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // While nothing listened, the timer was stopped, so `now` is out of date.
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the current time, which is updated every five seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

interface TimeProps {
  readonly at: string;
}

export function DateTime({
  at,
  hasSeconds = false,
}: TimeProps & { readonly hasSeconds?: boolean }) {
  return (
    <time dateTime={at} title={utc.format(new Date(at))}>
      {hasSeconds ? exact.format(new Date(at)) : formatDateTime(at)}
    </time>
  );
}

/** Shows the age of a time, such as "3 min ago", with the exact time on hover. */
export function Ago({ at }: TimeProps) {
  const ageMs = useNow() - new Date(at).getTime();
  return (
    <time dateTime={at} title={`${formatDateTime(at)} (${utc.format(new Date(at))})`}>
      {ageMs < 5_000 ? "just now" : `${formatDuration(ageMs)} ago`}
    </time>
  );
}

/** Shows how long a state has lasted, such as "14 min". */
export function Lasting({ since }: { readonly since: string }) {
  const lastingMs = useNow() - new Date(since).getTime();
  return (
    <time
      dateTime={since}
      title={`since ${formatDateTime(since)} (${utc.format(new Date(since))})`}
    >
      {formatDuration(Math.max(1_000, lastingMs))}
    </time>
  );
}
