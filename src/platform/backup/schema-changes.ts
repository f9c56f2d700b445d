import type pg from "pg";
import { ExplainedError } from "../errors.ts";
import { quoteName } from "./session.ts";

const own = `relnamespace = current_schema()::regnamespace
  and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

async function listNames(client: pg.Client, kinds: string, more = ""): Promise<string[]> {
  const { rows } = await client.query(
    `select relname as name from pg_class c where ${own} and relkind = any($1::"char"[]) ${more}
      order by relname`,
    [kinds.split("")],
  );
  return rows.map(({ name }) => name);
}

async function dropFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`
    select oid::regprocedure::text as signature from pg_proc c
    where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')`);
  for (const { signature } of rows) {
    await client.query(`drop routine if exists ${signature} cascade`);
  }
}

/**
 * Removes Vedette's objects from the schema, or throws if there is anything that must not be
 * removed.
 */
export async function clearSchema(client: pg.Client, shouldOverwrite: boolean): Promise<void> {
  const tables = await listNames(client, "rp", "and not relispartition");
  if (tables.length === 0) return;
  if (!tables.includes("migrations") || !tables.includes("accounts")) {
    throw new ExplainedError(
      `The database has tables that are not Vedette's (${tables.slice(0, 3).join(", ")}).\n` +
        "Restore into a separate database: name another one in DATABASE_URL.",
    );
  }
  if (!shouldOverwrite) {
    throw new ExplainedError(
      "The database already contains data of Vedette, which a restore would replace.\n" +
        "Name an empty one with DATA_DIR or DATABASE_URL, or add `--overwrite` to replace the data.",
    );
  }
  for (const name of await listNames(client, "vm")) {
    await client.query(`drop view if exists ${quoteName(name)} cascade`);
  }
  await client.query(`drop table ${tables.map(quoteName).join(", ")} cascade`);
  await dropFunctions(client);
}

interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

export interface Loosened {
  readonly references: readonly Constraint[];
  readonly triggered: readonly string[];
}

/**
 * Prepares the schema for loading: without references between tables, without triggers, and without
 * the rows and partitions that the migrations created.
 */
export async function loosenSchema(client: pg.Client): Promise<Loosened> {
  const { rows: references } = await client.query<Constraint>(`
    select t.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class t on t.oid = k.conrelid
    where k.contype = 'f' and k.conparentid = 0
      and t.relnamespace = current_schema()::regnamespace
    order by t.relname, k.conname`);
  for (const { table, name } of references) {
    await client.query(`alter table ${quoteName(table)} drop constraint ${quoteName(name)}`);
  }
  for (const name of await listNames(client, "r", "and relispartition")) {
    await client.query(`drop table ${quoteName(name)}`);
  }
  const tables = await listNames(client, "rp");
  await client.query(`truncate ${tables.map(quoteName).join(", ")}`);
  const { rows } = await client.query<{ name: string }>(`
    select distinct c.relname as name from pg_trigger g join pg_class c on c.oid = g.tgrelid
    where not g.tgisinternal and g.tgenabled = 'O' and ${own} order by 1`);
  const triggered = rows.map(({ name }) => name);
  for (const name of triggered) {
    await client.query(`alter table ${quoteName(name)} disable trigger user`);
  }
  return { references, triggered };
}

/** Restores triggers and references, and validates the references against the rows. */
export async function tightenSchema(client: pg.Client, loosened: Loosened): Promise<void> {
  for (const name of loosened.triggered) {
    await client.query(`alter table ${quoteName(name)} enable trigger user`);
  }
  for (const { table, name, definition } of loosened.references) {
    await client.query(
      `alter table ${quoteName(table)} add constraint ${quoteName(name)} ${definition}`,
    );
  }
}
