/** The web application in a browser, signed in, at desktop or phone width. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Role } from "../../../src/domains/accounts/index.ts";
import { prepareWeb } from "../../../web/build.ts";
import { type TestApp, useSamePort } from "../apps/app.ts";
import { signInAs } from "../apps/cast.ts";
import { idleContexts, openPage, type WatchedPage } from "./browser.ts";

// A server loads the web application on start, which is after this module was loaded.
await prepareWeb(() => {});
useSamePort();

const viewports = {
  1440: { width: 1440, height: 900 },
  390: { width: 390, height: 844 },
} as const;

export interface OpenOptions {
  /** Path of the first screen, such as `/checks?state=failing`. */
  readonly path?: string;
  /** `null` if nobody is signed in. */
  readonly role?: Role | null;
  readonly width?: keyof typeof viewports;
  readonly colorScheme?: "light" | "dark";
  /** Whether an audit checks contrast; by default only in dark mode. */
  readonly looksAtContrast?: boolean;
  /** Browser errors that the test expects, such as a rejected request. */
  readonly expects?: readonly RegExp[];
  /** Options of a separate window, for tests that change more than its URL. */
  readonly context?: BrowserContextOptions;
}

export interface ApplicationPage {
  readonly page: Page;
  readonly requested: readonly string[];
  /** Also expects this browser error from now on. */
  readonly expect: (complaint: RegExp) => void;
  /** Fails on browser errors, or if the screen has accessibility faults. */
  readonly audit: () => Promise<void>;
  /** Fails on browser errors: scripts, content security policy, requests, dialogs. */
  readonly close: () => Promise<void>;
}

async function addCookie(page: Page, app: TestApp, role: Role): Promise<void> {
  const [name = "", ...rest] = (await signInAs(app, role)).split("=");
  const { hostname } = new URL(app.url);
  const value = rest.join("=");
  await page
    .context()
    .addCookies([{ name, value, domain: hostname, path: "/", httpOnly: true, sameSite: "Lax" }]);
}

const contrastSeen = new Set<string>();

/**
 * Checking contrast is most of the cost of an audit, and depends on the screen and its theme more
 * than on its content. So the tour with hostile names checks it on every screen in light mode, and
 * other tests in dark mode, once per screen and process.
 */
function isContrastSeen(page: Page, theme: string): boolean {
  const screen = new URL(page.url()).pathname.replace(/[\da-f-]{36}|\d+/g, "id");
  const key = `${theme} ${screen}`;
  const isSeen = contrastSeen.has(key);
  contrastSeen.add(key);
  return isSeen;
}

/** Describes each fault found by axe, with its element. */
export async function findAccessFaults(
  page: Page,
  { except = [] }: { readonly except?: readonly string[] } = {},
): Promise<readonly string[]> {
  const rules = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]));
  // A frame is a separate page, and axe cannot access a sandboxed one.
  const options = JSON.stringify({ preload: false, iframes: false, rules });
  // Evaluated by the debugger and so, unlike a script of the page, not subject to its policy.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) =>
        id + ": " + help + ": " + html.slice(0, 160) + " " + (failureSummary ?? "").slice(0, 300))))`);
}

/** Returns `null` unless the page is wider than its window. */
export async function findSideways(page: Page): Promise<string | null> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return null;
    const isClipped = (element) => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (getComputedStyle(at).overflowX !== "visible") return true;
      }
      return false;
    };
    const widest = [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > clientWidth + 1 && !isClipped(one))
      .at(-1);
    return scrollWidth + " > " + clientWidth + ": " + (widest?.outerHTML ?? "").slice(0, 200);
  })()`);
}

/**
 * Presses a button after the session has ended. Another request of the screen may lead to the
 * sign-in first; then the button is gone and nothing is pressed.
 */
export async function pressSignedOut(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true }).first();
  const here = await button.elementHandle();
  await page.context().clearCookies();
  await here?.dispatchEvent("click");
}

async function openWindow(browser: Browser, options: OpenOptions): Promise<WatchedPage> {
  const { width = 1440 } = options;
  const opened = await openPage(browser, {
    viewport: viewports[width],
    hasTouch: width === 390,
    ...options.context,
  });
  opened.page.on("dialog", async (dialog) => {
    opened.complaints.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  return opened;
}

const idleWindows = new WeakMap<Browser, Map<number, WatchedPage[]>>();

function listIdleWindows(browser: Browser, { width = 1440 }: OpenOptions): WatchedPage[] {
  const byWidth = idleWindows.get(browser) ?? new Map<number, WatchedPage[]>();
  idleWindows.set(browser, byWidth);
  const idle = byWidth.get(width) ?? [];
  byWidth.set(width, idle);
  return idle;
}

/**
 * Reuses a window of an earlier test, without its cookies and storage. Its loaded and compiled code
 * is most of the cost of a new one: two seconds of CPU instead of a third of one.
 */
async function takeWindow(browser: Browser, options: OpenOptions): Promise<WatchedPage> {
  if (options.context !== undefined) return openWindow(browser, options);
  const idle = listIdleWindows(browser, options);
  const open = idle.splice(0).filter(({ page }) => !page.isClosed());
  const { page, complaints, requested } = open.pop() ?? (await openWindow(browser, options));
  idle.push(...open);
  idleContexts.delete(page.context());
  const close = async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    idleContexts.add(page.context());
    idle.push({ page, complaints, requested, close });
  };
  return { page, complaints, requested, close };
}

/** Clears the state of an earlier test before any code of the application runs. */
async function forgetEarlier(
  { page, complaints, requested }: WatchedPage,
  app: TestApp,
): Promise<void> {
  const plain = `${app.url}/favicon.svg`;
  if (page.url() !== plain) await page.goto(plain);
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  await page.context().clearCookies();
  complaints.splice(0);
  requested.splice(0);
}

export async function openApplication(
  browser: Browser,
  app: TestApp,
  options: OpenOptions = {},
): Promise<ApplicationPage> {
  const { path = "/", role = "OWNER", colorScheme = "light", width = 1440 } = options;
  const { looksAtContrast = colorScheme === "dark" } = options;
  const opened = await takeWindow(browser, options);
  const { page, complaints, requested } = opened;
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize(viewports[width]);
  await forgetEarlier(opened, app);
  const expected = [...(options.expects ?? [])];
  // The API responds with 401 to a signed-out user, which the browser logs.
  if (role === null) expected.push(/status of 401/);
  const assertCalm = () => {
    const unexpected = complaints.filter((words) => !expected.some((one) => one.test(words)));
    assert.deepEqual(unexpected, [], page.url());
    const others = requested.filter((url) => !/^(?:data|blob|about):/.test(url));
    const strange = others.filter((url) => new URL(url).origin !== new URL(app.url).origin);
    assert.deepEqual(strange, [], "nothing is loaded from another host");
  };
  if (role !== null) await addCookie(page, app, role);
  await page.goto(`${app.url}${path}`);
  return {
    page,
    requested,
    expect: (complaint) => expected.push(complaint),
    audit: async () => {
      assertCalm();
      // A screen whose code is still loading has no heading yet.
      await page.locator("h1").first().waitFor({ state: "attached" });
      const leavesContrast = !looksAtContrast || isContrastSeen(page, colorScheme);
      const except = leavesContrast ? ["color-contrast"] : [];
      assert.deepEqual(await findAccessFaults(page, { except }), [], page.url());
      assert.equal(await findSideways(page), null, page.url());
    },
    close: async () => {
      // Errors while the screen is left belong to the test, too.
      await page.goto(`${app.url}/favicon.svg`);
      await opened.close();
      assertCalm();
    },
  };
}
