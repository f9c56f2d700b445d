/** Every screen with hostile names, and with a failing API. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import {
  type ApplicationPage,
  findSideways,
  openApplication,
} from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import {
  attacks,
  type HostileScene,
  startHostileScene,
} from "../support/browsers/hostile-scene.ts";
import { chooseOnePerModule, goToScreen, type Screen } from "../support/browsers/screens.ts";
import { isLongRun, test } from "../support/long-run.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let scene: HostileScene;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  scene = await startHostileScene();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await scene?.app.stop();
});

/** Converts a promise to a boolean. */
const asFlag = [() => true, () => false] as const;

const requestId = "01999999-0000-7000-8000-000000000500";

/** Faulty responses of a server. */
const faults: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  "an error response": (route) =>
    route.fulfill({
      status: 500,
      // `retry-after: 0` makes the two automatic retries immediate.
      headers: { "x-request-id": requestId, "retry-after": "0" },
      json: { statusCode: 500, error: "Internal Server Error", message: "It broke." },
    }),
  "too many requests": (route) =>
    route.fulfill({
      status: 429,
      headers: { "x-request-id": requestId, "retry-after": "0" },
      json: { statusCode: 429, error: "Too Many Requests", message: "Slow down." },
    }),
  "a page of somebody else": (route) =>
    route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Log in to the hotel</h1>" }),
  "half an answer": (route) =>
    route.fulfill({ status: 200, contentType: "application/json", body: '[{"id": "0199' }),
  nothing: (route) => route.abort("connectionreset"),
};

/** Matches all API requests except the session. */
const isAnswerOfApi = (url: URL) =>
  /^\/(?:v\d|accounts)\//.test(url.pathname) &&
  !/\/(?:sessions|accounts)\/|\/users\/me$/.test(url.pathname);

async function breakApi(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await page.route(isAnswerOfApi, answer);
}

async function assertRecovers({ page }: ApplicationPage, what: string): Promise<void> {
  const alert = page.getByRole("main").getByRole("alert").first();
  await alert.waitFor();
  const words = (await alert.innerText()).replace(/\s+/g, " ");
  assert.ok(words.length > 30, `${what} says what to do: ${words}`);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  const isBack = async () => {
    // A query that retries by itself may recover before the click.
    const again = alert.getByRole("button", { name: "Try again" });
    await again.click({ timeout: 2_000 }).catch(() => {});
    return (await page.getByRole("main").getByRole("alert").count()) === 0;
  };
  await waitUntil(`${what} is back`, isBack, 60_000);
}

/** Advances the page's clock after it has sent a request, until the request times out. */
async function outwait(
  page: Page,
  asked: readonly string[],
  words: string | RegExp,
): Promise<void> {
  // Responses in flight must arrive before the clock is advanced.
  await waitUntil("it has sent a request", () => asked.length > 0);
  const shown = page.getByText(words).first();
  const isShown = async () => {
    if (await shown.isVisible()) return true;
    await page.clock.fastForward("00:31");
    return false;
  };
  await waitUntil(`${words} is shown`, isShown, 60_000);
}

/** Requests that are pending from the outage must time out first. */
async function assertComesBack(page: Page, what: string): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  const main = page.getByRole("main");
  const shown = main.getByText("Silent").first();
  const isBack = async () => {
    const again = main.getByRole("button", { name: "Try again" }).first();
    await again.click({ timeout: 500 }).catch(() => {});
    // A response gets this long to arrive before the clock is advanced.
    if (await shown.waitFor({ timeout: 8_000 }).then(...asFlag)) return true;
    await page.clock.fastForward("00:31");
    return false;
  };
  await waitUntil(`${what} is back`, isBack, 120_000);
}

/** Intercepts all matching requests without responding. */
async function swallow(page: Page, isTaken: (route: Route) => boolean): Promise<string[]> {
  const taken: string[] = [];
  await page.route(isAnswerOfApi, async (route) => {
    if (!isTaken(route)) return route.fallback();
    taken.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`);
  });
  return taken;
}

async function assertHarmless({ page }: ApplicationPage, screen: Screen): Promise<void> {
  const found: string[] = await page.evaluate(`[
    ...document.querySelectorAll("#app img[src=x], #app script, [onerror]"),
    ...[...document.querySelectorAll("a[href]")].filter(
      (one) => !["http:", "https:", "mailto:"].includes(new URL(one.href).protocol)),
  ].map((one) => one.outerHTML)`);
  assert.deepEqual(found, [], screen.path);
}

describe("hostile names", { skip: noBrowser }, () => {
  test("are shown as typed, execute nothing and do not widen the page, on every screen of a phone", async () => {
    const opened = await openApplication(browser, scene.app, { width: 390, looksAtContrast: true });
    const { page } = opened;
    // An audit costs more than all the rest; the screens of a module are made of the same parts.
    const audited = new Set(isLongRun ? scene.screens : chooseOnePerModule(scene.screens));
    for (const screen of scene.screens) {
      await goToScreen(page, screen.path);
      if (screen.path === "/checks") {
        for (const name of Object.values(attacks)) await page.getByText(name).first().waitFor();
      }
      await assertHarmless(opened, screen);
      assert.equal(await findSideways(page), null, screen.path);
      if (audited.has(screen)) await opened.audit();
    }
    await opened.close();
  });
});

describe("a failing API", { skip: noBrowser }, () => {
  const expects = [/status of (?:429|500)/, /ERR_CONNECTION_RESET/];

  test("every module shows an error with advice and the request id, and recovers", async () => {
    const screens = chooseOnePerModule(scene.screens.filter(({ needsApi }) => needsApi));
    const opened = await openApplication(browser, scene.app, { path: "/settings", expects });
    const { page } = opened;
    for (const { path } of screens) {
      await breakApi(page, faults["an error response"] as (route: Route) => Promise<void>);
      // The frame has loaded the data of the first screen, which an opened page has not.
      if (path === "/") await page.goto(`${scene.app.url}${path}`);
      else await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
      const shown = page.getByText(requestId).first();
      await shown.waitFor().catch((error) => assert.fail(`${path}: ${error}`));
      await assertRecovers(opened, path);
    }
    await opened.close();
  });

  for (const [name, answer] of Object.entries(faults)) {
    test(`after ${name}, the list of checks shows the error and recovers`, {
      isLong: true,
    }, async () => {
      const opened = await openApplication(browser, scene.app, { expects });
      await breakApi(opened.page, answer);
      await opened.page.goto(`${scene.app.url}/checks`);
      await assertRecovers(opened, name);
      await opened.close();
    });
  }

  test("without a response, lists and details time out, and a save is sent once", {
    isLong: true,
  }, async () => {
    const { app } = scene;
    const request = { hostname: "gateway.invalid" };
    const body = { name: "Silent", activated: false, request };
    const { id } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
    const opened = await openApplication(browser, app, {
      path: `/checks/${id}/edit`,
      expects: [/status of 412/],
      context: {},
    });
    const { page } = opened;
    await page.clock.install();
    for (const path of ["/checks", `/checks/${id}`]) {
      // Requests of the previous screen must not be counted.
      await page.goto(`${app.url}/favicon.svg`);
      const asked = await swallow(page, () => true);
      await page.goto(`${app.url}${path}`);
      await outwait(page, asked, "The server did not respond in time.");
      await assertComesBack(page, path);
    }

    await page.goto(`${app.url}/checks/${id}/edit`);
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("Typed in silence");
    const save = page.getByRole("button", { name: "Save", exact: true }).first();
    const writes = await swallow(page, (route) => route.request().method() === "PUT");
    await save.click();
    await outwait(page, writes, /The change may have been saved anyway. Check before you retry/);
    assert.equal(await name.inputValue(), "Typed in silence");
    assert.deepEqual(writes, [`PUT /v1/checks/${id}`]);

    // Now the server executes the request and only the response is lost; that is no conflict.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await swallow(page, (route) => {
      const isWrite = route.request().method() === "PUT";
      if (isWrite) void route.fetch();
      return isWrite;
    });
    await save.click();
    const isStored = async () =>
      (await app.call("GET", `/v1/checks/${id}`)).body.name === "Typed in silence";
    await waitUntil("the server has executed it", isStored);
    await save.and(page.locator(":not([data-loading])")).waitFor({ state: "hidden" });
    await page.clock.fastForward("00:31");
    await save.and(page.locator(":not([data-loading])")).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await save.click();
    await page.waitForURL(`${app.url}/checks/${id}`);
    await page.getByRole("heading", { name: "Typed in silence", level: 1 }).waitFor();
    await opened.close();
    await app.call("DELETE", `/v1/checks/${id}`);
  });
});
