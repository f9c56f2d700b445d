/** Groups: settings, state and checks. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { waitUntil } from "../support/time/wait-until.ts";

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
const readGroup = async (id: number) => (await app.call("GET", `/v1/check-groups/${id}`)).body;

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
  test("saving another field keeps a group's time-based escalation", async () => {
    const alertSettings = {
      escalationType: "TIME_BASED",
      timeBasedEscalation: { minutesFailingThreshold: 15 },
    };
    const id = await createGroup({ name: "Network", useGlobalAlertSettings: false, alertSettings });
    const before = await readGroup(id);
    const opened = await openApplication(browser, app, { path: `/groups/${id}` });
    const { page } = opened;
    await page.getByLabel("Name").fill("Backbone");
    await page.getByRole("button", { name: "Save" }).click();
    const notice = page.getByText("The group “Backbone” was saved.");
    await notice.waitFor();
    assert.deepEqual(await listCovered(page), []);
    const saved = await readGroup(id);
    assert.equal(saved.name, "Backbone");
    assert.deepEqual(saved.alertSettings, before.alertSettings);
    await opened.close();
  });

  test("on a conflict, the second user chooses for each field", async () => {
    const id = await createGroup({ name: "Edge" });
    const opened = await openApplication(browser, app, {
      path: `/groups/${id}`,
      expects: [/status of 412/],
    });
    const { page } = opened;
    await page.getByLabel("Name").fill("Edge of mine");
    const theirs = { name: "Edge of theirs", muted: true, locations: ["eu-central-1"] };
    await app.call("PUT", `/v1/check-groups/${id}`, { body: theirs });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const panel = page.getByRole("alert", { name: "Another user changed this group" });
    await panel.getByText("Frankfurt").waitFor();
    assert.equal((await readGroup(id)).name, "Edge of theirs");
    await opened.audit();
    await panel.getByRole("button", { name: "Keep all mine" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The group “Edge of mine” was saved.").waitFor();
    const { name, muted, locations } = await readGroup(id);
    assert.deepEqual({ name, muted, locations }, { ...theirs, name: "Edge of mine" });
    await opened.close();
  });

  test("of two tabs that edit a group, the second resolves the conflict and nothing is lost", async () => {
    const id = await createGroup({ name: "Rack", tags: ["lab"] });
    const path = `/groups/${id}`;
    const first = await openApplication(browser, app, { path });
    const second = await openApplication(browser, app, { path, expects: [/status of 412/] });
    const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
    const { page } = second;
    await page.getByLabel("Name").fill("Rack of the second");
    await page.getByLabel("Alert settings").selectOption("Account settings");
    await first.page.getByLabel("Name").fill("Rack of the first");
    await first.page.getByLabel("Tags, separated by commas").fill("lab, core");
    await first.page.getByLabel("Locations per run").selectOption("All in parallel");
    await save(first.page);
    await first.page.getByText("The group “Rack of the first” was saved.").waitFor();
    await first.close();
    await page.getByText("Another user changed this group after you opened").waitFor();
    await second.audit();
    assert.equal(await page.getByLabel("Name").inputValue(), "Rack of the second");
    await save(page);
    const panel = page.getByRole("alert", { name: "Another user changed this group" });
    await panel.getByText("All in parallel").waitFor();
    await panel.getByRole("radio", { name: "Theirs" }).check();
    await panel.getByRole("button", { name: "Use selection" }).click();
    assert.equal(await page.getByLabel("Name").inputValue(), "Rack of the first");
    await save(page);
    await page.getByText("The group “Rack of the first” was saved.").waitFor();
    const { name, tags, runParallel, useGlobalAlertSettings } = await readGroup(id);
    assert.deepEqual([name, tags], ["Rack of the first", ["lab", "core"]]);
    assert.deepEqual([runParallel, useGlobalAlertSettings], [true, true]);
    await second.close();
  });

  test("unsaved input of a group is asked for, and is back after the session ended", async () => {
    const id = await createGroup({ name: "Attic" });
    const opened = await openApplication(browser, app, { path: `/groups/${id}` });
    const { page } = opened;
    const name = page.getByLabel("Name");
    await name.fill("Cellar");
    await page.locator("#content").getByRole("link", { name: "Groups" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await name.inputValue(), "Cellar");
    const key = JSON.stringify(`vedette.draft.group.${id}`);
    const readDraft = () => page.evaluate<string | null>(`sessionStorage.getItem(${key})`);
    await waitUntil("the draft is stored", async () => (await readDraft()) !== null);
    const draft = JSON.stringify(await readDraft());
    await name.fill("Attic");
    await waitUntil("nothing is left to save", async () => (await readDraft()) === null);
    await page.evaluate(`sessionStorage.setItem(${key}, ${draft})`);
    await page.reload();
    const banner = page.getByText("Your unsaved changes were restored.");
    await banner.waitFor();
    assert.equal(await name.inputValue(), "Cellar");
    await opened.audit();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await banner.waitFor({ state: "hidden" });
    assert.equal(await name.inputValue(), "Attic");
    await opened.close();
  });

  test("a group shows its state and its checks, and checks are added and removed", async () => {
    const id = await createGroup({ name: "Shop" });
    const makeCheck = async (name: string, more: object = {}): Promise<string> => {
      const body = { name, frequency: 1440, request: { hostname: "192.0.2.1" }, ...more };
      return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
    };
    const member = await makeCheck("Cart", { groupId: id });
    const other = await makeCheck("192.0.2.1");
    await app.query("update checks set status = 'failing' where id = $1", [member]);
    const opened = await openApplication(browser, app, { path: `/groups/${id}` });
    const { page } = opened;
    await page.getByRole("list", { name: "Checks by state" }).waitFor();
    await page.getByText("not enough data yet").waitFor();
    const members = page.getByRole("region", { name: "Checks in this group" });
    await members.getByRole("link", { name: "Cart" }).waitFor();
    await members.getByLabel("Add checks").fill("192.0.2");
    await page.getByRole("option", { name: /^192\.0\.2\.1/ }).click();
    await members.getByRole("button", { name: "Add 1 check" }).click();
    const added = members.getByRole("link", { name: "192.0.2.1" });
    await added.waitFor();
    assert.equal((await app.call("GET", `/v1/checks/${other}`)).body.groupId, id);
    await opened.audit();
    await members.getByRole("button", { name: "Remove Cart from the group" }).click();
    await page.getByText("1 check was removed.").waitFor();
    assert.equal((await app.call("GET", `/v1/checks/${member}`)).body.groupId, null);
    await opened.close();
  });
});
