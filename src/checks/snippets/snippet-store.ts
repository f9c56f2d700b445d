import type { KindSnippets } from "../../kinds/kit/definition.ts";
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

/** Returns which of the snippets exist in the account, and locks them against deletion. */
export async function holdSnippets(
  db: Database,
  accountId: string,
  ids: readonly number[],
): Promise<Set<number>> {
  const whole = ids.filter(Number.isInteger);
  if (whole.length === 0) return new Set();
  const text = `select id from snippets where account_id = $1 and id = any($2::int[])
    order by id for key share`;
  const rows = await runSql<{ id: number }>(db, text, [accountId, whole]);
  return new Set(rows.map(({ id }) => id));
}

/** Lists the snippets with the given ids, then the oldest snippet of each given name. */
async function listNamedSnippets(
  db: Database,
  accountId: string,
  { ids, names, limit }: { ids: readonly number[]; names: readonly string[]; limit: number },
): Promise<Pick<Snippet, "id" | "name" | "script">[]> {
  const text = `select id, name, script from snippets
    where account_id = $1 and (id = any($2::int[]) or id in (
      select min(id) from snippets where account_id = $1 and name = any($3::text[]) group by name))
    order by id = any($2::int[]) desc, id limit $4`;
  return runSql(db, text, [accountId, ids, names, limit]);
}

/**
 * Returns whether the script of any snippet contains one of the given snippet names. The snippet
 * with the id `exceptId` is not searched.
 */
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

/** Snippets that a run uses. */
interface UsedSnippets {
  /** Scripts of the snippets that the run executes, by snippet id. */
  readonly byId: ReadonlyMap<number, string>;
  /** Snippets that scripts import, as files in the folder `snippets`. */
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

/**
 * Matches the import of a snippet in a script, such as `require("./snippets/sign-in.js")`. In
 * imported snippets, `importedBeside` also matches `require("./sign-in")`, because these snippets
 * are in the same folder.
 */
const imported = /["'`](?:\.{1,2}\/){0,5}(?:[\w.-]+\/){0,5}snippets\/([\w.@ -]{1,255})["'`]/g;
const importedBeside = /["'`]\.\/(?:snippets\/)?([\w.@ -]{1,255})["'`]/g;

const listNames = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name.replace(/\.[jt]s$/, ""));

const maxSnippets = 50;
const maxBytes = 2 * 2 ** 20;

/**
 * Loads the snippets that scripts execute by id or import by name. Returns `null` if scripts use no
 * snippets, and an error message if the snippets cannot be used.
 */
async function loadUsedSnippets(
  db: Database,
  accountId: string,
  { ids, texts }: { readonly ids: readonly number[]; readonly texts: readonly string[] },
): Promise<UsedSnippets | string | null> {
  const byId = new Map<number, string>();
  const byName = new Map<string, string>();
  const used = new Set<number>();
  let names = [...new Set(texts.flatMap((text) => listNames(text, imported)))];
  let missing = [...new Set(ids)];
  let bytes = 0;
  while (names.length + missing.length > 0) {
    const query = { ids: missing, names, limit: maxSnippets + 1 };
    const found = await listNamedSnippets(db, accountId, query);
    const next = new Set<string>();
    for (const { id, name, script } of found) {
      used.add(id);
      bytes += Buffer.byteLength(script);
      if (missing.includes(id)) {
        byId.set(id, script);
        for (const one of listNames(script, imported)) next.add(one);
      }
      if (names.includes(name) && !byName.has(name)) {
        byName.set(name, script);
        for (const one of listNames(script, importedBeside)) next.add(one);
      }
    }
    if (used.size > maxSnippets) {
      return `The scripts of this check use more than ${maxSnippets} snippets.`;
    }
    if (bytes > maxBytes) return "The snippets of this check are larger than 2 MiB in all.";
    missing = missing.filter((id) => !byId.has(id));
    const [lost] = missing;
    if (lost !== undefined) {
      return `The snippet ${lost} of this check does not exist any more. Choose another one.`;
    }
    names = [...next].filter((name) => !byName.has(name));
  }
  if (byId.size + byName.size === 0) return null;
  const files = [...byName].map(([name, content]) => ({ path: `snippets/${name}.js`, content }));
  return { byId, files };
}

/** Adds the snippets that scripts of the request use. `fault` is `null` on success. */
export async function addUsedSnippets(
  db: Database,
  accountId: string,
  snippets: KindSnippets<unknown> | undefined,
  request: unknown,
): Promise<{ readonly request: unknown; readonly fault: string | null }> {
  if (snippets === undefined) return { request, fault: null };
  const [ids, texts] = [snippets.listIds(request), snippets.listTexts(request)];
  const found = await loadUsedSnippets(db, accountId, { ids, texts });
  if (typeof found === "string") return { request, fault: found };
  if (found === null) return { request, fault: null };
  return { request: snippets.add(request, found.byId, found.files), fault: null };
}
