/**
 * Draws every screen of the web application into `screenshots/` for review: in light and dark, on a
 * desktop and on a phone, with no, little and much data.
 *
 * npm run screenshots [-- --amounts few,many --only /checks]
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../test/support/browsers/chromium.ts";
import { listScreens, waitUntilSettled } from "../../test/support/browsers/screens.ts";
import { write } from "../support.ts";
import { type Amount, amounts } from "./fill.ts";
import { signIn, startFilledServer } from "./filled-server.ts";
import { startTargets, type Targets } from "./targets.ts";

const { values } = parseArgs({
  options: {
    amounts: { type: "string", default: amounts.join() },
    only: { type: "string", default: "" },
    folder: { type: "string", default: "screenshots" },
  },
});
/** Time for the first runs, and for what a screen loads after its first content. */
const firstRunsMs = 35_000;
const settleMs = 600;
const maxHeight = 2_600;
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

interface Drawing {
  readonly browser: Browser;
  readonly url: string;
  readonly amount: Amount;
  readonly screens: readonly { readonly name: string; readonly path: string }[];
}

/** Makes the window as high as the page, so that the bar of a phone stays at the bottom. */
async function showWhole(page: Page): Promise<void> {
  const high: number = await page.evaluate("document.documentElement.scrollHeight");
  await page.setViewportSize({ width: 390, height: Math.min(maxHeight, Math.max(844, high)) });
}

async function draw({ browser, url, amount, screens }: Drawing): Promise<void> {
  const cookie = await signIn(url);
  for (const width of [1440, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({
        viewport: { width, height: width === 390 ? 844 : 900 },
        hasTouch: width === 390,
        colorScheme,
        locale: "en-GB",
      });
      await context.addCookies([{ ...cookie, url }]);
      const page = await context.newPage();
      page.on("console", (message) => {
        const isLoud = ["error", "warning"].includes(message.type());
        if (isLoud) write(`  ${page.url()}: ${message.text()}`);
      });
      page.on("pageerror", (error) => write(`  ${page.url()}: ${String(error)}`));
      for (const { name, path } of screens) {
        if (path.startsWith("/sign-in")) await context.clearCookies();
        await page.goto(`${url}${path}`);
        await waitUntilSettled(page);
        await pause(settleMs);
        if (width === 390) await showWhole(page);
        const file = `${amount}-${name}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: join(values.folder, file) });
        if (width === 390) await page.setViewportSize({ width, height: 844 });
      }
      await context.close();
    }
  }
}

async function drawAmount(browser: Browser, targets: Targets, amount: Amount): Promise<void> {
  const server = await startFilledServer(amount, targets);
  try {
    if (amount !== "empty") await pause(firstRunsMs);
    const screens = listScreens(server.filled).filter(({ path }) => path.includes(values.only));
    await draw({ browser, url: server.url, amount, screens });
    write(`${amount}: ${screens.length} screens`);
  } finally {
    await server.stop();
  }
}

mkdirSync(values.folder, { recursive: true });
const targets = await startTargets();
const browser = await launchChromium();
try {
  for (const amount of amounts.filter((one) => values.amounts.split(",").includes(one))) {
    await drawAmount(browser, targets, amount);
  }
} finally {
  await browser.close();
  targets.stop();
}
