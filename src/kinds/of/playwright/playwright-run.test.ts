/** Suites of Playwright tests from the API to the browser and back. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { makeCertificate } from "../../../../test/support/certificates/make-certificate.ts";
import { test } from "../../../../test/support/long-run.ts";
import {
  expectMeasured,
  orderScript,
  startScriptRunner,
} from "../../../../test/support/scripts/script-runner.ts";
import { packCode, packPlaywright } from "../../../../test/support/scripts/suite-code.ts";
import {
  type NpmRegistry,
  packRuntime,
  startNpmRegistry,
} from "../../../../test/support/servers/npm-registry.ts";
import type { AssetRun, RunAsset } from "../../../contract/run-asset.ts";
import { systemClock } from "../../../platform/clock.ts";
import { findSandboxNpm } from "../../../sandbox/runtimes/npm.ts";
import { removeTree } from "../../../sandbox/runtimes/workspace.ts";
import type { ScriptOrder, Suite } from "../../../sandbox/script-run.ts";
import type { ProberTools } from "../../kit/prober.ts";
import { probers } from "../../probers.ts";
import { startSuiteProber } from "./prober.ts";

const shop = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<title>Shop</title><h1>Lamps</h1>");
});

const packed = packPlaywright();
const saved = new Map<string, readonly RunAsset[]>();
const assets = {
  save: async ({ runId }: AssetRun, files: readonly RunAsset[]) => void saved.set(runId, files),
};
let app: TestApp;
let registry: NpmRegistry;
let folder = "";
let base = "";
let checkId = "";
before(async () => {
  registry = await startNpmRegistry(packed);
  folder = mkdtempSync(join(tmpdir(), "vedette-suites-"));
  const scripts = startScriptRunner({
    suitesFolder: folder,
    npm: findSandboxNpm({ PATH: process.env.PATH, npm_config_registry: registry.url }),
  });
  const PLAYWRIGHT = (tools: ProberTools) => startSuiteProber({ ...tools, scripts, assets });
  app = await startTestApp({}, { probers: { ...probers, PLAYWRIGHT }, clock: systemClock });
  await new Promise<void>((resume) => shop.listen(0, "127.0.0.1", resume));
  base = `http://localhost:${(shop.address() as AddressInfo).port}`;
});
after(async () => {
  await app.stop();
  shop.close();
  await registry.stop();
  await removeTree(folder);
});

const config = `import { defineConfig } from "@playwright/test";
export default defineConfig({
  testDir: "./tests",
  retries: 0,
  projects: [{ name: "desktop", use: { viewport: { width: 800, height: 600 } } }],
});`;
const spec = `import { test, expect } from "@playwright/test";
import { heading } from "../lib/names";
test("the shop has lamps", async ({ page }) => {
  await test.step("Open the shop", () => page.goto(process.env.BASE as string));
  await expect(page.getByRole("heading")).toHaveText(heading, { timeout: 500 });
});
test("the shop answers", async ({ request }) => {
  console.log("asking");
  await expect(await request.get(process.env.BASE as string)).toBeOK();
});`;

const writeCode = (heading: string) =>
  packCode({
    "package.json": JSON.stringify(packed.manifest),
    "package-lock.json": JSON.stringify(packed.lock),
    "e2e/playwright.config.ts": config,
    "e2e/tests/shop.spec.ts": spec,
    "e2e/lib/names.ts": `export const heading = ${JSON.stringify(heading)};`,
  });

async function upload(content: Buffer): Promise<string> {
  const headers = { "content-type": "application/octet-stream" };
  const path = "/next/checkly-storage/upload-code-bundle";
  const { status, body, text } = await app.call("POST", path, {
    rawBody: Uint8Array.from(content),
    headers,
  });
  assert.equal(status, 200, text);
  return body.key;
}

async function run(checkId: string) {
  const { body } = await app.call("POST", "/v2/check-sessions/trigger", {
    body: { target: { checkId: [checkId] } },
  });
  const path = `/v2/check-sessions/${body.sessions[0].checkSessionId}/completion`;
  let ended = await app.call("GET", path);
  for (let tries = 0; ended.status === 408 && tries < 10; tries += 1) {
    ended = await app.call("GET", path);
  }
  const [{ checkResultId }] = ended.body.results;
  const { body: result } = await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`);
  return { result, document: result.playwrightCheckResult };
}

test("a suite runs with its own packages and configuration, and a failed test is explained", {
  isLong: true,
}, async () => {
  const made = await app.call("POST", "/v1/checks/playwright", {
    body: {
      name: "Shop",
      frequency: 1_440,
      codeBundlePath: await upload(writeCode("Chairs")),
      workingDir: "e2e",
      testCommand: "npx playwright test --config playwright.config.ts --project desktop",
      environmentVariables: [{ key: "BASE", value: base }],
    },
  });
  assert.equal(made.status, 201, made.text);
  const failed = await run(made.body.id);
  assert.equal(failed.result.verdict, "failing", JSON.stringify(failed.result));
  const { document } = failed;
  assert.match(document.errors[0].message, /Chairs/);
  assert.deepEqual(
    [document.errors[0].file, document.errors[0].line],
    ["e2e/tests/shop.spec.ts", 5],
  );
  const tests = document.steps.filter(({ depth }: { depth: number }) => depth === 0);
  assert.deepEqual(
    tests.map(({ title, error }: { title: string; error: unknown }) => [title, error === null]),
    [
      ["desktop › shop.spec.ts › the shop has lamps", false],
      ["desktop › shop.spec.ts › the shop answers", true],
    ],
  );
  assert.equal(document.pages[0].url, `${base}/`);
  assert.match(JSON.stringify(document.jobLog), /asking/);
  const types = (saved.get(failed.result.id) ?? []).map(({ type }) => type);
  assert.deepEqual([...new Set(types)].sort(), ["screenshot", "trace"]);
  assert.equal(registry.downloads.length, 3);
  checkId = made.body.id;
});

test("changed code runs with the packages that are installed", { isLong: true }, async () => {
  const changed = await app.call("PUT", `/v1/checks/playwright/${checkId}`, {
    body: { codeBundlePath: await upload(writeCode("Lamps")) },
  });
  assert.equal(changed.status, 200, changed.text);
  const passed = await run(checkId);
  assert.equal(passed.result.verdict, "passing", JSON.stringify(passed.document));
  assert.equal(registry.downloads.length, 3, "the packages are installed once");
});

function orderSuite(code: Buffer): ScriptOrder {
  const suite: Suite = {
    bundle: `bundle/${createHash("sha256").update(code).digest("hex")}`,
    cacheHash: "",
    values: [],
    configPath: null,
    workingDir: "",
    engine: "node",
    engineVersion: null,
  };
  return { ...orderScript("", { suite }), loadCode: async () => code };
}

test("npm and scripts trust the certificate authority that the operator trusts", async (t) => {
  const authority = makeCertificate({ name: "Company", isAuthority: true });
  const certificate = makeCertificate({ names: ["localhost", "127.0.0.1"], issuer: authority });
  const tiny = packRuntime([{ name: "tiny", files: { "index.js": "" } }]);
  const secure = await startNpmRegistry(tiny, certificate);
  t.after(() => secure.stop());
  const path = join(folder, "authority.pem");
  writeFileSync(path, authority.cert);
  const code = packCode({
    "package.json": JSON.stringify(tiny.manifest),
    "package-lock.json": JSON.stringify(tiny.lock),
  });
  const npm = { PATH: process.env.PATH, npm_config_registry: secure.url };
  const settings = [
    [{ authorities: path }, npm],
    [{}, { ...npm, npm_config_cafile: path }],
  ] as const;
  for (const [index, [trusted, environment]] of settings.entries()) {
    const scripts = startScriptRunner({
      ...{ suitesFolder: join(folder, `trust-${index}`), npm: findSandboxNpm(environment) },
      ...trusted,
    });
    t.after(() => scripts.close());
    const { errors } = expectMeasured(await scripts.run(orderSuite(code)));
    // The packages are there, and lack only what tests need.
    assert.match(errors[0]?.message ?? "", /does not install @playwright\/test/);
    if (index > 0) continue;
    const script = `fetch("${secure.url}tiny").then(({ status }) => console.log(status));`;
    const { logs } = expectMeasured(await scripts.run(orderScript(script)));
    assert.equal(logs[0]?.text, "200");
  }
  assert.deepEqual(secure.downloads, ["tiny.tgz", "tiny.tgz"]);
});

test("settings of npm in the code cannot reach addresses that the probe denies", async () => {
  const scripts = startScriptRunner({
    suitesFolder: join(folder, "denied"),
    npm: findSandboxNpm({ PATH: process.env.PATH }),
    reach: { allow: [], deny: ["127.0.0.0/8"] },
  });
  const code = packCode({
    "package.json": JSON.stringify(packed.manifest),
    "package-lock.json": JSON.stringify(packed.lock),
    ".npmrc": `registry=${registry.url}\n`,
  });
  const count = registry.downloads.length;
  const { end, errors } = expectMeasured(await scripts.run(orderSuite(code)));
  await scripts.close();
  assert.equal(end, "failed");
  assert.match(errors[0]?.message ?? "", /^npm may not connect to 127\.0\.0\.1: /);
  assert.equal(registry.downloads.length, count);
});
