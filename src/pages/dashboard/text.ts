const units: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/**
 * Formats an age such as `3 d 4 h`, `12 min` or `just now`; the page's script uses the same format.
 */
export function formatAge(ms: number): string {
  const [largest, size] = units.find(([, unitMs]) => ms >= unitMs) ?? ["", 0];
  if (size === 0) return "just now";
  const whole = Math.floor(ms / size);
  const smaller = largest === "d" ? units[1] : largest === "h" ? units[2] : undefined;
  const rest = smaller === undefined ? 0 : Math.floor((ms % size) / smaller[1]);
  return rest === 0 ? `${whole} ${largest}` : `${whole} ${largest} ${rest} ${smaller?.[0]}`;
}

export function countChecks(count: number): string {
  return count === 1 ? "1 check" : `${count} checks`;
}
