/** A private location. The rest is in `web/locations/locations.test.tsx`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

/** Registers a probe with the newest key, as the gateway does. */
async function sayHello(id: string, slugName: string): Promise<void> {
  await app.query(
    `insert into probes (id, location, route, key_id, is_built_in, version, ipv4_sources,
        ipv6_sources, is_suspect, started_at, last_seen_at, limitations, transport,
        clock_skew_ms, spool_depth)
      select $1, p.slug_name, p.id::text, k.id, false, '0.1.0', '{10.9.8.7}', '{}', false, $3, $3,
        '{}', 'websocket', 3210, 7
      from private_locations p join probe_keys k on k.private_location_id = p.id
      where p.slug_name = $2 order by k.id desc limit 1`,
    [id, slugName, app.clock.now()],
  );
}

describe("locations", { skip: noBrowser }, () => {
  test("a private location is created and gets a probe with one command", async () => {
    const opened = await openApplication(browser, app, {
      path: "/locations",
      width: 390,
    });
    const { page } = opened;
    await page.getByText("No private locations yet").waitFor();
    await button(page, "New private location").click();
    await page.getByLabel("Name").fill("Büro <b>Süd</b>");
    assert.equal(await page.getByLabel("Slug").inputValue(), "buro-b-sud-b");
    await page.getByLabel("Slug").fill("office");
    await button(page, "Create").click();
    const command = page.getByText(
      /^PROBE_TOKEN=pl_[0-9a-f]{32} npm run vedette probe -- --server/,
    );
    await command.waitFor();
    await page.getByText("Waiting for the probe.").waitFor();
    await sayHello("office-1", "office");
    await page.getByText("office-1 is connected and ready to run checks.").waitFor();
    await button(page, "Done").click();
    await page.getByRole("heading", { name: "Büro <b>Süd</b>" }).waitFor();
    assert.equal(await page.getByText(/pl_[0-9a-f]{32}/).count(), 0, "the key is gone");
    await page.getByText("3.21 s ahead of the server").waitFor();
    await page.getByText("No run was queued in the last 24 hours.").waitFor();
    await opened.audit();
    await opened.close();
  });
});
