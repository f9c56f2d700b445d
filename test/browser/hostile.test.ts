/** Hostile names on every screen. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { type ApplicationPage, openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import {
  type Attack,
  attacks,
  type HostileScene,
  startHostileScene,
} from "../support/browsers/hostile-scene.ts";
import { type Screen, waitUntilSettled } from "../support/browsers/screens.ts";

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
    for (const screen of scene.screens) {
      await opened.page.goto(`${scene.app.url}${screen.path}`);
      await waitUntilSettled(opened.page);
      await assertHarmless(opened, screen);
      await opened.audit();
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
