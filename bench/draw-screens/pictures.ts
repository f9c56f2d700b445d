/**
 * Draws the pictures of the README and of the docs into `docs/pictures/`, after some minutes of
 * runs, so that charts have something to show.
 *
 * npm run screenshots:docs [-- --minutes 12 --only schedules,rehearsal]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { launchChromium } from "../../test/support/browsers/chromium.ts";
import { waitUntilSettled } from "../../test/support/browsers/screens.ts";
import { write } from "../support.ts";
import { signIn, startFilledServer } from "./filled-server.ts";
import { startOnCallScene } from "./on-call.ts";
import { startTargets } from "./targets.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "12" },
    only: { type: "string", default: "" },
  },
});
const settleMs = 1_000;
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
const folder = join(import.meta.dirname, "..", "..", "docs", "pictures");

const targets = await startTargets();
const server = await startFilledServer("few", targets);
const browser = await launchChromium();

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme?: "light" | "dark";
  readonly act?: (page: Page) => Promise<void>;
}

const pictures: readonly Picture[] = [
  { name: "now", path: "/", width: 1280, height: 760 },
  { name: "checks", path: "/checks", width: 1440, height: 760, colorScheme: "dark" },
  { name: "check", path: `/checks/${server.filled.checkId}`, width: 1440, height: 760 },
  { name: "on-call", path: `/on-call/${server.filled.scheduleId}`, width: 1280, height: 480 },
  { name: "phone", path: "/", width: 390, height: 780 },
];

async function rehearse(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Rehearse" }).click();
  await page.getByRole("list", { name: "Rehearsal" }).waitFor();
}

/** Pictures of a team that takes turns; the others show an account with one member. */
const listTeamPictures = (policyId: string, alertId: string): readonly Picture[] => [
  { name: "schedules", path: "/on-call", width: 1280, height: 560 },
  {
    ...{ name: "rehearsal", path: `/on-call/policies/${policyId}`, width: 1280, height: 640 },
    act: rehearse,
  },
  {
    ...{ name: "paged", path: `/alerts/${alertId}`, width: 390, height: 560 },
    act: (page) =>
      page
        .getByRole("heading", { name: "Timeline" })
        .evaluate((heading) => heading.scrollIntoView()),
  },
];

async function draw(picture: Picture, cookie: Awaited<ReturnType<typeof signIn>>): Promise<void> {
  const { name, path, width, height, colorScheme = "light", act } = picture;
  if (values.only !== "" && !values.only.split(",").includes(name)) return;
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
  await act?.(page);
  await pause(settleMs);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  write(`docs/pictures/${name}.png`);
  await context.close();
}

try {
  await pause(Number(values.minutes) * 60_000);
  const cookie = await signIn(server.url);
  for (const picture of pictures) await draw(picture, cookie);
  const team = await startOnCallScene(server.url, `${cookie.name}=${cookie.value}`);
  for (const picture of listTeamPictures(team.policyId, team.alertId)) await draw(picture, cookie);
  team.stop();
} finally {
  await browser.close();
  await server.stop();
  targets.stop();
}
