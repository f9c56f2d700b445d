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

/** Parses durations of Go and Prometheus, such as `1m30s` or `1d`. Returns `null` if invalid. */
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
