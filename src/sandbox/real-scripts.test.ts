/** Scripts as users write them, unchanged, in the installed runtimes. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { isLongRun, test } from "../../test/support/long-run.ts";
import {
  expectMeasured,
  installTestBrowser,
  orderScript,
  startScriptRunner,
} from "../../test/support/scripts/script-runner.ts";
import { shopPassword, startShop } from "../../test/support/scripts/shop.ts";
import { installRuntime, removeRuntime } from "./runtimes/install.ts";
import { findRuntime } from "./runtimes/installed.ts";
import { listInstallable } from "./runtimes/packages.ts";
import type { ScriptRunner } from "./script-run.ts";

const scripts = join(import.meta.dirname, "../../test/support/scripts/user-scripts");

/** An installation takes a minute each; a folder that remains saves it while working on this. */
const given = process.env.TEST_RUNTIMES;
const folder = given ?? (isLongRun ? mkdtempSync(join(tmpdir(), "vedette-runtimes-")) : "");
let runner: ScriptRunner;
let shop: Awaited<ReturnType<typeof startShop>>;

before(async () => {
  if (!isLongRun) return;
  if (given === undefined) chmodSync(folder, 0o755);
  for (const name of listInstallable()) {
    await installRuntime(name, { runtimesFolder: folder, environment: process.env });
  }
  await installTestBrowser();
  shop = await startShop();
  runner = startScriptRunner({
    findRuntime: (name) => findRuntime(folder, name),
    cacheFolder: join(folder, ".warm"),
  });
});
after(async () => {
  if (!isLongRun) return;
  await runner.close();
  shop.stop();
  if (given !== undefined) return;
  for (const name of listInstallable()) await removeRuntime(name, { runtimesFolder: folder });
  rmSync(folder, { recursive: true, force: true });
});

async function run(runtime: string, file: string, usesBrowser: boolean) {
  const script = readFileSync(join(scripts, file), "utf8");
  const variables = { ENVIRONMENT_URL: shop.url, PASSWORD: shopPassword };
  const order = orderScript(script, { runtime }, { usesBrowser, variables });
  const names: string[] = [];
  const outcome = await runner.run(order, undefined, (files) => {
    names.push(...files.map(({ name }) => name));
  });
  return { ...expectMeasured(outcome), names };
}

for (const runtime of listInstallable()) {
  for (const [file, usesBrowser, expected] of [
    ["login.spec.ts", true, { files: ["account.jpg"] }],
    ["api-chain.spec.ts", false, {}],
    ["download.spec.ts", true, { files: ["invoice.csv"] }],
    ["frames-and-popups.spec.ts", true, {}],
    ["axios-and-chai.cjs", false, { log: "orders 3" }],
    ["playwright-library.cjs", true, { files: ["account.png"] }],
    ["signed-request.cjs", false, { log: "status 200" }],
  ] as const) {
    test(`${file} runs in ${runtime}`, { isLong: true }, async () => {
      const { end, errors, logs, names } = await run(runtime, file, usesBrowser);
      assert.deepEqual([end, errors], ["passed", []], JSON.stringify(logs));
      const { files = [], log = null } = { files: [], log: null, ...expected };
      assert.deepEqual(names, files);
      assert.equal(logs[0]?.text ?? null, log);
    });
  }
}
