import { after } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium, noBrowser } from "./chromium.ts";

export { noBrowser };

let shared: Promise<Browser> | undefined;
let end = async () => {};

// Closes the browser at the end of the process if the runner has loaded this file first, otherwise
// at the end of the test file.
after(() => end());

async function start(): Promise<Browser> {
  const browser = await launchChromium();
  const close = browser.close.bind(browser);
  end = async () => {
    shared = undefined;
    await close();
  };
  return browser;
}

/** Browser contexts that later tests can reuse. */
export const idleContexts = new Set<BrowserContext>();

/**
 * Returns the browser of this process. Its `close` closes only the windows in use, so that other
 * tests can use the browser again.
 */
export async function launchBrowser(): Promise<Browser> {
  shared ??= start();
  const browser = await shared;
  browser.close = async () => {
    const used = browser.contexts().filter((context) => !idleContexts.has(context));
    await Promise.all(used.map((context) => context.close()));
  };
  return browser;
}

export interface WatchedPage {
  readonly page: Page;
  /**
   * Browser errors, such as script errors, failed requests and violations of the content security
   * policy.
   */
  readonly complaints: string[];
  /** All requested URLs, oldest first. */
  readonly requested: string[];
  readonly close: () => Promise<void>;
}

/** Opens a separate window without cookies, and records the errors of its page. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  page.setDefaultTimeout(60_000);
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    // The URL is added, because the console message contains only the status of the response.
    const where = message.text().startsWith("Failed to load") ? ` ${message.location().url}` : "";
    complaints.push(`${message.text()}${where}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requested.push(request.url()));
  page.on("requestfailed", (request) => {
    // A request that is aborted by a navigation does not count as failed.
    const reason = request.failure()?.errorText ?? "failed";
    if (reason !== "net::ERR_ABORTED") complaints.push(`${reason} ${request.url()}`);
  });
  return { page, complaints, requested, close: () => context.close() };
}
