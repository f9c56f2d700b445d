/** A private location. The rest is in `web/locations/locations.test.tsx`. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

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
  test("a private location is created, gets a probe with one command, and is managed", async () => {
    const opened = await openApplication(browser, app, {
      path: "/locations",
      width: 390,
      expects: [/409/],
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
    await opened.audit();
    await button(page, "Done").click();
    await page.getByRole("heading", { name: "Büro <b>Süd</b>" }).waitFor();
    assert.equal(await page.getByText(/pl_[0-9a-f]{32}/).count(), 0, "the key is gone");
    await page.getByText("3.21 s ahead of the server").waitFor();
    await page.getByText("No run was queued in the last 24 hours.").waitFor();
    await opened.audit();

    await button(page, "Quarantine").click();
    await page.getByText("It is the only probe at this location").waitFor();
    await page.getByLabel("Reason").fill("Its uplink is faulty.");
    await button(page, "Quarantine").last().click();
    await page.getByText(/Quarantined since .*: Its uplink is faulty\./).waitFor();
    await button(page, "Release").click();
    await page.getByLabel("Reason").fill("Repaired.");
    await button(page, "Release").last().click();
    await button(page, "Quarantine").waitFor();

    const body = { name: "Printer", activated: false, request: { hostname: "127.0.0.1" } };
    const places = { locations: [], privateLocations: ["office"] };
    await app.call("POST", "/v1/checks/icmp", { body: { ...body, ...places } });
    await button(page, "Delete").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText(/1 check still run at office/).waitFor();
    await button(page, "Cancel").click();

    await button(page, "Rename").click();
    await page.getByLabel("Slug").fill("south");
    await button(page, "Save").click();
    await page.waitForURL(/\/locations\/south$/);
    const { body: checks } = await app.call("GET", "/v1/checks?search=Printer");
    assert.deepEqual(checks[0].privateLocations, ["south"]);

    await button(page, /^Revoke/).click();
    await page.getByText("The probe that uses it is disconnected").waitFor();
    await button(page, "Revoke").last().click();
    await page.getByText("No keys. No probe can connect.").waitFor();
    await opened.close();
  });
});
