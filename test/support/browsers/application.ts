/** Opens the web application in a browser with a signed-in user, at desktop or phone width. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Role } from "../../../src/access/accounts/index.ts";
import { prepareWeb } from "../../../web/build.ts";
import { type TestApp, useSamePort } from "../apps/app.ts";
import { signInAs } from "../apps/cast.ts";
import { idleContexts, openPage, type WatchedPage } from "./browser.ts";

// The web application is built here, because the server loads its files only on start.
await prepareWeb(() => {});
useSamePort();

const viewports = {
  1440: { width: 1440, height: 900 },
  390: { width: 390, height: 844 },
} as const;

export interface OpenOptions {
  /** Path of the screen to open, such as `/checks?state=failing`. */
  readonly path?: string;
  /** Role of the signed-in user; `null` if nobody is signed in. */
  readonly role?: Role | null;
  readonly width?: keyof typeof viewports;
  readonly colorScheme?: "light" | "dark";
  /** Whether an audit checks contrast. By default, contrast is checked only in dark mode. */
  readonly looksAtContrast?: boolean;
  /** Browser errors that the test expects, such as the error of a rejected request. */
  readonly expects?: readonly RegExp[];
  /** Options of a separate browser window, for tests that change more than the path. */
  readonly context?: BrowserContextOptions;
}

export interface ApplicationPage {
  readonly page: Page;
  readonly requested: readonly string[];
  /** Adds an expected browser error. */
  readonly expect: (complaint: RegExp) => void;
  /** Fails if the browser has reported an error or the screen has accessibility faults. */
  readonly audit: () => Promise<void>;
  /**
   * Closes the window. Fails on browser errors, such as script errors, failed requests and
   * violations of the content security policy.
   */
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
 * Returns whether contrast was already checked on this screen in this theme. A contrast check is
 * most of the cost of an audit, and its result depends on the screen and theme more than on the
 * content. The test with hostile names checks contrast on every screen in light mode. Other tests
 * check contrast in dark mode, once per screen and process.
 */
function isContrastSeen(page: Page, theme: string): boolean {
  const screen = new URL(page.url()).pathname.replace(/[\da-f-]{36}|\d+/g, "id");
  const key = `${theme} ${screen}`;
  const isSeen = contrastSeen.has(key);
  contrastSeen.add(key);
  return isSeen;
}

/** Lists the faults that axe finds, each with its element. */
export async function findAccessFaults(
  page: Page,
  { except = [] }: { readonly except?: readonly string[] } = {},
): Promise<readonly string[]> {
  const rules = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]));
  // Frames are skipped, because a frame is a separate page and axe cannot access a sandboxed one.
  const options = JSON.stringify({ preload: false, iframes: false, rules });
  // The debugger evaluates axe, so the page's content security policy does not apply.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) =>
        id + ": " + help + ": " + html.slice(0, 160) + " " + (failureSummary ?? "").slice(0, 300))))`);
}

/** Returns which element makes the page wider than its window, or `null` if the page fits. */
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
 * Presses a button after the session has ended. If another request has already redirected the
 * screen to the sign-in, the button no longer exists and nothing is pressed.
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
 * Reuses the window of an earlier test after clearing its cookies and storage. A new window costs
 * two seconds of CPU because it must load and compile the code, a reused one a third of a second.
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

/** Clears the state of the previous test before any code of the application runs. */
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
  // The API responds with 401 to a user who is not signed in, and the browser logs this response.
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
      // The screen has no heading until its code has loaded.
      await page.locator("h1").first().waitFor({ state: "attached" });
      const leavesContrast = !looksAtContrast || isContrastSeen(page, colorScheme);
      const except = leavesContrast ? ["color-contrast"] : [];
      assert.deepEqual(await findAccessFaults(page, { except }), [], page.url());
      assert.equal(await findSideways(page), null, page.url());
    },
    close: async () => {
      // Leaves the screen, because errors that occur while leaving must fail the test too.
      await page.goto(`${app.url}/favicon.svg`);
      await opened.close();
      assertCalm();
    },
  };
}
