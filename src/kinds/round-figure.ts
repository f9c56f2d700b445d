/** Rounds to three decimals. */
export function roundFigure(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1_000) / 1_000;
}
