/** docs/database.md lists what a migrated database does by itself. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type pg from "pg";
import {
  createTestDatabase,
  openTestPool,
  type TestDatabase,
} from "./support/database/database.ts";
import { projectFolder } from "./support/project/source-files.ts";

const page = readFileSync(join(projectFolder, "docs/database.md"), "utf8");

let database: TestDatabase;
let pool: pg.Pool;
before(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
});
after(async () => {
  await pool.end();
  await database.drop();
});

/** Rows of the tables whose header starts with these columns, without what is not code. */
function listRows(...header: readonly string[]): string[] {
  return page
    .split("\n\n")
    .filter((block) => block.startsWith(`| ${header.join(" | ")} |`))
    .flatMap((block) => block.trim().split("\n").slice(2))
    .map((row) => row.split(" | ").slice(0, header.length).join(" | ").replace("| ", ""))
    .sort();
}

async function list(text: string): Promise<string[]> {
  const { rows } = await pool.query<{ row: string }>(text);
  return rows.map(({ row }) => row).sort();
}

test("docs/database.md has every trigger, with its table and what it follows", async () => {
  const expected = await list(`
    select format('\`%s\` | \`%s\` | %s', tgname, c.relname, lower(
        substring(pg_get_triggerdef(g.oid, true) from ' AFTER (.*) ON ' || c.relname))) as row
    from pg_trigger g join pg_class c on c.oid = tgrelid where not tgisinternal`);
  assert.deepEqual(listRows("trigger", "table", "after"), expected);
});

test("docs/database.md names the function of each trigger in the section of the trigger", async () => {
  const { rows } = await pool.query<{ trigger: string; function: string }>(`
    select tgname as trigger, tgfoid::regproc::text as function from pg_trigger
    where not tgisinternal`);
  const missing = rows.filter(
    (row) =>
      !page
        .split("\n## ")
        .some(
          (section) =>
            section.includes(`| \`${row.trigger}\``) && section.includes(`\`${row.function}\``),
        ),
  );
  assert.deepEqual(missing, []);
});

test("docs/database.md has every other function, with what uses it", async () => {
  const expected = await list(`
    select format('\`%s\`', proname) as row from pg_proc
    where pronamespace = current_schema()::regnamespace and prorettype <> 'trigger'::regtype
      and proname <> 'notify_change'`);
  assert.deepEqual(listRows("function"), expected);
  assert.match(page, /`notify_change`/);
  const uses = await list(`
    select format('\`%s\` | \`%s\`', f.proname, uses.name) as row
    from pg_proc f join (
      select relname as name, pg_get_viewdef(oid) as text from pg_class where relkind = 'v'
      union all select relname || '.' || attname, pg_get_expr(adbin, adrelid)
        from pg_attrdef join pg_class c on c.oid = adrelid
        join pg_attribute on attrelid = adrelid and attnum = adnum
      union all select proname, prosrc from pg_proc
        where pronamespace = current_schema()::regnamespace and prorettype <> 'trigger'::regtype
    ) as uses on text like '%' || proname || '(%'
    where f.pronamespace = current_schema()::regnamespace`);
  assert.deepEqual(listRows("function", "used by"), uses);
});

test("docs/database.md has every generated column", async () => {
  const expected = await list(`
    select format('\`%s.%s\`', relname, attname) as row
    from pg_attribute join pg_class c on c.oid = attrelid
    where attgenerated <> '' and not attisdropped`);
  assert.deepEqual(listRows("column"), expected);
});
