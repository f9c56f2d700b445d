import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const usualPlaces = [
  process.env.CHROMIUM_PATH ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const installMs = 240_000;

function findChromium(): string | null {
  return usualPlaces.find((path) => path !== "" && existsSync(path)) ?? null;
}

/** Where we may and it is missing, it is installed; apt itself keeps two of these apart. */
function obtainChromium(): string | null {
  const found = findChromium();
  if (found !== null || process.platform !== "linux" || process.getuid?.() !== 0) return found;
  const wait = ["-o", "DPkg::Lock::Timeout=200"];
  spawnSync("apt-get", [...wait, "install", "-y", "--no-install-recommends", "chromium"], {
    timeout: installMs,
    stdio: "ignore",
  });
  return findChromium();
}

const executablePath = obtainChromium();

/** Why tests with a browser cannot run here, for `test(name, { skip: noBrowser }, …)`. */
export const noBrowser: string | false =
  executablePath === null && "NO CHROMIUM: install it or set CHROMIUM_PATH; nothing was tested";
if (noBrowser !== false) process.stderr.write(`\n*** ${noBrowser} ***\n\n`);

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
  page.setDefaultTimeout(15_000);
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
