import type pg from "pg";
import type { Sequences, TableStart } from "./format.ts";
import { quoteName } from "./session.ts";

export interface CatalogueTable extends TableStart {
  /** Size of the rows, for reporting progress. */
  readonly sizeBytes: number;
}

/**
 * Lists every table that stores rows: a partition, or a table without partitions. Unlogged tables
 * contain data that a crash may lose anyway, and are skipped. Generated columns are recomputed.
 */
export async function listTables(client: pg.Client): Promise<readonly CatalogueTable[]> {
  const { rows } = await client.query(`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
      pg_relation_size(c.oid) as size_bytes,
      (select coalesce(array_agg(a.attname::text order by a.attnum), '{}') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
        as columns
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and c.relpersistence = 'p'
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`);
  return rows.map((row) => ({
    name: row.name,
    columns: row.columns,
    partition: row.parent === null ? null : { parent: row.parent, bound: row.bound },
    sizeBytes: row.size_bytes,
  }));
}

export async function readSequences(client: pg.Client): Promise<Sequences> {
  const { rows } = await client.query(`
    select relname as name from pg_class
    where relkind = 'S' and relnamespace = current_schema()::regnamespace order by relname`);
  const sequences: Sequences = [];
  for (const { name } of rows) {
    const state = await client.query(
      `select last_value::text as "lastValue", is_called as "isCalled" from ${quoteName(name)}`,
    );
    sequences.push({ name, ...state.rows[0] });
  }
  return sequences;
}

/** Returns the COPY statement without direction and options. */
export function copyTarget({ name, columns }: Pick<TableStart, "name" | "columns">): string {
  return `copy ${quoteName(name)} (${columns.map(quoteName).join(", ")})`;
}
