import pg from "pg";
import { openDatabase } from "../../src/platform/database-pool.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { createPartition } from "../../src/runs/results/result-write-store.ts";

export interface HistoryOptions {
  readonly checks: number;
  readonly days: number;
  readonly perDay: number;
}

const dayMs = 86_400_000;

/** Copies one real result, each with its own check, timestamp, values and random samples. */
const fillSql = `
  with template as (select * from results where samples is not null limit 1),
  ids as (select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as check_id, n
    from generate_series(1, $1::int) as n),
  made as (select ids.check_id, ids.n,
      $2::float8 + (slot + random()) * ($3::float8 / $4::int) as at_ms
    from generate_series(0, $4::int - 1) as slot, ids)
  insert into results (check_id, id, location, attempt, is_final, verdict, started_at, samples,
      detail, response_ms, duration_us, probe_number)
  select made.check_id,
    (lpad(to_hex(made.at_ms::bigint), 12, '0') || '7000' || '8' || substr(md5(random()::text), 1, 15))::uuid,
    t.location, 1, true, 1, to_timestamp(made.at_ms / 1000),
    (select substring(string_agg(decode(md5(random()::text || made.n || part), 'hex'), ''::bytea)
        from 1 for octet_length(t.samples))
      from generate_series(1, 1 + octet_length(t.samples) / 16) as part),
    t.detail, (random() * 100)::real, (random() * 1e6)::int, t.probe_number
  from made, template t`;

export async function fillHistory(client: pg.Client, options: HistoryOptions): Promise<number> {
  const { checks, days, perDay } = options;
  const { db, close } = openDatabase(
    { host: client.host, user: "vedette", database: "vedette" },
    createLog("warn"),
  );
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  let rows = 0;
  try {
    for (let day = days; day > 0; day -= 1) {
      const start = today - day * dayMs;
      await createPartition(db, start);
      const made = await client.query(fillSql, [checks, start, dayMs, perDay]);
      rows += made.rowCount ?? 0;
    }
  } finally {
    await close();
  }
  return rows;
}

function idFloor(ms: number): string {
  const digits = ms.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

export async function measureLateness(client: pg.Client, fromMs: number, toMs: number) {
  const { rows } = await client.query(
    `with seen as (select extract(epoch from started_at) * 1000
        - ('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint as late_ms
      from results where id >= $1 and id < $2 and is_final)
    select count(*)::int as runs,
      coalesce(percentile_disc(0.99) within group (order by late_ms), 0)::float8 as p99,
      coalesce(max(late_ms), 0)::float8 as max from seen`,
    [idFloor(fromMs), idFloor(toMs)],
  );
  return rows[0] as { readonly runs: number; readonly p99: number; readonly max: number };
}

/** Sums the hashes of all rows of each table, so that equal rows give equal sums in any order. */
async function hashTables(dataDir: string): Promise<Map<string, string>> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: createLog("warn"),
    onRestart: () => {},
    onAbandoned: (error) => {
      throw error;
    },
  });
  const client = new pg.Client({ ...postgres.connection });
  await client.connect();
  const sums = new Map<string, string>();
  try {
    const { rows } = await client.query(
      "select relname as name from pg_class where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace",
    );
    for (const { name } of rows) {
      const { rows: found } = await client.query(
        `select count(*)::text || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text
          as sum from "${name}" t`,
      );
      sums.set(name, found[0].sum);
    }
  } finally {
    await client.end();
    await postgres.stop();
  }
  return sums;
}

export async function compareDatabases(places: {
  readonly source: string;
  readonly target: string;
}): Promise<{ readonly tables: number; readonly different: number }> {
  const source = await hashTables(places.source);
  const target = await hashTables(places.target);
  const names = new Set([...source.keys(), ...target.keys()]);
  const different = [...names].filter((name) => source.get(name) !== target.get(name));
  if (different.length > 0) process.stdout.write(`  different: ${different.join(", ")}\n`);
  return { tables: names.size, different: different.length };
}
