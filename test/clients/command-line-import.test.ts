/** The public command line imports an account, and deploys the code that it wrote. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { TestApp } from "../support/apps/app.ts";
import { createKey } from "../support/apps/cast.ts";
import { shareTestApp } from "../support/apps/shared-app.ts";
import {
  findCommandLineLack,
  linkCommandLine,
  runCommandLine,
} from "../support/clients/command-line.ts";
import { createSampleAccount, sampleSecrets } from "../support/clients/sample-account.ts";
import { isLongRun, test } from "../support/long-run.ts";

const skip = await findCommandLineLack();
let app: TestApp;
let folder: string;
let key: string;

before(async () => {
  if (skip !== false) return;
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  ({ key } = await createKey(app, "READ_WRITE"));
  folder = await mkdtemp(join(tmpdir(), "vedette-import-"));
  mkdirSync(join(folder, "project"));
  linkCommandLine(join(folder, "project"));
  await writeFile(join(folder, "project", "package.json"), '{ "name": "imported" }');
  await writeFile(
    join(folder, "project", "checkly.config.js"),
    `module.exports = require("checkly").defineConfig({
      projectName: "Imported", logicalId: "imported", checks: { checkMatch: "**/*.check.ts" },
    });`,
  );
});
after(async () => {
  // Its only test is long; without it, nothing was started.
  if (skip !== false || !isLongRun) return;
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = (list: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  runCommandLine(
    {
      url: app.url,
      key,
      accountId: app.owner.accountId,
      project: join(folder, "project"),
      variables,
    },
    list,
  );

/** Tables with everything that an import adopts. */
const tables = [
  "alert_channels",
  "alert_channel_subscriptions",
  "check_groups",
  "checks",
  "private_locations",
  "status_pages",
  "services",
  "maintenance_windows",
  "dashboards",
];

/** All rows with their encrypted secrets: the same text is the same secret. */
async function readRows(): Promise<Record<string, unknown>> {
  const rows = await Promise.all(
    tables.map(async (table) => {
      const found = await app.query(`select to_jsonb(t) as row from ${table} t order by t::text`);
      return [table, found.rows.map(({ row }) => row)] as const;
    }),
  );
  return Object.fromEntries(rows);
}

function readCode(): string {
  const root = join(folder, "project", "__checks__");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, name), "utf8"))
    .join("\n");
}

/** Stands for the stored value in code and in the client's environment. */
const mask = "********";
const variables = { CHECKLY_SECRET_TOKEN: mask };

test("an import writes code without secrets, which deploys without a change", {
  isLong: true,
  skip,
}, async () => {
  await createSampleAccount(app);
  const stored = await readRows();
  const answers = JSON.stringify(["init", "all", true, true]);
  const imported = await run(["import"], { CHECKLY_E2E_PROMPTS_INJECTIONS: answers });
  assert.equal(imported.code, 0, imported.output);
  assert.match(imported.output, /Your import plan has been committed/);
  const code = readCode();
  for (const secret of Object.values(sampleSecrets)) assert.ok(!code.includes(secret), secret);
  assert.match(code, /AlertChannel\.fromId\(\d+\)/);

  const preview = await run(["deploy", "--preview"], variables);
  assert.equal(preview.code, 0, preview.output);
  assert.doesNotMatch(preview.output, /Create:|Delete:/);
  const deployed = await run(["deploy", "--force"], variables);
  assert.equal(deployed.code, 0, deployed.output);
  assert.deepEqual(await readRows(), stored);
  const again = await run(["deploy", "--force"], variables);
  assert.equal(again.code, 0, again.output);
  assert.deepEqual(await readRows(), stored);
});
