/**
 * The first hour of an owner, as a person lives it: from the printed link to an alert that came,
 * was understood and acknowledged, and to the recovery. Only by roles and visible words.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { prepareWeb } from "../../web/build.ts";
import { spawnVedette, waitForAddress } from "../support/apps/vedette-process.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { type HttpReceiver, startHttpReceiver } from "../support/servers/http-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

await prepareWeb(() => {});

let browser: Browser;
before(async () => {
  if (noBrowser === false) browser = await launchBrowser();
});
after(() => browser?.close());

/** A first start, with what it printed. */
async function startFirst(
  t: TestContext,
): Promise<{ readonly url: string; readonly link: string }> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-first-hour-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const vedette = spawnVedette(t, ["server"], {
    DATA_DIR: join(folder, "data"),
    PORT: "0",
    LOG_LEVEL: "warn",
    OUTBOUND_ALLOW_PRIVATE: "true",
  });
  const url = await waitForAddress(vedette);
  const link = /^ {2}Open\s+http\S+?(\/sign-in#\S+)$/m.exec(vedette.output())?.[1];
  assert.ok(link, vedette.output());
  return { url, link: `${url}${link}` };
}

function typesOf(receiver: HttpReceiver): string[] {
  return receiver.requests.map(({ body }) => {
    const { alertType, checkName } = JSON.parse(body) as Record<string, string>;
    return `${alertType} ${checkName}`;
  });
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name }).first().click();
const follow = (page: Page, name: string | RegExp) =>
  page.getByRole("link", { name }).first().click();

async function choosePassword(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "New password" }).fill("a sentence of my own");
  await press(page, "Save and go on");
  await page.getByRole("heading", { name: "First steps" }).waitFor();
}

async function addChannel(page: Page, url: string): Promise<void> {
  await follow(page, "Add a channel");
  await follow(page, "Webhook");
  await page.getByRole("textbox", { name: "Name" }).fill("Pager");
  await page.getByRole("textbox", { name: "URL" }).fill(url);
  await press(page, "Send a test");
  await page.getByText("The test arrived.").waitFor();
  await press(page, "Save channel");
  await page.getByText("The channel is saved.").waitFor();
}

async function pasteChecks(page: Page, list: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Now" }).click();
  await follow(page, "Add a check");
  // Now has these words too, and is there until the other screen has come.
  await page.getByRole("heading", { name: "New check" }).waitFor();
  await page.getByText("Paste a list").click();
  await page.getByLabel(/^Hosts, addresses or URLs/).fill(list);
  await press(page, "Create 2 checks");
  await page.getByText("2 created.").waitFor();
  await follow(page, "Go to the checks");
}

async function openCheck(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Checks" }).click();
  await follow(page, name);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

async function live(t: TestContext, width: number): Promise<void> {
  const target = await startHttpReceiver(t);
  const pager = await startHttpReceiver(t);
  const { url, link } = await startFirst(t);
  const { page, complaints, close } = await openPage(browser, {
    viewport: { width, height: width === 390 ? 844 : 900 },
    hasTouch: width === 390,
    reducedMotion: "reduce",
  });
  await page.goto(link);
  await choosePassword(page);
  await addChannel(page, pager.url);
  assert.equal(pager.requests.length, 1);

  await pasteChecks(page, `Router, 127.0.0.1\nShop, ${target.url}/health`);
  await openCheck(page, "Router");
  const runs = page.getByRole("region", { name: "Runs" });
  await runs.getByRole("listitem").first().getByRole("button").click();
  await page.getByRole("heading", { name: "Packets" }).waitFor();
  await page.keyboard.press("Escape");

  await openCheck(page, "Shop");
  target.respond = () => ({ status: 500 });
  await press(page, "Run now");
  await waitUntil("the alert arrived", () => typesOf(pager).includes("ALERT_FAILURE Shop"));

  await page.getByRole("navigation").getByRole("link", { name: "Now" }).click();
  await page.getByText(/500/).first().waitFor();
  await press(page, "Acknowledge Shop");
  await page
    .getByText(/Acknowledged by/)
    .first()
    .waitFor();

  target.respond = () => ({});
  await openCheck(page, "Shop");
  await press(page, "Run now");
  await waitUntil("the recovery arrived", () => typesOf(pager).includes("ALERT_RECOVERY Shop"));
  await page.getByRole("navigation").getByRole("link", { name: "Now" }).click();
  await page.getByText("Everything is passing").waitFor();
  assert.deepEqual(complaints, []);
  await close();
  assert.ok(url);
}

describe("the first hour", { skip: noBrowser }, () => {
  for (const width of [1440, 390]) {
    test(`from the printed link to a recovery, at ${width}`, (t) => live(t, width));
  }
});
