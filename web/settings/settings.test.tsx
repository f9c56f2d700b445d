/** Settings and alert channels. Chromium keeps one journey in `test/browser/settings.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { reportRun } from "../../test/support/apps/alerting-app.ts";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../test/support/components/screen.tsx";
import { startHttpReceiver } from "../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
});
after(async () => {
  await app.stop();
});

const sections = [
  "profile",
  "devices",
  "api-keys",
  "members",
  "variables",
  "client-certificates",
  "audit",
  "alerts",
  "agent",
  "servers",
  "about",
];
const button = (screen: Screen, name: string | RegExp) => screen.getByRole("button", { name });

async function settle(screen: Screen): Promise<void> {
  await screen.getByRole("heading", { level: 1 }).last().waitFor();
  await screen.getByText("Loading").first().waitFor({ state: "hidden" });
}

test("a key is created, copied, used outside the browser, revoked and rejected", async () => {
  const screen = await openScreen(app, "/settings/api-keys");
  await button(screen, "New key").click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByLabel("Name").fill("deploy <b>script</b>");
  await dialog.getByLabel("Role").selectOption("Read only");
  await button(screen, "Create key").click();
  const key = (await dialog.locator("code").first().textContent()) ?? "";
  assert.match(key, /^vd_/);
  assert.match((await dialog.locator("code").nth(1).textContent()) ?? "", /^curl .*vd_/);
  const use = () => app.call("GET", "/v1/check-statuses", { key });
  assert.equal((await use()).status, 200);
  await button(screen, "I have copied it").click();
  const row = screen.getByRole("row", { name: /deploy/ });
  await row.getByText("never").first().waitFor();
  await screen.audit();
  await row.getByRole("button", { name: /^Revoke/ }).click();
  await dialog.getByText("This cannot be undone").waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "hidden" });
  assert.equal((await use()).status, 401);
});

test("the audit log is filtered by its address, shows before and after, and is downloaded", async (t) => {
  await app.call("PATCH", "/v1/accounts/me", { body: { name: "Acme" } });
  await app.call("PATCH", "/v1/accounts/me", { body: { name: "=Acme two" } });
  const screen = await openScreen(app, "/settings/audit");
  await screen.getByLabel("Action").selectOption("account.updated");
  await screen.waitForAddress(/action=account\.updated/);
  const entry = button(screen, /account updated =Acme two/);
  await entry.click();
  await screen.getByRole("row", { name: /name Acme =Acme two/ }).waitFor();
  await screen.audit();
  const { mock: saved } = t.mock.method(URL, "createObjectURL");
  await button(screen, "Export CSV").click();
  await waitUntil("the file is saved", () => saved.callCount() === 1);
  const [file] = saved.calls[0]?.arguments ?? [];
  const text = file instanceof Blob ? await file.text() : "";
  assert.match(text, /^at,action,/);
  assert.equal(text.trimEnd().split("\r\n").length, 3, "the head and two entries");
  await screen.getByLabel("Search all fields").fill("nothing like this");
  await screen.getByText("No entries match").waitFor();
  await button(screen, "Clear filters").click();
  await entry.waitFor();
});

test("a first channel is tested before it is saved, and shows the receiver's response", async (t) => {
  const receiver = await startHttpReceiver(t, () => ({ status: 500, body: "no such hook" }));
  const screen = await openScreen(app, "/alerts/channels");
  await screen.getByText("No channels yet").waitFor();
  await screen.audit();
  await screen.getByRole("link", { name: "Webhook" }).click();
  await screen.getByLabel("Name").fill("Pager");
  await button(screen, "Send test").click();
  await screen.getByText(/must be a URL that starts with http/i).waitFor();
  await screen.getByLabel("URL").fill(`${receiver.url}/hook`);
  await button(screen, "Send test").click();
  await screen.getByText("no such hook").waitFor();
  await screen.getByText(/Status 500/).waitFor();
  receiver.respond = () => ({ status: 200, body: "thank you" });
  await button(screen, "Send test").click();
  await screen.getByText("The test was delivered.").waitFor();
  await screen.getByText("thank you").waitFor();
  await screen.audit();
  await button(screen, "Save channel").click();
  await screen.getByRole("heading", { name: "The channel was saved" }).waitFor();
  await screen.audit();
  assert.equal(JSON.parse(receiver.requests.at(-1)?.body ?? "{}").alertType, "ALERT_TEST");
});

test("the second of two users who edit a channel is warned, and nothing is overwritten", async () => {
  const list = await app.call("GET", "/v1/alert-channels");
  const [channel] = list.body;
  const screen = await openScreen(app, `/alerts/channels/${channel.id}`);
  const name = screen.getByRole("textbox", { name: "Name" });
  await name.fill("Mine");
  const theirs = { ...channel, config: { ...channel.config, name: "Theirs" } };
  await app.call("PUT", `/v1/alert-channels/${channel.id}`, { body: theirs });
  await button(screen, "Save channel").click();
  const panel = screen.getByRole("alert", { name: "Another user changed this channel" });
  await panel.getByRole("radio", { name: "Theirs" }).check();
  assert.equal(await name.inputValue(), "Mine");
  await screen.audit();
  await button(screen, "Use selection").click();
  await waitUntil("their name is loaded", async () => (await name.inputValue()) === "Theirs");
  await screen.getByText("Webhook: Theirs").waitFor();
});

test("an alert shows its notifications, is acknowledged, and deleting its channel names the affected checks", async () => {
  const body = { name: "Router <i>", request: { hostname: "192.0.2.1" } };
  const { body: check } = await app.call("POST", "/v1/checks/icmp", { body });
  await reportRun(app, check.id, "failing");
  const screen = await openScreen(app, "/alerts", { width: 390 });
  await button(screen, "Acknowledge Router <i>").click();
  await screen.getByText(/^acknowledged/).waitFor();
  await screen.getByRole("link", { name: /Failing Router <i>/ }).click();
  await screen.getByText(/^Webhook Theirs at/).waitFor();
  await screen.audit();
  screen.goto(`/alerts/channels`);
  await button(screen, "Delete Theirs").click();
  await screen.getByRole("dialog").getByText("Router <i>").waitFor();
  await button(screen, "Cancel").click();
});

test("the permissions of each role are shown as reported by the server", async () => {
  const screen = await openScreen(app, "/settings/members");
  await screen.getByText("Show every operation").click();
  const { body } = await app.call("GET", "/v1/roles");
  const audit = body.operations.find(
    (one: { operationId: string }) => one.operationId === "listAuditEntries",
  );
  const row = screen.getByRole("row", { name: /^Audit log/ });
  const cell = row.getByRole("cell").nth(3);
  assert.ok((await cell.textContent())?.includes(audit.summary));
  const shown = new Set(await screen.getByRole("listitem").allTextContents());
  const summaries: string[] = body.operations.map((one: { summary: string }) => one.summary);
  assert.deepEqual(
    summaries.filter((summary) => !shown.has(summary.replace(/, by account id$/, ""))),
    [],
  );
  await screen.audit();
});

test("READ_ONLY is offered no write on any screen of a phone", async () => {
  const screen = await openScreen(app, "/alerts/channels", { role: "READ_ONLY", width: 390 });
  const screens = ["/alerts", "/alerts/channels", ...sections.map((one) => `/settings/${one}`)];
  const writes =
    /^(Delete|Send test|Acknowledge|Send again|Invite|Remove|Withdraw|New channel|Export)/;
  for (const path of screens) {
    screen.goto(`${path}`);
    await settle(screen);
    assert.equal(button(screen, writes).count(), 0, path);
    assert.equal(screen.getByRole("link", { name: writes }).count(), 0, path);
    await screen.audit();
  }
  // Users may change their own name and keys.
  screen.goto(`/settings/alerts`);
  await settle(screen);
  assert.equal(button(screen, "Save").count(), 0);
});
