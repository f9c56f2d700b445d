/**
 * Draws the pictures of the README and of the docs into `docs/pictures/`, after some minutes of
 * runs, so that charts have something to show.
 *
 * npm run screenshots:docs [-- --minutes 12]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium } from "../../test/support/browsers/chromium.ts";
import { waitUntilSettled } from "../../test/support/browsers/screens.ts";
import { write } from "../support.ts";
import { signIn, startFilledServer } from "./filled-server.ts";
import { startTargets } from "./targets.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "12" } } });
const settleMs = 1_000;
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
const folder = join(import.meta.dirname, "..", "..", "docs", "pictures");

const targets = await startTargets();
const server = await startFilledServer("few", targets);
const browser = await launchChromium();
const pictures = [
  { name: "now", path: "/", width: 1280, height: 760, colorScheme: "light" },
  { name: "checks", path: "/checks", width: 1440, height: 760, colorScheme: "dark" },
  {
    name: "check",
    path: `/checks/${server.filled.checkId}`,
    width: 1440,
    height: 760,
    colorScheme: "light",
  },
  {
    name: "on-call",
    path: `/on-call/${server.filled.scheduleId}`,
    width: 1280,
    height: 480,
    colorScheme: "light",
  },
  { name: "phone", path: "/", width: 390, height: 780, colorScheme: "light" },
] as const;
try {
  await pause(Number(values.minutes) * 60_000);
  const cookie = await signIn(server.url);
  for (const { name, path, width, height, colorScheme } of pictures) {
    const context = await browser.newContext({
      viewport: { width, height },
      hasTouch: width < 768,
      colorScheme,
      locale: "en-GB",
    });
    await context.addCookies([{ ...cookie, url: server.url }]);
    const page = await context.newPage();
    await page.goto(`${server.url}${path}`);
    await waitUntilSettled(page);
    await pause(settleMs);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    write(`docs/pictures/${name}.png`);
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
  targets.stop();
}
