import { after } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium, noBrowser } from "./chromium.ts";

export { noBrowser };

let shared: Promise<Browser> | undefined;
let end = async () => {};

// Of the process where the runner has loaded this first, and otherwise of the file that did.
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

/** The one browser of this process. Who closes it closes the windows, and leaves it to others. */
export async function launchBrowser(): Promise<Browser> {
  shared ??= start();
  const browser = await shared;
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  return browser;
}

export interface WatchedPage {
  readonly page: Page;
  /** Whatever a browser complained about: errors of scripts, of the policy, of requests. */
  readonly complaints: string[];
  /** Every address that was asked for, in order. */
  readonly requested: string[];
  readonly close: () => Promise<void>;
}

/** A window of its own, without cookies, that remembers what went wrong in it. */
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
    // Of an answer the console says only its status.
    const where = message.text().startsWith("Failed to load") ? ` ${message.location().url}` : "";
    complaints.push(`${message.text()}${where}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requested.push(request.url()));
  page.on("requestfailed", (request) => {
    // What is cut off because the reader goes elsewhere has not failed.
    const reason = request.failure()?.errorText ?? "failed";
    if (reason !== "net::ERR_ABORTED") complaints.push(`${reason} ${request.url()}`);
  });
  return { page, complaints, requested, close: () => context.close() };
}
