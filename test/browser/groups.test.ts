/** Groups: one journey. `web/groups` tests the rest without a browser. */
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
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const createGroup = async (body: object): Promise<number> =>
  (await app.call("POST", "/v1/check-groups", { body })).body.id;

/** Returns the controls that the notices strip covers. */
const listCovered = (page: Page) =>
  page.evaluate(`(() => {
    const strip = document.querySelector("[role=status][aria-live=polite]:not(:empty)");
    const { top, bottom } = strip.getBoundingClientRect();
    return [...document.querySelectorAll("#content :is(a[href], button, input, select)")]
      .filter((one) => {
        const box = one.getBoundingClientRect();
        return box.height > 0 && box.bottom > top && box.top < bottom;
      })
      .map((one) => one.outerHTML);
  })()`);

describe("groups in the browser", { skip: noBrowser }, () => {
  test("a group in conflict is saved, and gets a check", async () => {
    const id = await createGroup({ name: "Edge" });
    const body = { name: "192.0.2.1", frequency: 1440, request: { hostname: "192.0.2.1" } };
    const check = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
    const opened = await openApplication(browser, app, {
      path: `/groups/${id}`,
      expects: [/status of 412/],
    });
    const { page } = opened;
    await page.getByLabel("Name").fill("Edge of mine");
    const theirs = { name: "Edge of theirs", muted: true };
    await app.call("PUT", `/v1/check-groups/${id}`, { body: theirs });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const panel = page.getByRole("alert", { name: "Another user changed this group" });
    await panel.waitFor();
    await opened.audit();
    await panel.getByRole("button", { name: "Keep all mine" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The group “Edge of mine” was saved.").waitFor();
    assert.deepEqual(await listCovered(page), []);
    const members = page.getByRole("region", { name: "Checks in this group" });
    await members.getByLabel("Add checks").fill("192.0.2");
    await page.getByRole("option", { name: /^192\.0\.2\.1/ }).click();
    await members.getByRole("button", { name: "Add 1 check" }).click();
    await members.getByRole("link", { name: "192.0.2.1" }).waitFor();
    await opened.audit();
    assert.equal((await app.call("GET", `/v1/checks/${check}`)).body.groupId, id);
    await opened.close();
  });
});
