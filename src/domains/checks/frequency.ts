/** Minutes between runs; 0 means more than once per minute. */
export const frequencies = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const;

const subMinuteSeconds = [10, 20, 30];

/** Returns the rule that the offset violates; `null` if it is valid. */
export function findOffsetFault(frequency: number, offset: number | null): string | null {
  if (frequency === 0) {
    const isValid = offset !== null && subMinuteSeconds.includes(offset);
    return isValid ? null : "must be 10, 20 or 30 (seconds between runs) when frequency is 0";
  }
  if (offset === null) return null;
  const most = frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
  const fits = Number.isInteger(offset) && offset >= 1 && offset <= most;
  return fits ? null : `must be from 1 to ${most} when frequency is ${frequency}`;
}
