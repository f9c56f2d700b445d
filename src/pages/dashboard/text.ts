const units: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/** Such as `3 d 4 h`, `12 min` or `just now`; the script of the page writes it the same way. */
export function formatAge(ms: number): string {
  const [largest, size] = units.find(([, unitMs]) => ms >= unitMs) ?? ["", 0];
  if (size === 0) return "just now";
  const whole = Math.floor(ms / size);
  const smaller = largest === "d" ? units[1] : largest === "h" ? units[2] : undefined;
  const rest = smaller === undefined ? 0 : Math.floor((ms % size) / smaller[1]);
  return rest === 0 ? `${whole} ${largest}` : `${whole} ${largest} ${rest} ${smaller?.[0]}`;
}

/** Three figures are as many as can be told apart from across a room. */
export function formatMs(ms: number | null): string {
  if (ms === null) return "–";
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(0)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms >= 100) return `${ms.toFixed(0)} ms`;
  return ms >= 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(2)} ms`;
}

export function formatMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function countChecks(count: number): string {
  return count === 1 ? "1 check" : `${count} checks`;
}
