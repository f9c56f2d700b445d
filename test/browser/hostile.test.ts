/** Hostile names on every screen. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import {
  type ApplicationPage,
  findSideways,
  openApplication,
} from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import {
  type Attack,
  attacks,
  type HostileScene,
  startHostileScene,
} from "../support/browsers/hostile-scene.ts";
import { chooseOnePerModule, goToScreen, type Screen } from "../support/browsers/screens.ts";
import { isLongRun } from "../support/long-run.ts";

let scene: HostileScene;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  scene = await startHostileScene();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await scene?.app.stop();
});

async function assertHarmless({ page }: ApplicationPage, screen: Screen): Promise<void> {
  const found: string[] = await page.evaluate(`[
    ...document.querySelectorAll("#app img[src=x], #app script, [onerror]"),
    ...[...document.querySelectorAll("a[href]")].filter(
      (one) => !["http:", "https:", "mailto:"].includes(new URL(one.href).protocol)),
  ].map((one) => one.outerHTML)`);
  assert.deepEqual(found, [], screen.path);
}

describe("hostile names", { skip: noBrowser }, () => {
  test("execute nothing and do not widen the page, on every screen of a phone", async () => {
    const opened = await openApplication(browser, scene.app, { width: 390, looksAtContrast: true });
    // An audit costs more than all the rest; the screens of a module are made of the same parts.
    const audited = new Set(isLongRun ? scene.screens : chooseOnePerModule(scene.screens));
    for (const screen of scene.screens) {
      await goToScreen(opened.page, screen.path);
      await assertHarmless(opened, screen);
      assert.equal(await findSideways(opened.page), null, screen.path);
      if (audited.has(screen)) await opened.audit();
    }
    await opened.close();
  });

  test("are shown exactly as typed", async () => {
    const opened = await openApplication(browser, scene.app, { path: "/checks" });
    for (const attack of Object.keys(attacks) as Attack[]) {
      await opened.page.getByText(attacks[attack]).first().waitFor();
    }
    await opened.close();
  });
});
