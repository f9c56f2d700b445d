/** Names that attack and an API that fails, on every screen. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { type ApplicationPage, openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { listScreens, type Screen, waitUntilSettled } from "../support/browsers/screens.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const attacks = {
  html: `"><img src=x onerror=alert(1)><script>alert(1)</script>`,
  markdown: "[click](javascript:alert(1)) **bold** ![x](http://evil.test/x.png)",
  rightToLeft: "\u202eמבחן بررسی\u202c reversed",
  emoji: "🔥".repeat(20),
  long: "w".repeat(255),
} as const;
type Attack = keyof typeof attacks;

let app: TestApp;
let browser: Browser;
let screens: readonly Screen[];

async function create(path: string, body: unknown): Promise<string> {
  const answer = await app.call("POST", path, { body });
  assert.ok(answer.status < 300, `${path}: ${answer.text}`);
  return answer.body.id;
}

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
  browser = await launchBrowser();
  const ids: string[] = [];
  const cards: object[] = [];
  for (const name of Object.values(attacks)) {
    const groupId = await create("/v1/check-groups", { name });
    const request = { hostname: "gateway.invalid" };
    const tags = [name];
    ids.push(await create("/v1/checks/icmp", { name, groupId, tags, frequency: 1_440, request }));
    await create("/v1/alert-channels", {
      type: "WEBHOOK",
      config: { name, url: "http://127.0.0.1:9999/javascript:alert(1)" },
    });
    await create("/v1/api-keys", { name: name.slice(0, 100) });
    cards.push({ name, services: [{ id: await create("/v1/status-pages/services", { name }) }] });
  }
  const shown = { name: Object.values(attacks)[0], url: "hostile", cards };
  const pageId = await create("/v1/status-pages", shown);
  screens = listScreens(ids[0] ?? null, pageId).filter(({ path }) => path !== "/sign-in");
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

async function assertHarmless({ page }: ApplicationPage, screen: Screen): Promise<void> {
  const found: string[] = await page.evaluate(`[
    ...document.querySelectorAll("#app img[src=x], #app script, [onerror]"),
    ...[...document.querySelectorAll("a[href]")].filter(
      (one) => !["http:", "https:", "mailto:"].includes(new URL(one.href).protocol)),
  ].map((one) => one.outerHTML)`);
  assert.deepEqual(found, [], screen.path);
}

describe("hostile names", { skip: noBrowser }, () => {
  test("run nothing and widen no page, on every screen of a phone", async () => {
    const opened = await openApplication(browser, app, { width: 390 });
    for (const screen of screens) {
      await opened.page.goto(`${app.url}${screen.path}`);
      await waitUntilSettled(opened.page);
      await assertHarmless(opened, screen);
      await opened.audit();
    }
    await opened.close();
  });

  test("are read as they were typed", async () => {
    const opened = await openApplication(browser, app, { path: "/checks" });
    for (const attack of Object.keys(attacks) as Attack[]) {
      await opened.page.getByText(attacks[attack]).first().waitFor();
    }
    await opened.close();
  });
});

const requestId = "01999999-0000-7000-8000-000000000500";

/** What the server might say in place of an answer. */
const faults: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  "an error of its own": (route) =>
    route.fulfill({
      status: 500,
      // The application asks twice more before it says so; at once, so that nobody waits for it.
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

/** Everything but who is signed in. */
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
    // What is asked again by itself may be back before anybody presses.
    const again = alert.getByRole("button", { name: "Try again" });
    await again.click({ timeout: 2_000 }).catch(() => {});
    return (await page.getByRole("main").getByRole("alert").count()) === 0;
  };
  await waitUntil(`${what} is back`, isBack, 60_000);
}

describe("an API that fails", { skip: noBrowser }, () => {
  const expects = [/status of (?:429|500)/, /ERR_CONNECTION_RESET/];

  test("leaves an error with advice and the request id on every screen, and a way back", async () => {
    const opened = await openApplication(browser, app, { expects });
    for (const { path } of screens.filter(({ needsApi }) => needsApi)) {
      await breakApi(opened.page, faults["an error of its own"] as (route: Route) => Promise<void>);
      await opened.page.goto(`${app.url}${path}`);
      const shown = opened.page.getByText(requestId).first();
      await shown.waitFor().catch((error) => assert.fail(`${path}: ${error}`));
      await assertRecovers(opened, path);
    }
    await opened.close();
  });

  for (const [name, answer] of Object.entries(faults)) {
    test(`answers with ${name}: the list of checks says so and comes back`, async () => {
      const opened = await openApplication(browser, app, { expects });
      await breakApi(opened.page, answer);
      await opened.page.goto(`${app.url}/checks`);
      await assertRecovers(opened, name);
      await opened.close();
    });
  }
});
