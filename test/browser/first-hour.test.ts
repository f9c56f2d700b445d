/**
 * The first hour of an owner: from the printed link to an alert that is received and acknowledged,
 * and to the recovery. Uses only roles and visible text.
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
import { isLongRun } from "../support/long-run.ts";
import { needsPings } from "../support/programs/pings.ts";
import { findFreePort } from "../support/servers/free-port.ts";
import { type HttpReceiver, startHttpReceiver } from "../support/servers/http-receiver.ts";
import { waitUntil } from "../support/time/wait-until.ts";

await prepareWeb(() => {});

let browser: Browser;
before(async () => {
  if (noBrowser === false) browser = await launchBrowser();
});
after(() => browser?.close());

interface FirstStart {
  readonly url: string;
  readonly link: string;
  /** Kills the server like a crash. */
  readonly kill: () => Promise<void>;
  /** Restarts it with the same data on the same port. */
  readonly startAgain: () => Promise<void>;
}

/** Starts a server for the first time and reads its output. */
async function startFirst(t: TestContext): Promise<FirstStart> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-first-hour-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const start = (port: string) =>
    spawnVedette(t, ["server"], {
      DATA_DIR: join(folder, "data"),
      PORT: port,
      LOG_LEVEL: "warn",
      OUTBOUND_ALLOW_PRIVATE: "true",
    });
  const vedette = start(String(await findFreePort()));
  const url = await waitForAddress(vedette);
  const link = /^ {2}Open\s+http\S+?(\/sign-in#\S+)$/m.exec(vedette.output())?.[1];
  assert.ok(link, vedette.output());
  return {
    url,
    link: `${url}${link}`,
    kill: async () => {
      vedette.process.kill("SIGKILL");
      await vedette.exited;
    },
    startAgain: async () => {
      await waitForAddress(start(new URL(url).port));
    },
  };
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
  await page.getByRole("textbox", { name: "Your email address" }).fill("ada@example.com");
  await page.getByRole("textbox", { name: "New password" }).fill("a sentence of my own");
  await press(page, "Save and continue");
  await page.getByRole("heading", { name: "First steps" }).waitFor();
}

async function addChannel(page: Page, url: string): Promise<void> {
  await follow(page, "Add a channel");
  await follow(page, "Webhook");
  await page.getByRole("textbox", { name: "Name" }).fill("Pager");
  await page.getByRole("textbox", { name: "URL" }).fill(url);
  await press(page, "Send test");
  await page.getByText("The test was delivered.").waitFor();
  await press(page, "Save channel");
  await page.getByRole("heading", { name: "The channel was saved" }).waitFor();
}

async function pasteChecks(page: Page, list: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Now" }).click();
  await follow(page, "Add a check");
  // The Now screen has the same text and stays until the other screen has loaded.
  await page.getByRole("heading", { name: "New check" }).waitFor();
  await page.getByText("Paste a list").click();
  await page.getByLabel(/^Host names, IP addresses or URLs/).fill(list);
  await press(page, "Create 2 checks");
  await page.getByText("2 created.").waitFor();
  await follow(page, "Go to checks");
}

async function openCheck(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Checks" }).click();
  // Other screens name the check too and stay until this one has loaded.
  await page.getByRole("heading", { name: "Checks", level: 1 }).waitFor();
  await follow(page, name);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

/** One tab shows the checks, another has an unsaved change, and the server crashes. */
async function outliveCrash(page: Page, server: FirstStart): Promise<void> {
  const list = await page.context().newPage();
  await list.goto(`${server.url}/checks`);
  const row = list.getByRole("link", { name: "Shop", exact: true });
  await row.waitFor();
  await openCheck(page, "Shop");
  await follow(page, "Edit");
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await name.fill("Shop of glass");

  await server.kill();
  for (const tab of [list, page]) await tab.getByText(/^No live updates since/).waitFor();
  assert.ok(await row.isVisible(), "what was known stays on the screen");
  await press(page, "Save");
  await page.getByText("The server is unreachable.").waitFor();
  assert.equal(await name.inputValue(), "Shop of glass");

  await server.startAgain();
  for (const tab of [list, page]) {
    await tab.getByText(/^No live updates since/).waitFor({ state: "hidden" });
  }
  assert.equal(await name.inputValue(), "Shop of glass");
  await press(page, "Save");
  await page.getByRole("heading", { name: "Shop of glass", level: 1 }).waitFor();
  await list.getByRole("link", { name: "Shop of glass", exact: true }).waitFor();
}

/** Browsers log every request to an unreachable server. */
const leaveOutUnreachable = (complaints: readonly string[]) =>
  complaints.filter((words) => !words.includes("net::ERR_"));

async function live(t: TestContext, width: number): Promise<void> {
  const target = await startHttpReceiver(t);
  const pager = await startHttpReceiver(t);
  const server = await startFirst(t);
  const { page, complaints, close } = await openPage(browser, {
    viewport: { width, height: width === 390 ? 844 : 900 },
    hasTouch: width === 390,
    reducedMotion: "reduce",
  });
  await page.goto(server.link);
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
  if (width === 1440) {
    await outliveCrash(page, server);
    assert.deepEqual(leaveOutUnreachable(complaints), []);
  }
  await close();
}

describe("the first hour", { skip: noBrowser || needsPings }, () => {
  for (const width of isLongRun ? [1440, 390] : [390]) {
    const more = width === 1440 ? ", and through a crash of the server" : "";
    test(`from the printed link to a recovery${more}, at ${width}`, (t) => live(t, width));
  }
});
