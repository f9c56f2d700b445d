import type pg from "pg";

const inSchema = "relnamespace = current_schema()::regnamespace";

/**
 * For each aspect, a query with the same rows for two databases with the same schema. A row has
 * every column of the catalogue except object ids, positions that dropped columns leave empty,
 * storage, and the number of dimensions of an array, which PostgreSQL does not use.
 */
const aspects: Readonly<Record<string, string>> = {
  relations: `
    select to_jsonb(c)
      - '{oid,relnamespace,reltype,reltoastrelid,relfilenode,relnatts}'::text[]
      - '{relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid}'::text[]
    from pg_class c where ${inSchema}`,
  columns: `
    select c.relname, row_number() over (partition by c.oid order by attnum),
      to_jsonb(a) - '{attrelid,attnum,attndims,atttypid,atthasmissing,attmissingval}'::text[],
      format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid)
    from pg_class c join pg_attribute a on attrelid = c.oid
    left join pg_attrdef on adrelid = c.oid and adnum = attnum
    where ${inSchema} and attnum > 0 and not attisdropped`,
  constraints: `
    select conrelid::regclass, confrelid::regclass, conindid::regclass,
      to_jsonb(k) - '{oid,connamespace,conrelid,confrelid,conindid,conkey,confkey,conbin}'::text[],
      pg_get_constraintdef(oid)
    from pg_constraint k where connamespace = current_schema()::regnamespace`,
  indexes: `
    select pg_get_indexdef(indexrelid),
      to_jsonb(x) - '{indexrelid,indrelid,indkey,indexprs,indpred}'::text[]
    from pg_index x join pg_class c on c.oid = indexrelid where ${inSchema}`,
  triggers: `
    select pg_get_triggerdef(g.oid), tgfoid::regproc,
      to_jsonb(g) - '{oid,tgrelid,tgfoid,tgattr,tgqual}'::text[]
    from pg_trigger g join pg_class c on c.oid = tgrelid where ${inSchema} and not tgisinternal`,
  "actions of foreign keys, in their order": `
    select c.relname, row_number() over (partition by c.oid, tgtype order by tgname), conname,
      tgfoid::regproc, tgtype, tgenabled
    from pg_trigger g join pg_class c on c.oid = tgrelid
    join pg_constraint k on k.oid = tgconstraint
    where ${inSchema} and tgisinternal`,
  functions: `
    select pg_get_functiondef(oid),
      to_jsonb(p) - '{oid,pronamespace,proargtypes,prorettype}'::text[]
    from pg_proc p where pronamespace = current_schema()::regnamespace`,
  views: `
    select relname, rulename, pg_get_ruledef(r.oid), ev_type, ev_enabled, is_instead
    from pg_rewrite r join pg_class c on c.oid = ev_class where ${inSchema}`,
  sequences: "select to_jsonb(s) from pg_sequences s where schemaname = current_schema()",
  types: `
    select typname, typtype, typcategory, typacl from pg_type
    where typnamespace = current_schema()::regnamespace`,
  dependencies: `
    select distinct deptype, pg_describe_object(classid, objid, objsubid) as dependent,
      pg_describe_object(refclassid, refobjid, refobjsubid) as referenced
    from pg_depend d
    where 'pg_class'::regclass in (classid, refclassid)
      and exists (select 1 from pg_class c where c.oid in (objid, refobjid) and ${inSchema})
      and pg_describe_object(classid, objid, objsubid) !~ '"RI_Constraint|pg_toast'`,
  comments: `
    select pg_describe_object(classoid, objoid, objsubid), description from pg_description
    where objoid >= 16384`,
  others: `
    select 'policy ' || polname from pg_policy union all
    select 'statistics ' || stxname from pg_statistic_ext union all
    select 'extension ' || extname from pg_extension union all
    select 'setting ' || setconfig::text from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database()) union all
    select 'schema ' || nspname || ' ' || nspowner::regrole || coalesce(nspacl::text, '')
      from pg_namespace where nspname !~ '^pg_' union all
    select 'publication ' || pubname from pg_publication union all
    select 'rights ' || defaclacl::text from pg_default_acl`,
};

async function listRows(client: pg.Client, text: string): Promise<string[]> {
  const { rows } = await client.query({ text, rowMode: "array" });
  return rows.map((row) => JSON.stringify(row));
}

/** Everything that a schema consists of, and the rows of its tables, one line each. */
export async function describeSchema(client: pg.Client): Promise<Set<string>> {
  const lines: string[] = [];
  for (const [aspect, text] of Object.entries(aspects)) {
    for (const row of await listRows(client, text)) lines.push(`${aspect}: ${row}`);
  }
  const { rows } = await client.query<{ text: string }>(
    `select string_agg(format('select %1$L, to_jsonb(t) - ''applied_at'' from %1$I t', relname),
        ' union all ') as text
      from pg_class where ${inSchema} and relkind in ('r', 'p')`,
  );
  for (const row of await listRows(client, rows[0]?.text ?? "")) lines.push(`rows: ${row}`);
  return new Set(lines);
}
