/**
 * The page of one check in the long run: zoom and runs. `web/checks/check-page` and `charts.test.ts`
 * run with every change.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import {
  type ApplicationPage,
  type OpenOptions,
  openApplication,
} from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { isLongRun, test } from "../support/long-run.ts";
import {
  addAlertWithMessages,
  addCheckWithPast,
  type CheckHistory,
} from "../support/modules/check-history.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const hostileBody = "\u001b[31m<script>alert(1)</script>\u202egnp.exe\r\n";

let app: TestApp;
let browser: Browser;
let past: CheckHistory;
let failingRun: string;
let hostile: Server;

before(async () => {
  if (noBrowser !== false || !isLongRun) return;
  app = await startTestApp({}, { clock: systemClock });
  browser = await launchBrowser();
  past = await addCheckWithPast(app);
  const from = Math.floor(past.fromMs / 1_000);
  const path = `/v2/check-results/${past.checkId}?limit=1&verdict=failing&from=${from}`;
  failingRun = (await app.call("GET", path)).body.entries[0].id;
  await addAlertWithMessages(app, past.checkId, failingRun);
  hostile = createServer((_request, response) => response.writeHead(500).end(hostileBody));
  await new Promise<void>((listening) => hostile.listen(0, "127.0.0.1", listening));
});
after(async () => {
  await browser?.close();
  await app?.stop();
  hostile?.close();
});

async function open(path: string, options: OpenOptions = {}): Promise<ApplicationPage> {
  const opened = await openApplication(browser, app, { ...options, path });
  await opened.page.getByRole("heading", { level: 1 }).waitFor();
  return opened;
}

const checkPath = (more = "") => `/checks/${past.checkId}${more}`;

describe("the page of a check", { skip: noBrowser }, () => {
  test("the range, a zoom and the locations are stored in the address", {
    isLong: true,
  }, async () => {
    const opened = await open(checkPath());
    const { page } = opened;
    await page.locator("canvas").waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    await page.waitForURL(/range=7d/);
    await page.getByRole("button", { name: "24 h" }).click();
    await page.waitForURL(/range=24h/);
    const box = await page.locator(".u-over").boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.getByRole("button", { name: "By location" }).click();
    await page.getByRole("heading", { name: "N. Virginia" }).waitFor();
    await page.locator("canvas").nth(2).waitFor();
    assert.equal(await page.locator("canvas").count(), 3);
    await opened.audit();
    const address = page.url();
    await page.reload();
    await page.getByRole("heading", { name: "N. Virginia" }).waitFor();
    assert.equal(page.url(), address);
    await page.goBack();
    await page.getByRole("img", { name: /^Round trip/ }).waitFor();
    await opened.close();
  });

  test("a manual run opens in the side panel with its packets", { isLong: true }, async () => {
    const body = { name: "Loopback", request: { hostname: "127.0.0.1", pingCount: 3 } };
    const { id } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
    const opened = await open(`/checks/${id}`);
    const { page } = opened;
    await page.getByRole("button", { name: "Run now" }).click();
    const runs = page.getByRole("region", { name: "Runs" });
    const first = runs.getByRole("listitem").first().getByRole("button");
    await first.click();
    await page.waitForURL(/run=/);
    const panel = page.getByRole("complementary");
    await panel.getByRole("heading", { name: "Run" }).waitFor();
    const { entries } = (await app.call("GET", `/v2/check-results/${id}?limit=1`)).body;
    // Where the system permits no ICMP, the run has an explanation in place of packets.
    if (entries[0].verdict === "unknown") {
      await panel.getByText(entries[0].explanation).waitFor();
      await panel.getByText("sysctl -w net.ipv4.ping_group_range").waitFor();
    } else {
      await panel.getByRole("heading", { name: "Packets" }).waitFor();
      assert.equal(await panel.getByRole("row").count(), 4);
      assert.equal(await panel.getByText("echo reply").count(), 3);
    }
    await opened.audit();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await opened.close();
  });

  test("text from a probed server is shown as text, with control characters as symbols", {
    isLong: true,
  }, async () => {
    const { port } = hostile.address() as AddressInfo;
    const body = { name: "<b>bold</b>", request: { url: `http://127.0.0.1:${port}/` } };
    const { id } = (await app.call("POST", "/v1/checks/url", { body })).body;
    const target = { checkId: [id] };
    const { sessions } = (
      await app.call("POST", "/v2/check-sessions/trigger", { body: { target } })
    ).body;
    const session = `/v2/check-sessions/${sessions[0].checkSessionId}/completion`;
    const { results } = (await app.call("GET", session)).body;
    const opened = await open(`/checks/${id}?run=${results[0].checkResultId}`);
    const { page } = opened;
    await page.getByRole("heading", { level: 1, name: "<b>bold</b>" }).waitFor();
    const panel = page.getByRole("complementary");
    await panel.getByText("␛[31m<script>alert(1)</script><202e>gnp.exe␍").waitFor();
    await panel.getByRole("rowheader", { name: "First byte" }).waitFor();
    await opened.audit();
    await opened.close();
  });

  test("a run shows the data of a TCP connection and the assertions of a request", {
    isLong: true,
  }, async () => {
    const here = { hostname: "127.0.0.1", port: Number(new URL(app.url).port) };
    const opened = await open(checkPath());
    const { page } = opened;
    const statusIs500 = {
      source: "STATUS_CODE",
      property: "",
      comparison: "EQUALS",
      target: "500",
    };
    for (const [checkType, request, ...words] of [
      ["TCP", { ...here, data: "GET / HTTP/1.0\r\n\r\n" }, /HTTP\/1\.1 .*␍␊/, "Connect"],
      [
        "API",
        { method: "GET", url: app.url, assertions: [statusIs500] },
        "the status code",
        "failed",
      ],
    ] as const) {
      const made = await app.call("POST", "/v1/checks", {
        body: { checkType, name: checkType, request },
      });
      assert.equal(made.status, 201, made.text);
      const { id } = made.body;
      const target = { checkId: [id] };
      await app.call("POST", "/v2/check-sessions/trigger", { body: { target } });
      const list = async () => (await app.call("GET", `/v2/check-results/${id}`)).body.entries;
      await waitUntil("it has run", async () => (await list()).length > 0);
      await page.goto(`${app.url}/checks/${id}?range=1h&run=${(await list())[0].id}`);
      const panel = page.getByRole("complementary");
      for (const word of words) await panel.getByText(word).first().waitFor();
      await opened.audit();
    }
    await opened.close();
  });

  test("on a phone a run fills the screen, in dark mode too", { isLong: true }, async () => {
    const opened = await open(checkPath(), { width: 390, colorScheme: "dark" });
    const { page } = opened;
    await page.locator("canvas").waitFor();
    await opened.audit();
    await page.goto(`${app.url}${checkPath(`?run=${failingRun}`)}`);
    const panel = page.getByRole("complementary");
    await panel.getByRole("heading", { name: "Packets" }).waitFor();
    const box = await panel.boundingBox();
    assert.deepEqual([box?.x, box?.y, box?.width], [0, 0, 390]);
    await opened.audit();
    await panel.getByRole("button", { name: "Close" }).click();
    await page.getByRole("tab", { name: "History" }).click();
    await page
      .getByText(/100 % of the packets were lost/)
      .first()
      .waitFor();
    await opened.audit();
    await opened.close();
  });

  test("a state that is still loading is not shown as no data", { isLong: true }, async () => {
    const body = { name: "New", frequency: 1440, request: { hostname: "127.0.0.1", port: 9 } };
    const { body: made } = await app.call("POST", "/v1/checks/tcp", { body });
    const opened = await open("/checks");
    const { page } = opened;
    const { promise: isAwaited, resolve: answer } = Promise.withResolvers<void>();
    await page.route("**/v1/check-statuses/*", async (route) => {
      await isAwaited;
      await route.continue();
    });
    await page.goto(`${app.url}/checks/${made.id}`);
    const state = page.locator("header").getByRole("status");
    await state.getByText("Loading the state").waitFor();
    assert.equal(await state.getByText("No data").count(), 0);
    answer();
    await state.getByText("No data").first().waitFor();
    await opened.close();
    await app.call("DELETE", `/v1/checks/${made.id}`);
  });
});
