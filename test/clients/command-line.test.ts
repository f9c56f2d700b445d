/** The public command line deploys, previews and destroys a project without changes to it. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { TestApp } from "../support/apps/app.ts";
import { createKey } from "../support/apps/cast.ts";
import { shareTestApp } from "../support/apps/shared-app.ts";
import {
  copySampleProject,
  findCommandLineLack,
  runCommandLine,
} from "../support/clients/command-line.ts";
import { isLongRun, test } from "../support/long-run.ts";

const skip = await findCommandLineLack();
let app: TestApp;
let folder: string;
let key: string;

before(async () => {
  if (skip !== false) return;
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  // Private locations and the default escalation policy need the role ADMIN.
  ({ key } = await createKey(app, "ADMIN"));
  folder = await mkdtemp(join(tmpdir(), "vedette-sample-"));
  copySampleProject(join(folder, "project"));
});
after(async () => {
  if (skip !== false) return;
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

function run(list: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { accountId } = app.owner;
  const project = join(folder, "project");
  return runCommandLine({ url: app.url, key, accountId, project, variables }, list);
}

const count = async (table: string) =>
  Number((await app.query(`select count(*) as n from ${table}`)).rows[0]?.n);
/** Rows of checks, pages, components and rules, with the times of their changes. */
const readRows = () =>
  Promise.all(
    ["checks", "status_pages", "services", "status_page_cards", "status_page_rules"].map(
      async (table) =>
        (await app.query(`select to_jsonb(t) as row from ${table} t order by t::text`)).rows,
    ),
  );
const readPing = async () =>
  (await app.query("select id, name from checks where kind = 'ICMP'")).rows[0];

test("deploys every construct, then recognises them", { skip }, async () => {
  const first = await run(["deploy", "--force"]);
  assert.equal(first.code, 0, first.output);
  assert.match(first.output, /Successfully deployed/);
  assert.match(first.output, /\/ping\/[0-9a-f-]{36}/);
  assert.deepEqual(
    await Promise.all(["checks", "alert_channels", "check_groups", "dashboards"].map(count)),
    [13, 3, 1, 1],
  );
  const ping = await readPing();
  const before = await readRows();
  const again = await run(["deploy", "--force"]);
  assert.equal(again.code, 0, again.output);
  assert.equal((await readPing())?.id, ping?.id);
  assert.deepEqual(await readRows(), before);
});

test("previews an edit without storing it, then deploys it", { skip, isLong: true }, async () => {
  const variables = { PING_NAME: "Renamed" };
  const preview = await run(["deploy", "--preview"], variables);
  assert.equal(preview.code, 0, preview.output);
  assert.equal((await readPing())?.name, "Ping loopback");
  const deployed = await run(["deploy", "--force"], variables);
  assert.equal(deployed.code, 0, deployed.output);
  assert.equal((await readPing())?.name, "Renamed");
});

test("a change in the application shows as drift and is undone by a deployment", {
  skip,
  isLong: true,
}, async () => {
  const ping = await readPing();
  await app.call("PUT", `/v1/checks/${ping?.id}`, { body: { muted: true } });
  const { code, output } = await run(["deploy", "--force"], { PING_NAME: "Renamed" });
  assert.equal(code, 0, output);
  const { body } = await app.call("GET", `/v1/checks/${ping?.id}`);
  assert.equal(body.muted, false);
});

test("a failing deployment changes nothing and names the resource", {
  skip,
  isLong: true,
}, async () => {
  await app.call("POST", "/v1/status-pages", { body: { name: "T", url: "taken-url", cards: [] } });
  const variables = { PAGE_URL: "taken-url", PING_NAME: "Must not be stored" };
  const { code, output } = await run(["deploy", "--force"], variables);
  assert.equal(code, 1, output);
  assert.match(output, /status-page "page-main"/);
  assert.equal((await readPing())?.name, "Renamed");
});

test("of two deployments at once, both succeed one after the other", {
  skip,
  isLong: true,
}, async () => {
  const runs = await Promise.all(
    ["One", "Two"].map((name) => run(["deploy", "--force"], { PING_NAME: name })),
  );
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0],
    runs.map(({ output }) => output).join("\n"),
  );
  assert.match((await readPing())?.name ?? "", /^(One|Two)$/);
  assert.equal(await count("checks"), 13);
});

test("destroys the project and nothing else", { skip, isLong: true }, async () => {
  const { code, output } = await run(["destroy", "--force"]);
  assert.equal(code, 0, output);
  assert.equal(await count("checks"), 0);
  assert.equal(await count("projects"), 0);
  assert.equal(await count("status_pages"), 1);
  if (!isLongRun) return;
  const again = await run(["destroy", "--force"]);
  assert.equal(again.code, 0, again.output);
});
