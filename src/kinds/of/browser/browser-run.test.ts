/** Browser checks from the API to the browser and back, against a shop on this machine. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { triggerRun } from "../../../../test/support/apps/trigger.ts";
import { test } from "../../../../test/support/long-run.ts";
import {
  expectMeasured,
  orderScript,
  startScriptRunner,
} from "../../../../test/support/scripts/script-runner.ts";
import { shopPassword, startShop } from "../../../../test/support/scripts/shop.ts";
import type { AssetRun, RunAsset } from "../../../contract/run-asset.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { ScriptRequest, ScriptRunner } from "../../../sandbox/script-run.ts";
import type { ProberTools } from "../../kit/prober.ts";
import { probers } from "../../probers.ts";
import { startBrowserProber } from "./prober.ts";

const saved = new Map<string, readonly RunAsset[]>();
const assets = {
  save: async ({ runId }: AssetRun, files: readonly RunAsset[]) => void saved.set(runId, files),
};
let app: TestApp;
let runner: ScriptRunner;
let base = "";
let shop: Awaited<ReturnType<typeof startShop>>;
before(async () => {
  runner = startScriptRunner();
  const BROWSER = (tools: ProberTools) => startBrowserProber({ ...tools, scripts: runner, assets });
  app = await startTestApp({}, { probers: { ...probers, BROWSER }, clock: systemClock });
  shop = await startShop();
  base = shop.url;
});
after(async () => {
  await app.stop();
  shop.stop();
});

async function runCheck(script: string) {
  const environmentVariables = [{ key: "BASE", value: base }];
  const body = { name: "Shop", frequency: 1_440, script, environmentVariables };
  const made = await app.call("POST", "/v1/checks/browser", { body });
  assert.equal(made.status, 201, made.text);
  const { body: result } = await triggerRun(app, made.body.id);
  return { checkId: made.body.id, result, document: result.browserCheckResult };
}

test("a failed test is explained by its page's errors and vitals, a screenshot and a trace", {
  isLong: true,
}, async () => {
  const { checkId, result, document } = await runCheck(`
    import { test, expect } from "@playwright/test";
    test("the shop has chairs", async ({ page }) => {
      await page.goto(process.env.BASE);
      await page.evaluate(() => {
        document.body.insertAdjacentHTML("beforeend", '<form><input type="email"></form>');
      });
      await page.locator("input[type=email]").fill("ada@shop.example");
      await expect(page.getByRole("heading")).toHaveText("Chairs", { timeout: 500 });
    });`);
  assert.equal(result.verdict, "failing", JSON.stringify(document));
  assert.match(document.errors[0].message, /Chairs/);
  const hosts = document.connections.map(({ host }: { host: string }) => host);
  assert.deepEqual([...new Set(hosts)], ["localhost"], "Chromium contacts only the shop");
  const [page, ...others] = document.pages;
  assert.deepEqual([page.url, page.status, others], [`${base}/`, 200, []]);
  assert.deepEqual(page.consoleErrors, ["The cart is empty."]);
  assert.deepEqual(page.userScriptErrors, ["no total"]);
  assert.deepEqual(page.networkErrors, [
    { method: "GET", url: `${base}/missing.png`, status: 404, error: null },
  ]);
  for (const name of ["TTFB", "FCP", "LCP"]) assert.ok(page.webVitals[name] > 0, name);
  assert.equal(page.webVitals.CLS, 0);
  const metrics = "LCP_max,CLS_max";
  const path = `/v1/analytics/browser-checks/${checkId}?metrics=${metrics}`;
  const { body: analytics } = await app.call("GET", path);
  const figures = analytics.series[0].data.find(
    ({ LCP_max }: { LCP_max: number | null }) => LCP_max !== null,
  );
  assert.ok(Math.abs(figures.LCP_max / page.webVitals.LCP - 1) < 0.02, JSON.stringify(figures));
  assert.equal(figures.CLS_max, 0);
  const counts = { consoleErrors: 1, userScriptErrors: 1, networkErrors: 1, documentErrors: 0 };
  assert.deepEqual(document.traceSummary, counts);
  const files = saved.get(result.id) ?? [];
  assert.deepEqual(
    files.map(({ type, contentType }) => [type, contentType]),
    [
      ["screenshot", "image/png"],
      ["trace", "application/zip"],
    ],
  );
});

const heading = (text: string) => `
  import { test, expect } from "@playwright/test";
  test("looks as before", async ({ page }) => {
    await page.setContent("<h1>${text}</h1>");
    await expect(page).toHaveScreenshot("home.png");
  });`;
const snapshotPath = "checks/home.spec.ts-snapshots/home-linux.png";

test("a page is compared with an uploaded snapshot", { isLong: true }, async () => {
  const body = { name: "Home", frequency: 1_440, scriptPath: "checks/home.spec.ts" };
  const made = await app.call("POST", "/v1/checks/browser", {
    body: { ...body, script: heading("Lamps") },
  });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/checks/browser/${made.body.id}`;
  const first = (await triggerRun(app, made.body.id)).body;
  assert.equal(first.verdict, "failing");
  assert.match(first.browserCheckResult.errors[0].message, /snapshot doesn't exist/);
  const picture = saved.get(first.id)?.find(({ name }) => name === "home-linux.png");
  const headers = { "content-type": "application/octet-stream" };
  const upload = await app.call("POST", "/next/checkly-storage/upload", {
    rawBody: Uint8Array.from(picture?.content ?? []),
    headers,
  });
  const snapshots = [{ key: upload.body.key, path: snapshotPath }];
  const changed = await app.call("PUT", path, { body: { snapshots } });
  assert.deepEqual([changed.status, changed.body.snapshots], [200, snapshots], changed.text);
  const second = (await triggerRun(app, made.body.id)).body;
  assert.equal(second.verdict, "passing", JSON.stringify(second.browserCheckResult.errors));
  await app.call("PUT", path, { body: { script: heading("Chairs") } });
  const third = (await triggerRun(app, made.body.id)).body;
  assert.equal(third.verdict, "failing");
  const names = saved.get(third.id)?.map(({ name }) => name) ?? [];
  assert.deepEqual(names.slice(0, 3), ["home-linux.png", "home-actual.png", "home-diff.png"]);
});

test("snapshots must be uploaded, and have separate paths", async () => {
  const key = `bundle/${"0".repeat(64)}`;
  const body = { name: "Home", script: "1", scriptPath: "a.js" };
  for (const [snapshots, expected] of [
    [[{ key, path: snapshotPath }], /names code that was not uploaded/],
    [[{ key: "x", path: snapshotPath }], /snapshots\.0\.key/],
    [[{ key, path: "../x.png" }], /snapshots\.0\.path/],
    [[{ key, path: "a.js" }], /must be unique/],
  ] as const) {
    const { status, text } = await app.call("POST", "/v1/checks/browser", {
      body: { ...body, snapshots },
    });
    assert.equal(status, 400, text);
    assert.match(text, expected);
  }
});

async function run(script: string, request: Partial<ScriptRequest> = {}) {
  let files: readonly RunAsset[] = [];
  const order = orderScript(script, request, {
    usesBrowser: true,
    variables: { BASE: base, PASSWORD: shopPassword },
  });
  const outcome = await runner.run(order, undefined, (received) => {
    files = received;
  });
  return { ...expectMeasured(outcome), files };
}

test("a plain script uses the same browser, and its screenshots are kept", async () => {
  const { end, errors, pages, files, logs } = await run(`
    const { chromium } = require("playwright");
    const browser = await chromium.launch({ channel: "chrome" });
    const page = await browser.newPage();
    await page.goto(process.env.BASE + "/login");
    await page.goto(process.env.BASE + "/help");
    console.log(await page.title());
    await page.screenshot({ path: "help.jpg" });
    await browser.close();`);
  assert.deepEqual([end, errors, logs[0]?.text], ["passed", [], "Help"]);
  assert.deepEqual(
    pages.map(({ url, status }) => [url, status]),
    [
      [`${base}/login`, 200],
      [`${base}/help`, 200],
    ],
  );
  assert.deepEqual(
    files.map(({ type, name, contentType }) => [type, name, contentType]),
    [["screenshot", "help.jpg", "image/jpeg"]],
  );
});

test("a login, an iframe, a popup, a download and an API chain work as users write them", {
  isLong: true,
}, async () => {
  const { end, errors, pages, steps, files } = await run(`
    import { test, expect } from "@playwright/test";
    import { readFileSync } from "node:fs";
    const base = process.env.BASE;
    test("a member", async ({ page, request, context }) => {
      await test.step("log in", async () => {
        await page.goto(base + "/login");
        await page.getByLabel("User name").fill("Ada");
        await page.getByLabel("Password").fill(process.env.PASSWORD!);
        await page.getByRole("button", { name: "Log in" }).click();
        await expect(page.getByText("Welcome, Ada")).toBeVisible();
        await expect(page.getByText("3 orders")).toBeVisible();
      });
      await test.step("pay in a frame", async () => {
        const frame = page.frameLocator("iframe[title=Payment]");
        await frame.getByLabel("Card").fill("4242");
        await frame.getByRole("button").click();
        await expect(frame.getByRole("button")).toHaveText("Paid");
      });
      await test.step("open a popup", async () => {
        const [popup] = await Promise.all([context.waitForEvent("page"), page.getByText("Help").click()]);
        await expect(popup).toHaveTitle("Help");
      });
      await test.step("download the invoice", async () => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Invoice").click()]);
        expect(readFileSync(await file.path(), "utf8")).toBe("1;2");
        await file.saveAs("invoice.csv");
      });
      await test.step("call the API with a token", async () => {
        const headers = { authorization: "Bearer t-1" };
        const response = await request.get(base + "/orders", { headers });
        expect((await response.json()).orders).toHaveLength(3);
      });
    });`);
  assert.deepEqual([end, errors], ["passed", []]);
  const paths = pages.map(({ url }) => new URL(url).pathname);
  assert.deepEqual(paths.slice(0, 3), ["/login", "/account", "/help"]);
  assert.equal(steps.filter(({ category }) => category === "step").length, 5);
  assert.deepEqual(
    files.map(({ type, name }) => [type, name]),
    [["file", "invoice.csv"]],
  );
});

test("a failed test leaves a video if it asks for one and this machine has ffmpeg", {
  isLong: true,
}, async () => {
  const { end, logs, files } = await run(`
    import { test, expect } from "@playwright/test";
    test.use({ video: "retain-on-failure" });
    test("the shop has chairs", async ({ page }) => {
      await page.goto(process.env.BASE);
      await expect(page.getByRole("heading")).toHaveText("Chairs", { timeout: 500 });
    });`);
  assert.equal(end, "failed");
  const [video] = files.filter(({ type }) => type === "video");
  if (!existsSync("/usr/bin/ffmpeg")) {
    assert.match(logs[0]?.text ?? "", /There is no ffmpeg on this machine/);
    assert.equal(video, undefined);
    return;
  }
  assert.deepEqual([video?.name, video?.contentType, logs], ["video.webm", "video/webm", []]);
  assert.ok((video?.content.length ?? 0) > 1_000);
});

test("a plain script that throws leaves pictures of its pages", { isLong: true }, async () => {
  const { end, errors, files } = await run(`
    const { chromium } = require("playwright");
    (async () => {
      const browser = await chromium.launch();
      const page = await (await browser.newContext()).newPage();
      await page.goto(process.env.BASE);
      throw new Error("no chairs");
    })();`);
  assert.deepEqual([end, errors[0]?.message, errors[0]?.line], ["failed", "no chairs", 7]);
  assert.deepEqual(
    files.map(({ type, name }) => [type, name]),
    [["screenshot", "failed-1.png"]],
  );
});

test("other browsers are named as the reason", { isLong: true }, async () => {
  const { end, errors } = await run('require("playwright").firefox.launch();');
  assert.equal(end, "failed");
  assert.match(errors[0]?.message ?? "", /run in Chromium/);
});

test("without a browser, a run says what to install", async (t) => {
  const reason = "There is no browser on this machine. Run `apt install chromium`.";
  const own = startScriptRunner({ findBrowser: () => ({ reason }) });
  t.after(() => own.close());
  const outcome = await own.run(orderScript("1", {}, { usesBrowser: true }));
  assert.deepEqual(outcome, { kind: "cannot-check", message: reason });
  assert.deepEqual(own.listLimitations(), [reason]);
});
