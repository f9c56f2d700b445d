/** Three significant digits are readable from a distance. */
export function formatMs(ms: number | null): string {
  if (ms === null) return "–";
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(0)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms >= 100) return `${ms.toFixed(0)} ms`;
  if (ms >= 10) return `${ms.toFixed(1)} ms`;
  if (ms >= 0.1) return `${ms.toFixed(2)} ms`;
  // A machine responds to itself within tens of microseconds.
  return ms >= 0.001 ? `${(ms * 1_000).toFixed(0)} µs` : "< 1 µs";
}
