/** To the microsecond, or the thousandth of a percent. */
export function roundFigure(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1_000) / 1_000;
}
