import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findLack, findProgram } from "../programs/programs.ts";

const executablePath = findProgram("chromium");

/** Why tests with a browser cannot run here, for `test(name, { skip: noBrowser }, …)`. */
export const noBrowser: string | false = findLack("chromium");

/** Every name that ends in `.test` leads to this machine. */
export function launchBrowser(): Promise<Browser> {
  if (executablePath === null) throw new Error(String(noBrowser));
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
}

export interface WatchedPage {
  readonly page: Page;
  /** Whatever a browser complained about: errors of scripts, of the policy, of requests. */
  readonly complaints: readonly string[];
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
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
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
