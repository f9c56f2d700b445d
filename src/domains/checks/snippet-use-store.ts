import { type Database, runSql } from "../../platform/database.ts";

/** Returns whether a check or group runs the snippet by its id, or may import it by a name. */
export async function isSnippetUsed(
  db: Database,
  accountId: string,
  { id, names }: { readonly id: number | null; readonly names: readonly string[] },
): Promise<boolean> {
  const uses = `account_id = $1 and (settings ->> 'setupSnippetId' = $2
    or settings ->> 'tearDownSnippetId' = $2 or (position('snippets/' in settings::text) > 0
      and exists (select from unnest($3::text[]) as wanted (word)
        where position(wanted.word in settings::text) > 0)))`;
  const text = `select 1 where exists (select from checks where ${uses})
    or exists (select from check_groups where ${uses})`;
  return (await runSql(db, text, [accountId, id === null ? null : String(id), names])).length > 0;
}
