/** On call: from no schedule to a message at the right person, by keyboard and on a phone. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { addMember, signIn } from "../support/apps/cast.ts";
import { triggerRun } from "../support/apps/trigger.ts";
import { findSideways, openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { pressKeyIn, tabTo } from "../support/browsers/keyboard.ts";
import { test } from "../support/long-run.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { type HttpReceiver, startHttpReceiver } from "../support/servers/http-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
/** Accepts what ntfy accepts. */
let ntfy: HttpReceiver;
let ownerId: string;
let annaId: string;
/** Cleanup functions, because test hooks cannot be registered inside a hook. */
const ends: (() => void)[] = [];

/** Anna has a topic, so that a message to her would be seen. */
async function addAnna(): Promise<string> {
  const email = "anna@example.com";
  const { userId, password } = await addMember(app, email, { role: "READ_WRITE" });
  const cookie = await signIn(app, email, password);
  const body = { type: "NTFY", config: { url: ntfy.url, topic: "anna" } };
  await app.call("POST", "/v1/users/me/contact-methods", { cookie, body });
  await app.query("update contact_methods set verified_at = now() where user_id = $1", [userId]);
  return userId;
}

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" }, { clock: systemClock });
  ntfy = await startHttpReceiver({ after: (end) => ends.push(end as () => void) });
  browser = await launchBrowser();
  ownerId = (await app.call("GET", "/v1/users/me")).body.id;
  annaId = await addAnna();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  for (const end of ends) end();
});

const findNow = async (name: string) => {
  const { body } = await app.call("GET", "/v1/on-call/now");
  return body.find((one: { scheduleName: string }) => one.scheduleName === name);
};

interface Message {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
}
const listMessages = () => ntfy.requests.map(({ body }) => JSON.parse(body) as Message);

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

async function typeIn(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

/** Adds a method, and enters the code that arrives there. */
async function becomeReachable(page: Page): Promise<void> {
  await pressKeyIn(page, link(page, "How I am reached"), "Enter");
  await pressKeyIn(page, button(page, "Add a contact method"), "Enter");
  await typeIn(page, page.getByLabel(/^Server URL/), ntfy.url);
  await typeIn(page, page.getByLabel(/^Topic/), "ada");
  await page.keyboard.press("Enter");
  await page.getByLabel(/^Code/).waitFor();
  const code = /\b\d{6}\b/.exec(listMessages().at(-1)?.message ?? "")?.[0];
  await typeIn(page, page.getByLabel(/^Code/), code ?? "no code");
  await page.keyboard.press("Enter");
  await page.getByText("The contact method is verified, and your rules use it.").waitFor();
}

async function createSchedule(page: Page): Promise<void> {
  await pressKeyIn(page, link(page, "New schedule"), "Enter");
  await typeIn(page, field(page, "Name"), "Primary");
  await typeIn(page, page.getByLabel("Add a participant"), "anna");
  await pressKeyIn(page, button(page, "Add"), "Enter");
  await page.getByText("2. anna@example.com").waitFor();
  await page.getByRole("region", { name: "Next 14 days of Primary" }).waitFor();
}

describe("on call in the browser", { skip: noBrowser }, () => {
  test("by keyboard in the dark, from no schedule to an alert that reaches the person on call", async () => {
    const opened = await openApplication(browser, app, { path: "/on-call", colorScheme: "dark" });
    const { page } = opened;
    await becomeReachable(page);
    await opened.audit();
    await pressKeyIn(page, link(page, "On call").first(), "Enter");
    await createSchedule(page);
    await opened.audit();
    await pressKeyIn(page, button(page, "Create schedule"), "Enter");
    await page.getByText("The schedule “Primary” was saved.").waitFor();
    await pressKeyIn(page, button(page, "Page this schedule for all checks"), "Enter");
    await page.getByText("Alerts of all checks page this schedule now.").waitFor();
    await pressKeyIn(page, button(page, "Send test page"), "Enter");
    const { host } = new URL(ntfy.url);
    await page.getByText(`owner@example.com: ntfy ada at ${host}`).waitFor();
    assert.match(listMessages().at(-1)?.title ?? "", /test message/);
    await opened.audit();

    const { scheduleId, userId } = await findNow("Primary");
    const { body: schedule } = await app.call("GET", `/v1/on-call/schedules/${scheduleId}`);
    assert.deepEqual(schedule.layers[0].participants, [ownerId, annaId], "its creator is first");
    assert.equal(userId, ownerId);
    ntfy.requests.splice(0);
    const request = { hostname: "127.0.0.1", port: await findFreePort() };
    const body = { name: "Shop", request, frequency: 1440, retryStrategy: null };
    const { body: check } = await app.call("POST", "/v1/checks/tcp", { body });
    await triggerRun(app, check.id);
    await waitUntil("the alert arrives", () => listMessages().length > 0);
    const [{ topic, title } = { topic: "", title: "" }] = listMessages();
    assert.equal(topic, "ada", "at the person on call");
    assert.match(title, /Shop/);
    await pressKeyIn(page, link(page, "Now").first(), "Enter");
    await page.getByText(/^Primary: owner@example\.com/).waitFor();
    await opened.close();
    assert.ok(
      listMessages().every((one) => one.topic === "ada"),
      "and at nobody else",
    );
  });

  test("by keyboard, a policy with three steps is rehearsed and saved, and a shift taken over", {
    isLong: true,
  }, async () => {
    const rotation = { unit: "DAY", handoffTime: "09:00" };
    const layers = [{ name: "Daily", rotation, participants: [annaId], start: "2026-11-01T09:00" }];
    await app.call("POST", "/v1/on-call/schedules", { body: { name: "Secondary", layers } });
    const opened = await openApplication(browser, app, { path: "/on-call/policies/new" });
    const { page } = opened;
    await typeIn(page, field(page, "Name"), "Three steps");
    const step = (index: number) => page.getByRole("region", { name: `Step ${index}` });
    for (const [index, target] of ["Secondary", "owner", "anna"].entries()) {
      if (index > 0) await pressKeyIn(page, button(page, "Add a step"), "Enter");
      const own = step(index + 1);
      await own.getByLabel("Who is alerted").focus();
      await page.keyboard.type(target);
      await pressKeyIn(page, own.getByRole("button", { name: "Add", exact: true }), "Enter");
    }
    await page
      .getByText("After 20 min without acknowledgement: anna@example.com.")
      .first()
      .waitFor();
    await pressKeyIn(page, button(page, "Rehearse"), "Enter");
    await page.getByText("At once, anna@example.com is reached.").waitFor();
    await page.getByText("After 20 min", { exact: true }).waitFor();
    await opened.audit();
    await button(page, "Create policy").focus();
    await page.keyboard.press("Enter");
    await page.getByText("The policy “Three steps” was saved.").waitFor();
    await pressKeyIn(page, link(page, "On call").first(), "Enter");
    const card = page.getByRole("listitem").filter({ hasText: "Secondary" }).first();
    await pressKeyIn(page, card.getByRole("button", { name: "Take over for 2 h" }), "Enter");
    await button(page, "Take over").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("You are on call for Secondary for the next 2 hours.").waitFor();
    assert.equal((await findNow("Secondary")).userId, ownerId);
    await opened.close();
  });

  test("on a phone, two taps take over for two hours", { isLong: true }, async () => {
    const rotation = { unit: "DAY", handoffTime: "09:00" };
    const layer = { name: "Daily", rotation, start: "2026-11-01T09:00" };
    const soon = new Date(Date.now() + 5 * 86_400_000);
    const night = { ...layer, name: "Night", participants: [ownerId, annaId] };
    const restrictions = [{ days: ["SATURDAY", "SUNDAY"], from: "18:00", to: "08:00" }];
    const body = {
      name: "Front desk of the northern region",
      layers: [
        { ...layer, participants: [annaId], end: `${soon.toISOString().slice(0, 10)}T18:00` },
        { ...night, restrictions },
      ],
    };
    assert.equal((await app.call("POST", "/v1/on-call/schedules", { body })).status, 201);
    const opened = await openApplication(browser, app, { path: "/on-call", width: 390 });
    const { page } = opened;
    const card = page.getByRole("listitem").filter({ hasText: body.name }).first();
    await card.getByRole("region", { name: `Next 14 days of ${body.name}` }).waitFor();
    await page
      .getByText(/Nobody is on call from/)
      .first()
      .waitFor();
    assert.equal(await findSideways(page), null);
    await opened.audit();
    await card.getByRole("button", { name: "Take over for 2 h" }).tap();
    await page.getByRole("button", { name: "Take over", exact: true }).tap();
    await page.getByText(`You are on call for ${body.name} for the next 2 hours.`).waitFor();
    await card.getByText("owner@example.com").first().waitFor();
    const now = await findNow(body.name);
    assert.equal(now.userId, ownerId);
    const minutesLeft = Math.round((Date.parse(now.until) - Date.now()) / 60_000);
    assert.ok(minutesLeft > 110 && minutesLeft <= 120, `${minutesLeft} minutes`);
    await opened.close();
  });
});
