import { type Database, runSql } from "../../platform/database.ts";

export interface QueueSample {
  readonly locationId: string;
  readonly size: number;
  readonly oldestSeconds: number;
}

/** The first server to write determines the sample of the minute. */
export async function insertQueueSamples(
  db: Database,
  samples: readonly QueueSample[],
  at: Date,
): Promise<void> {
  if (samples.length === 0) return;
  await runSql(
    db,
    `insert into private_location_queues (private_location_id, at, queue_size, oldest_seconds)
      select p.id, $4, size, oldest
      from unnest($1::uuid[], $2::int[], $3::int[]) as one (id, size, oldest)
        join private_locations p on p.id = one.id
      on conflict do nothing`,
    [
      samples.map(({ locationId }) => locationId),
      samples.map(({ size }) => size),
      samples.map(({ oldestSeconds }) => oldestSeconds),
      at,
    ],
  );
}

export interface QueuePoint {
  readonly slot: number;
  readonly size: number;
  readonly oldestSeconds: number;
}

/** Returns the worst minute of every slot that has samples. */
export function listQueuePoints(
  db: Database,
  locationId: string,
  { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number },
): Promise<QueuePoint[]> {
  return runSql(
    db,
    `select floor((extract(epoch from at) * 1000 - $2::float8) / $4::float8)::int as slot,
        max(queue_size) as size, max(oldest_seconds) as "oldestSeconds"
      from private_location_queues
      where private_location_id = $1 and at >= to_timestamp($2::float8 / 1000)
        and at < to_timestamp($3::float8 / 1000)
      group by 1 order by 1`,
    [locationId, fromMs, toMs, stepMs],
  );
}

export async function deleteQueueSamplesBefore(db: Database, moment: Date): Promise<void> {
  await runSql(db, "delete from private_location_queues where at < $1", [moment]);
}
