/** Alerts and channels. Chromium keeps one journey in `test/browser/alerts.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { reportRun } from "../../test/support/apps/alerting-app.ts";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../test/support/components/screen.tsx";
import { type HttpReceiver, startHttpReceiver } from "../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

const name = "db-1 <b>fra</b>";
let app: ServedApp;
let http: HttpReceiver;
let checkId = "";
const ends: (() => unknown)[] = [];

async function addChannel(channelName: string): Promise<number> {
  const config = { name: channelName, url: `${http.url}/${channelName}`, method: "POST" };
  const made = await app.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config } });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

before(async () => {
  http = await startHttpReceiver({ after: (end) => ends.push(end as () => unknown) });
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  await addChannel("pager");
  const body = { name, request: { hostname: "192.0.2.1" }, frequency: 1440, retryStrategy: null };
  checkId = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
  await reportRun(app, checkId, "failing");
});
after(async () => {
  await app.stop();
  for (const end of ends) await end();
});

const button = (screen: Screen, called: string | RegExp) =>
  screen.getByRole("button", { name: called });
const link = (screen: Screen, called: string | RegExp) =>
  screen.getByRole("link", { name: called });
const rule = "1 failed run is enough for an alert.";

test("an alert opens from the list and the check's page, without actions for a read-only user", async () => {
  const screen = await openScreen(app, "/alerts", { role: "READ_ONLY", width: 390 });
  await link(screen, /Failing db-1/)
    .last()
    .click();
  await screen.getByText(rule).waitFor();
  assert.equal(button(screen, /^(Acknowledge|Send again)/).count(), 0);
  await screen.audit();
  screen.goto(`/checks/${checkId}?tab=alerts`);
  await link(screen, "Started failing").click();
  await screen.getByText(rule).waitFor();
  screen.expectFault();
  screen.goto("/alerts/0198c1f0-0000-7000-8000-000000000000");
  await screen.getByRole("heading", { name: "Not found", level: 1 }).waitFor();
});

test("the link in a notification leads through sign-in to the alert", async () => {
  const findMessage = () => http.requests.findLast(({ path }) => path === "/pager");
  await waitUntil("the channel is notified", () => findMessage() !== undefined);
  const { pathname } = new URL(JSON.parse(findMessage()?.body ?? "").alertUrl);
  const screen = await openScreen(app, pathname, { role: null });
  await screen.getByLabel("Email").fill("owner@example.com");
  await screen.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await button(screen, "Sign in").click();
  await screen.getByRole("heading", { name }).waitFor();
  assert.equal(screen.address, pathname);
});

test("a channel lists its checks, and a switch changes them", async () => {
  const id = await addChannel("night");
  const screen = await openScreen(app, `/alerts/channels/${id}`);
  await screen.getByText(/Nothing sends here yet/).waitFor();
  await screen.audit();
  await screen.getByLabel("Show").selectOption("all");
  await screen.getByRole("switch", { name: `${name} sends here` }).check();
  await waitUntil("the server has saved it", async () => {
    const { body } = await app.call("GET", `/v1/alert-channels/${id}`);
    return body.subscriptions.some((one: { checkId: string }) => one.checkId === checkId);
  });
});

test("the alert settings are described in sentences", async () => {
  const id = await addChannel("late-shift");
  const screen = await openScreen(app, "/settings/alerts");
  await button(screen, "Add a stage").click();
  await screen.getByText(/this stage has no channel/).waitFor();
  await screen.getByLabel("Webhook: late-shift").check();
  await screen
    .getByText(/15 minutes after it was first sent, Webhook: late-shift is notified too/)
    .waitFor();
  await button(screen, "Save").click();
  await screen.getByText("Saved").first().waitFor();
  const { body: settings } = await app.call("GET", "/v1/alert-settings");
  assert.deepEqual(settings.escalationStages, [{ afterMinutes: 15, alertChannelIds: [id] }]);
});

test("a new channel can be connected to all existing checks", async () => {
  const screen = await openScreen(app, "/alerts/channels/new?type=WEBHOOK", { width: 390 });
  const connects = screen.getByRole("switch", { name: "Send alerts of the existing check here" });
  assert.equal(await connects.isChecked(), false, "it is not the first channel");
  await connects.check();
  await screen.getByLabel("Name").fill("late");
  await screen.getByLabel("URL").fill(`${http.url}/late`);
  await button(screen, "Save channel").click();
  await screen.getByRole("heading", { name: "The channel was saved" }).waitFor();
  await screen.getByText("Alerts of 1 check or group are sent here.").waitFor();
  assert.equal(button(screen, "Send test").count(), 1, "the form does not repeat the panel above");
  await button(screen, "Disconnect all").click();
  await screen.getByText("1 check disconnected.").waitFor();
  await screen.getByText(/Nothing sends here yet/).waitFor();
  await button(screen, "Send alerts of the existing check here").click();
  await screen.getByText("1 check connected.").waitFor();
  await screen.getByRole("switch", { name: `${name} sends here` }).waitFor();
  await screen.audit();
});
