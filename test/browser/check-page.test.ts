/** The page of one check: chart, runs, history, alerts, back-test. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import {
  type ApplicationPage,
  type OpenOptions,
  openApplication,
} from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
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
  if (noBrowser !== false) return;
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

/** A fixed range, so that nothing moves while values are compared. */
const fixedRange = () => {
  const [from, to] = [past.fromMs, past.toMs].map((ms) => Math.floor(ms / 1_000));
  return `from=${from}&to=${to}`;
};

/** Parses "240 µs" or "8.31 ms". */
function readMs(shown: string): number {
  return Number.parseFloat(shown) / (shown.endsWith("µs") ? 1_000 : 1);
}

async function readTable(page: Page): Promise<string[][]> {
  return page.evaluate(`[...document.querySelectorAll("#check-tab table tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent))`);
}

describe("the page of a check", { skip: noBrowser }, () => {
  test("the chart is drawn, and its table has the values of the API", {
    isLong: true,
  }, async () => {
    const opened = await open(checkPath(`?${fixedRange()}`));
    const { page } = opened;
    await page.getByRole("img", { name: /^Round trip: P50/ }).waitFor();
    await page.locator("canvas").waitFor();
    await opened.audit();
    await page.getByRole("button", { name: "Show as a table" }).click();
    await page.getByRole("table", { name: /Each row covers/ }).waitFor();
    assert.match(page.url(), /view=table/);
    const range = `from=${new Date(past.fromMs).toISOString()}&to=${new Date(past.toMs).toISOString()}`;
    const { body } = await app.call("GET", `/v1/check-series/${past.checkId}?${range}&points=300`);
    const slots = body.series[0].slots.filter(({ runs }: { runs: number }) => runs > 0).reverse();
    const rows = await readTable(page);
    assert.equal(rows.length, slots.length);
    for (const [place, slot] of slots.entries()) {
      const [, state, , p50, p95, , , runs, failing] = rows[place] ?? [];
      assert.equal(state?.toLowerCase(), slot.state);
      assert.deepEqual([runs, failing], [String(slot.runs), String(slot.failing)]);
      for (const [shown, value] of [
        [p50, slot.p50],
        [p95, slot.p95],
      ]) {
        if (value === null) assert.equal(shown, "–");
        else assert.ok(Math.abs(readMs(shown ?? "") - value) <= 0.05 + value / 1_000);
      }
    }
    const { availability } = body.series[0].total;
    await page
      .getByText(`${Math.floor(availability * 100) / 100}`)
      .first()
      .waitFor();
    // Auditing hundreds of rows takes a minute, so the audit uses a short range.
    await page.goto(`${app.url}${checkPath("?range=1h&view=table")}`);
    await page.getByRole("table", { name: /Each row covers/ }).waitFor();
    await opened.audit();
    await opened.close();
  });

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

  test("a manual run opens in the side panel with its packets", async () => {
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

  test("text from a probed server is shown as text, with control characters as symbols", async () => {
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

  test("the history shows reasons, and alerts show their notifications", {
    isLong: true,
  }, async () => {
    const opened = await open(checkPath("?tab=history"));
    const { page } = opened;
    const reason = page.getByText(/100 % of the packets were lost/).first();
    await reason.waitFor();
    await page
      .getByText(/Failing from Tokyo; passing from/)
      .first()
      .waitFor();
    await opened.audit();
    await page.getByRole("tab", { name: "Alerts" }).click();
    await page.getByText("ops@example.com").waitFor();
    await page.getByText("the receiver answered 500").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("The notification is being sent again.").waitFor();
    await opened.audit();
    const body = { name: "Router", activated: false, request: { hostname: "192.0.2.1" } };
    const router = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
    await page.getByRole("button", { name: "Change", exact: true }).click();
    const picker = page.getByRole("dialog").getByLabel("Depends on");
    await picker.fill("router");
    await page.getByRole("option", { name: /Router/ }).click();
    await page.getByRole("button", { name: "Remove Router" }).waitFor();
    await opened.audit();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("tabpanel").getByRole("link", { name: "Router" }).waitFor();
    const { body: stored } = await app.call("GET", `/v1/checks/${past.checkId}/parents`);
    assert.deepEqual(stored, { parentIds: [router] });
    await page.getByRole("tab", { name: "As code" }).click();
    await page.getByText("curl -X POST").waitFor();
    await opened.audit();
    await opened.close();
  });

  test("a back-test counts the problems that other thresholds would have reported", {
    isLong: true,
  }, async () => {
    const opened = await open(checkPath("?tab=back-test"));
    const { page } = opened;
    const proposed = page.getByText("These settings").locator("xpath=following-sibling::dd");
    await proposed.waitFor();
    const before = Number.parseInt((await proposed.textContent()) ?? "", 10);
    assert.ok(before >= 2, `${before} problems`);
    const slider = page.getByRole("slider");
    await slider.focus();
    await page.keyboard.press("End");
    await waitUntil("the back-test counts fewer problems", async () => {
      return Number.parseInt((await proposed.textContent()) ?? "", 10) < before;
    });
    await opened.audit();
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

  test("a read-only user is offered no write", { isLong: true }, async () => {
    const opened = await open(checkPath("?tab=alerts"), { role: "READ_ONLY" });
    const { page } = opened;
    await page.getByText("ops@example.com").waitFor();
    for (const name of ["Run now", "Mute", "More", "Send again", "Acknowledge"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    }
    assert.equal(await page.getByRole("link", { name: "Edit" }).count(), 0);
    await opened.audit();
    await opened.close();
  });
});
