/** The public command line uploads, deploys and tests a suite of Playwright tests. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { ScriptOrder } from "../../src/sandbox/script-run.ts";
import { readArchive } from "../../src/sandbox/suites/archive.ts";
import type { TestApp } from "../support/apps/app.ts";
import { createKey } from "../support/apps/cast.ts";
import {
  findCommandLineLack,
  linkCommandLine,
  runCommandLine,
} from "../support/clients/command-line.ts";
import { test } from "../support/long-run.ts";
import { startScriptedApp } from "../support/scripts/scripted-app.ts";

const skip = await findCommandLineLack();
let app: TestApp;
let orders: ScriptOrder[];
let folder: string;
let key: string;

const dependencies = { "@playwright/test": "1.51.1" };
const files = {
  "package.json": JSON.stringify({ name: "shop", private: true, dependencies }),
  "package-lock.json": JSON.stringify({
    ...{ name: "shop", lockfileVersion: 3, requires: true },
    packages: {
      "": { name: "shop", dependencies },
      "node_modules/@playwright/test": { version: "1.51.1" },
    },
  }),
  "checkly.config.js": `
module.exports = {
  projectName: "Shop", logicalId: "shop",
  checks: { checkMatch: "checks/*.check.js" },
};`,
  "checks/suite.check.js": `const { PlaywrightCheck } = require("checkly/constructs");
new PlaywrightCheck("shop-suite", {
  name: "Shop suite", frequency: 10, activated: false, locations: ["eu-west-1"],
  playwrightConfigPath: "../playwright.config.js",
  pwProjects: ["Desktop Chrome"], pwTags: ["@fast", "@slow"],
});`,
  "playwright.config.js": `module.exports = {
  testDir: "./tests", projects: [{ name: "Desktop Chrome", use: { browserName: "chromium" } }],
};`,
  "tests/shop.spec.js": `const { test } = require("@playwright/test");
const { name } = require("../lib/names");
test(name, () => {});`,
  "lib/names.js": `module.exports = { name: "the shop is open" };`,
};

before(async () => {
  if (skip !== false) return;
  ({ app, orders } = await startScriptedApp());
  ({ key } = await createKey(app, "READ_WRITE"));
  folder = await mkdtemp(join(tmpdir(), "vedette-suite-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  linkCommandLine(folder);
});
after(async () => {
  if (skip !== false) return;
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

function run(...list: readonly string[]) {
  const { accountId } = app.owner;
  return runCommandLine({ url: app.url, key, accountId, project: folder }, list);
}

/** Returns the paths of the code that the last order names. */
async function readCode(): Promise<string[]> {
  const code = await orders.at(-1)?.loadCode?.();
  if (!Buffer.isBuffer(code)) assert.fail(JSON.stringify(code));
  const archive = await readArchive(code);
  return "fault" in archive ? assert.fail(archive.fault) : archive.files.map(({ path }) => path);
}

test("deploys a suite with its code, then tests and triggers it", { skip }, async () => {
  const deployed = await run("deploy", "--force");
  assert.equal(deployed.code, 0, deployed.output);
  const [check] = (await app.call("GET", "/v1/checks")).body;
  assert.equal(check.checkType, "PLAYWRIGHT");
  const { codeBundlePath, testCommand, workingDir, browsers, playwrightVersion } = check;
  assert.match(codeBundlePath, /^bundle\/[0-9a-f]{64}$/);
  assert.deepEqual(
    { testCommand, workingDir, browsers, playwrightVersion },
    {
      testCommand:
        "npx playwright test --config playwright.config.js --project 'Desktop Chrome' --grep '@fast|@slow'",
      workingDir: ".",
      browsers: ["chromium"],
      playwrightVersion: "1.51.1",
    },
  );
  const triggered = await run("trigger", "--check-id", check.id);
  assert.equal(triggered.code, 0, triggered.output);
  assert.deepEqual(orders.at(-1)?.request.suite?.values, [
    ...["--project=Desktop Chrome", "--grep=@fast|@slow"],
  ]);
  const paths = await readCode();
  for (const path of ["package-lock.json", "tests/shop.spec.js", "lib/names.js"]) {
    assert.ok(paths.includes(path), `${path} is missing in ${paths}`);
  }
});

test("runs a suite that is not deployed, and prints its logs at once", {
  skip,
  isLong: true,
}, async () => {
  const { code, output } = await run("pw-test", "--stream-logs", "--", "--project=Desktop Chrome");
  assert.equal(code, 0, output);
  assert.match(output, /slow/);
  assert.match(output, /✓ shop \(800 ms\)/);
  assert.deepEqual(orders.at(-1)?.request.suite?.configPath, "playwright.config.js");
  assert.ok((await readCode()).includes("lib/names.js"));
});
