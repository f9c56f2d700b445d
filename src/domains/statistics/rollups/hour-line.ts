const hourMs = 3_600_000;

/** One hour of a day in a running total: five integers and a sum of milliseconds. */
const hourRecordBytes = 28;

/** SQL that encodes the record of one hour from the sums over its locations. */
export const hourRecordSql = `int4send(extract(hour from starts_at at time zone 'UTC')::int)
  || int4send((passing + degraded + failing)::int) || int4send(degraded::int)
  || int4send(failing::int) || int4send(sample_count::int)
  || float8send(coalesce(sample_sum_ms, 0))`;

export interface HourPoint {
  readonly startsMs: number;
  /** Average over all samples; `null` if there are none. */
  readonly avgMs: number | null;
  /** Runs with a verdict. */
  readonly runs: number;
  readonly degraded: number;
  readonly failing: number;
}

export function readHourRecords(
  bytes: Uint8Array,
  dayStartMs: number,
  visit: (point: HourPoint) => void,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + hourRecordBytes <= bytes.length; at += hourRecordBytes) {
    const samples = view.getInt32(at + 16);
    visit({
      startsMs: dayStartMs + view.getInt32(at) * hourMs,
      avgMs: samples > 0 ? view.getFloat64(at + 20) / samples : null,
      runs: view.getInt32(at + 4),
      degraded: view.getInt32(at + 8),
      failing: view.getInt32(at + 12),
    });
  }
}
