import { after } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium, noBrowser } from "./chromium.ts";

export { noBrowser };

let shared: Promise<Browser> | undefined;
let end = async () => {};

// Registered for the process if the runner has loaded this first, otherwise for the test file.
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

/** Windows that later tests use again. */
export const idleContexts = new Set<BrowserContext>();

/**
 * The only browser of this process. Closing it closes the windows in use, and keeps it for other
 * tests.
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
  /** Browser errors: scripts, content security policy, requests. */
  readonly complaints: string[];
  /** Every requested URL, in order. */
  readonly requested: string[];
  readonly close: () => Promise<void>;
}

/** Opens a separate window without cookies that records errors. */
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
    // The console shows only the status of a response.
    const where = message.text().startsWith("Failed to load") ? ` ${message.location().url}` : "";
    complaints.push(`${message.text()}${where}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requested.push(request.url()));
  page.on("requestfailed", (request) => {
    // A request aborted by navigation has not failed.
    const reason = request.failure()?.errorText ?? "failed";
    if (reason !== "net::ERR_ABORTED") complaints.push(`${reason} ${request.url()}`);
  });
  return { page, complaints, requested, close: () => context.close() };
}
