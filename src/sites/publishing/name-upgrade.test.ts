/** Names from before the common table of names. */
import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { migrate, migrationsFolder } from "../../platform/migrations.ts";
import { claimNames, findPageIdByName, listNamedPages } from "./name-store.ts";

const account = "00000000-0000-7000-8000-000000000001";
const other = "00000000-0000-7000-8000-000000000002";
const page = "00000000-0000-7000-8000-00000000000a";
/** Its label is the id of a dashboard, which was allowed. */
const namesake = "00000000-0000-7000-8000-00000000000b";

const oldRows = `
  insert into accounts (id, name, created_at)
    values ('${account}', 'a', now()), ('${other}', 'b', now());
  insert into status_pages (id, account_id, name, url, is_private, settings, version, created_at)
    values ('${page}', '${account}', 'p', 'acme', false, '{}', 1, now()),
      ('${namesake}', '${other}', 'p', 'abcdefgh', true, '{}', 1, now());
  insert into dashboards (account_id, dashboard_id, settings, css_warnings, created_at)
    values ('${account}', 'abcdefgh', '{}', '[]', now()),
      ('${other}', 'ijklmnop', '{}', '[]', now());
  insert into dashboard_names (name, kind, dashboard_id) values ('abcdefgh', 'id', 'abcdefgh'),
    ('ijklmnop', 'id', 'ijklmnop'), ('lobby', 'url', 'ijklmnop');
  insert into page_domains (domain, account_id, page_kind, page_id)
    values ('status.acme.test', '${account}', 'status-page', '${page}'),
      ('lobby.acme.test', '${other}', 'dashboard', 'ijklmnop');`;

test("an upgrade keeps every name, and all of them stay reserved", async (t) => {
  const database = await createTestDatabase({ isEmpty: true });
  const connection = { connectionString: database.url };
  const folder = await mkdtemp(join(tmpdir(), "vedette-upgrade-"));
  const { db, pool, close } = openDatabase(connection, captureLog().log);
  t.after(async () => {
    await close();
    await database.drop();
    await rm(folder, { recursive: true });
  });
  for (const file of await readdir(migrationsFolder)) {
    if (file < "0027") await cp(join(migrationsFolder, file), join(folder, file));
  }
  await migrate(connection, folder);
  await pool.query(oldRows);
  await migrate(connection);
  assert.deepEqual(await listNamedPages(db), [
    { pageKind: "dashboard", pageId: "ijklmnop", label: "lobby", domain: "lobby.acme.test" },
    { pageKind: "status-page", pageId: page, label: "acme", domain: "status.acme.test" },
    { pageKind: "status-page", pageId: namesake, label: "abcdefgh", domain: null },
  ]);
  const { rows } = await pool.query("select domain, proof from page_domains order by domain");
  assert.deepEqual(rows, [
    { domain: "lobby.acme.test", proof: null },
    { domain: "status.acme.test", proof: null },
  ]);
  for (const [name, id] of [
    ["ABCDEFGH", "abcdefgh"],
    ["ijklmnop", "ijklmnop"],
    ["lobby", "ijklmnop"],
  ] as const) {
    assert.equal(await findPageIdByName(db, "dashboard", name), id);
  }
  assert.equal(await findPageIdByName(db, "status-page", "abcdefgh"), namesake);
  const dashboard = {
    pageKind: "dashboard",
    pageId: "qrstuvwx",
    labelField: "customUrl",
    isProofRequired: false,
    at: new Date(),
  } as const;
  for (const label of ["Acme", "lobby", "ijklmnop", "abcdefgh"]) {
    const claim = claimNames(db, account, { ...dashboard, label, domain: null });
    await assert.rejects(claim, new RegExp(`customUrl ${label} is taken`));
  }
  const claim = claimNames(db, account, { ...dashboard, label: null, domain: "lobby.acme.test" });
  await assert.rejects(claim, /customDomain lobby.acme.test is taken/);
});
