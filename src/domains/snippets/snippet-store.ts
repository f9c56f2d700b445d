import { type Database, runSql } from "../../platform/database.ts";

export interface Snippet {
  readonly id: number;
  readonly name: string;
  readonly script: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export type SnippetInput = Pick<Snippet, "name" | "script">;

const columns = `id, name, script, created_at as "createdAt", updated_at as "updatedAt"`;

export async function insertSnippet(
  db: Database,
  accountId: string,
  { name, script, createdAt }: SnippetInput & Pick<Snippet, "createdAt">,
): Promise<Snippet> {
  const text = `insert into snippets (account_id, name, script, created_at)
    values ($1, $2, $3, $4) returning ${columns}`;
  const [row] = await runSql<Snippet>(db, text, [accountId, name, script, createdAt]);
  if (row === undefined) throw new Error("The snippet was not inserted.");
  return row;
}

export async function countSnippets(db: Database, accountId: string): Promise<number> {
  const text = "select count(*)::int as count from snippets where account_id = $1";
  const [row] = await runSql<{ count: number }>(db, text, [accountId]);
  return row?.count ?? 0;
}

export async function listSnippets(
  db: Database,
  accountId: string,
  { limit, page }: { readonly limit: number; readonly page: number },
): Promise<Snippet[]> {
  const text = `select ${columns} from snippets where account_id = $1
    order by id limit $2 offset $3`;
  return runSql(db, text, [accountId, limit, Math.max(0, page - 1) * limit]);
}

export async function findSnippet(
  db: Database,
  accountId: string,
  id: number,
): Promise<Snippet | null> {
  const text = `select ${columns} from snippets where account_id = $1 and id = $2`;
  const [row] = await runSql<Snippet>(db, text, [accountId, id]);
  return row ?? null;
}

/** Lists snippets by id or by name; the oldest of a name comes first. */
export async function listNamedSnippets(
  db: Database,
  accountId: string,
  { ids, names, limit }: { ids: readonly number[]; names: readonly string[]; limit: number },
): Promise<Pick<Snippet, "id" | "name" | "script">[]> {
  const text = `select id, name, script from snippets
    where account_id = $1 and (id = any($2::int[]) or name = any($3::text[]))
    order by id limit $4`;
  return runSql(db, text, [accountId, ids, names, limit]);
}

/** Returns whether the script of another snippet contains one of the names. */
export async function isInSnippet(
  db: Database,
  accountId: string,
  { names, exceptId }: { readonly names: readonly string[]; readonly exceptId: number | null },
): Promise<boolean> {
  const query = `select 1 from snippets, unnest($2::text[]) as wanted (word)
    where account_id = $1 and id is distinct from $3 and position(wanted.word in script) > 0
    limit 1`;
  return (await runSql(db, query, [accountId, names, exceptId])).length > 0;
}

export async function updateSnippet(
  db: Database,
  accountId: string,
  { id, name, script, at }: SnippetInput & { readonly id: number; readonly at: Date },
): Promise<Snippet | null> {
  const text = `update snippets set name = $3, script = $4, updated_at = $5
    where account_id = $1 and id = $2 returning ${columns}`;
  const [row] = await runSql<Snippet>(db, text, [accountId, id, name, script, at]);
  return row ?? null;
}

export async function deleteSnippet(
  db: Database,
  accountId: string,
  id: number,
): Promise<{ readonly name: string } | null> {
  const text = "delete from snippets where account_id = $1 and id = $2 returning name";
  const [row] = await runSql<{ name: string }>(db, text, [accountId, id]);
  return row ?? null;
}
