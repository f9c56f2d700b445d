/** The Now screen: problems appear and disappear live. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let direct: TestApp;
/**
 * The server runs behind a proxy that can be closed, which makes it unreachable for the browser.
 */
let app: TestApp;
let browser: Browser;
let checkId: string;

/** A TCP proxy on one port that can be opened and closed. */
class Door {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  port = 0;

  constructor(serve: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
      serve(socket);
    });
  }

  async open(): Promise<void> {
    if (this.port === 0) this.port = await findFreePort();
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async shut(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

const target = new Door((socket) => socket.end("hello\r\n"));
const hook = new Door((socket) => {
  socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
});
const front = new Door((socket) => {
  const server = connect(Number(new URL(direct.url).port), "127.0.0.1");
  server.on("error", () => socket.destroy());
  socket.on("close", () => server.destroy());
  server.on("close", () => socket.destroy());
  socket.pipe(server).pipe(socket);
});

before(async () => {
  if (noBrowser !== false) return;
  direct = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" }, { clock: systemClock });
  await Promise.all([target.open(), hook.open(), front.open()]);
  app = { ...direct, url: `http://127.0.0.1:${front.port}` };
  browser = await launchBrowser();
  const url = `http://127.0.0.1:${hook.port}/pager`;
  const channel = await direct.call("POST", "/v1/alert-channels", {
    body: { type: "WEBHOOK", config: { name: "pager", url, method: "POST" } },
  });
  const alertChannelSubscriptions = [{ alertChannelId: channel.body.id, activated: true }];
  const request = { hostname: "127.0.0.1", port: target.port };
  const rest = { frequency: 1440, retryStrategy: null, alertChannelSubscriptions };
  const made = await direct.call("POST", "/v1/checks/tcp", {
    body: { name: "db-1.fra", request, ...rest },
  });
  checkId = made.body.id;
  await run();
});
after(async () => {
  await browser?.close();
  await direct?.stop();
  await Promise.all([target.shut(), hook.shut(), front.shut()]);
});

async function run(): Promise<void> {
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await direct.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const { status, text } = await direct.call("GET", `/v2/check-sessions/${id}/completion`);
  assert.equal(status, 200, text);
}

const row = (page: Page) => page.getByRole("listitem").filter({ hasText: "refused" });
const calm = (page: Page) => page.getByRole("heading", { name: "Everything is passing" });

describe("Now", { skip: noBrowser }, () => {
  test("a failing check appears without a reload, is acknowledged, and disappears when it recovers", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app);
    const { page } = opened;
    await calm(page).waitFor();
    await opened.audit();
    await target.shut();
    await run();
    await row(page).waitFor();
    await row(page).getByRole("link", { name: "db-1.fra", exact: true }).waitFor();
    await row(page).getByText(/✓/).waitFor();
    await waitUntil(
      "the tab title shows it",
      async () => (await page.title()) === "(1) Now · Vedette",
    );
    await opened.audit();
    await page.getByRole("button", { name: "Acknowledge db-1.fra" }).click();
    await row(page).getByText("Acknowledged by").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Acknowledge/ }).count(), 0);
    await opened.audit();
    await target.open();
    await run();
    await calm(page).waitFor();
    await waitUntil("the tab is calm", async () => (await page.title()) === "Now · Vedette");
    await page.getByText("passing again").first().waitFor();
    await opened.close();
  });

  test("on a phone and in dark mode everything fits, and a read-only user is offered no button", {
    isLong: true,
  }, async () => {
    await target.shut();
    await run();
    const opened = await openApplication(browser, app, {
      width: 390,
      colorScheme: "dark",
      role: "READ_ONLY",
      path: "/?range=7d",
    });
    const { page } = opened;
    await row(page).getByText("Not acknowledged").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Acknowledge/ }).count(), 0);
    await page.getByRole("heading", { name: "Last 7 days" }).waitFor();
    await opened.audit();
    await page.getByLabel("Time range").selectOption("24h");
    await page.getByRole("heading", { name: "Last 24 hours" }).waitFor();
    assert.equal(new URL(page.url()).search, "");
    await opened.close();
  });

  test("while the server is unreachable, the screen shows since when its data is old; then it recovers", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { expects: [/ERR_/] });
    const { page } = opened;
    await row(page).waitFor();
    await front.shut();
    const line = page.getByText(/^No live updates since/);
    await line.waitFor();
    assert.ok(await row(page).isVisible(), "what was known stays on the screen");
    await target.open();
    await run();
    await front.open();
    await calm(page).waitFor();
    await line.waitFor({ state: "hidden" });
    await opened.close();
  });

  test("the palette finds a check by keyboard alone, and shortcuts open the sections", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app);
    const { page } = opened;
    await calm(page).waitFor();
    // The palette's code loads slowly, while the user is already typing.
    const { promise: typed, resolve: goOn } = Promise.withResolvers<void>();
    await page.route(/\/assets\/palette-/, async (route) => {
      await typed;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("ch-1");
    goOn();
    const field = page.getByRole("combobox", { name: /Search checks/ });
    await field.waitFor();
    assert.equal(await field.inputValue(), "ch-1");
    await field.fill("db-1");
    await page.getByRole("option", { name: /db-1\.fra/ }).waitFor();
    await opened.audit();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/checks/${checkId}`);
    assert.equal(await field.count(), 0);
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.waitForURL(`${app.url}/`);
    await calm(page).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await opened.audit();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await field.waitFor();
    // Types faster than the list updates.
    await page.keyboard.type("theme: dark");
    await page.keyboard.press("Enter");
    await page.locator("html[data-theme=dark]").waitFor();
    await opened.close();
  });
});
