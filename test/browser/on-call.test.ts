/** On call: one journey by keyboard, and one on a phone. `web/on-call` tests the rest. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { addMember } from "../support/apps/cast.ts";
import { findSideways, openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

let app: TestApp;
let browser: Browser;
let ownerId: string;
let annaId: string;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
  ownerId = (await app.call("GET", "/v1/users/me")).body.id;
  annaId = (await addMember(app, "anna@example.com", { role: "READ_WRITE" })).userId;
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const findNow = async (name: string) => {
  const { body } = await app.call("GET", "/v1/on-call/now");
  return body.find((one: { scheduleName: string }) => one.scheduleName === name);
};

describe("on call in the browser", { skip: noBrowser }, () => {
  test("a schedule is created with the keyboard alone, in the dark", async () => {
    const opened = await openApplication(browser, app, { path: "/on-call", colorScheme: "dark" });
    const { page } = opened;
    const { keyboard } = page;
    const add = page.getByRole("link", { name: "New schedule" });
    await add.focus();
    await keyboard.press("Enter");
    await page.getByLabel("Name", { exact: true }).focus();
    await keyboard.type("Primary");
    const person = page.getByLabel("Add a participant");
    await person.focus();
    await keyboard.type("anna");
    await page.getByRole("button", { name: "Add", exact: true }).focus();
    await keyboard.press("Enter");
    await page.getByText("2. anna@example.com").waitFor();
    await page.getByRole("region", { name: "Next 14 days of Primary" }).waitFor();
    await opened.audit();
    await page.getByRole("button", { name: "Create schedule" }).focus();
    await keyboard.press("Enter");
    await page.getByText("The schedule “Primary” was saved.").waitFor();
    await page.getByRole("heading", { name: "Overrides" }).waitFor();
    await opened.audit();
    const { scheduleId } = await findNow("Primary");
    const { body } = await app.call("GET", `/v1/on-call/schedules/${scheduleId}`);
    assert.deepEqual(body.layers[0].participants, [ownerId, annaId], "its creator is the first");
    await opened.close();
  });

  test("on a phone, two taps take over for two hours", { isLong: true }, async () => {
    const rotation = { unit: "DAY", handoffTime: "09:00" };
    const layer = { name: "Daily", rotation, start: "2026-11-01T09:00" };
    const night = { ...layer, name: "Night", participants: [ownerId, annaId] };
    const restrictions = [{ days: ["SATURDAY", "SUNDAY"], from: "18:00", to: "08:00" }];
    const body = {
      name: "Front desk of the northern region",
      layers: [
        { ...layer, participants: [annaId], end: "2026-11-28T18:00" },
        { ...night, restrictions },
      ],
    };
    assert.equal((await app.call("POST", "/v1/on-call/schedules", { body })).status, 201);
    const opened = await openApplication(browser, app, { path: "/on-call", width: 390 });
    const { page } = opened;
    const card = page.getByRole("listitem").filter({ hasText: body.name }).first();
    await card.getByRole("region", { name: `Next 14 days of ${body.name}` }).waitFor();
    await page.getByText(/Nobody is on call from Sun 29 Nov 08:00/).waitFor();
    assert.equal(await findSideways(page), null);
    await opened.audit();
    await card.getByRole("button", { name: "Take over for 2 h" }).tap();
    await page.getByRole("button", { name: "Take over", exact: true }).tap();
    await page.getByText(`You are on call for ${body.name} for the next 2 hours.`).waitFor();
    await card.getByText("owner@example.com").first().waitFor();
    const now = await findNow(body.name);
    assert.deepEqual(
      [now.userId, now.until],
      [ownerId, new Date(app.clock.nowMs() + 7_200_000).toISOString()],
    );
    await opened.close();
  });
});
