/** Profile, members, API keys, alert settings, and the sign-in of a command line. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  addMember,
  faultRequestId,
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const button = (screen: Screen, name: string | RegExp) => screen.getByRole("button", { name });
const rowOf = (screen: Screen, name: RegExp) => screen.getByRole("row", { name });
const optionsOf = async (screen: Screen, label: string) =>
  [...(await screen.getByLabel(label).first().element()).querySelectorAll("option")].map(
    ({ textContent }) => textContent,
  );

async function call(method: string, path: string, body?: unknown) {
  const answer = await app.call(method, path, body === undefined ? {} : { body });
  assert.ok(answer.status < 300, `${path}: ${answer.text}`);
  return answer.body;
}

test("a name is saved only when it differs, and an unsaved one survives a reload", async () => {
  const screen = await openScreen(app, "/settings/profile", { role: "READ_WRITE" });
  const name = screen.getByLabel("Name", { exact: true });
  const save = button(screen, "Save");
  assert.equal(await save.isDisabled(), true);
  await name.fill("  Ada <b>Lovelace</b>  ");
  screen.reload();
  await waitUntil("the draft is restored", async () => /Ada/.test(await name.inputValue()));
  screen.breakApi(/^PATCH \/v1\/users\/me/);
  await save.click();
  await screen.getByRole("alert").getByText(faultRequestId).waitFor();
  screen.restoreApi();
  await save.click();
  await screen.getByText("Saved.").waitFor();
  const { rows } = await app.query("select name from users where email like 'read-write@%'");
  assert.equal(rows[0].name, "Ada <b>Lovelace</b>");
  assert.equal(screen.locator("main b").count(), 0, "it is shown as text");
});

test("only an admin is offered the name of the account", async () => {
  const member = await openScreen(app, "/settings/profile", { role: "READ_WRITE" });
  await member.getByText("Your role in this account").waitFor();
  assert.equal(member.getByLabel("Account name").count(), 0);
  const admin = await openScreen(app, "/settings/profile", { role: "ADMIN" });
  await admin.getByLabel("Account name").fill("Acme");
  await admin.getByLabel("Account name").press("{Enter}");
  await button(admin, "Account: Acme").waitFor();
  await call("PATCH", "/v1/accounts/me", { name: "Vedette" });
});

test("a new address needs the password, and the form is closed without a change", async () => {
  const screen = await openScreen(app, "/settings/profile");
  await button(screen, "Change address").click();
  await screen.getByLabel("New address").fill("new@example.com");
  await screen.getByRole("textbox", { name: "Your password" }).fill("not my password");
  await button(screen, "Save address").click();
  await screen.getByText("Is wrong").waitFor();
  assert.equal(await screen.getByLabel("New address").inputValue(), "new@example.com");
  await button(screen, "Cancel").click();
  await screen.getByText("owner@example.com", { exact: true }).last().waitFor();
});

test("the theme is chosen without a style element, which the content security policy forbids", async (t) => {
  const screen = await openScreen(app, "/settings/profile", { role: "READ_ONLY" });
  const theme = screen.getByLabel("Theme", { exact: true });
  await theme.waitFor();
  const { mock: created } = t.mock.method(document, "createElement");
  await theme.selectOption("Dark");
  await waitUntil("it is dark", () => document.documentElement.dataset.theme === "dark");
  const tags = created.calls.map(({ arguments: [tag] }) => tag);
  assert.equal(tags.includes("style"), false, tags.join(" "));
  await theme.selectOption("System");
});

test("a member is invited by a link that is shown once, and the invite is withdrawn", async () => {
  const screen = await openScreen(app, "/settings/members", { role: "ADMIN" });
  await screen.getByText("No open invites.").waitFor();
  await button(screen, "Invite a member").click();
  const dialog = screen.getByRole("dialog");
  assert.equal((await optionsOf(screen, "Role")).includes("Owner"), false);
  await dialog.getByLabel("Email").fill("guest@example.com");
  await dialog.getByLabel("Role").selectOption("Read and run");
  await screen.keyboard("{Escape}");
  await button(screen, "Invite a member").click();
  assert.equal(await dialog.getByLabel("Email").inputValue(), "guest@example.com", "a draft");
  await button(screen, "Create invite").click();
  const first = await dialog.locator("code").textContent();
  assert.match(first, /\/invite#token=[\w-]{43}$/);
  await screen.keyboard("{Escape}");
  const row = rowOf(screen, /guest@example\.com/);
  await row.getByText("Read and run").waitFor();
  assert.equal(screen.getByText(/#token=/).count(), 0);
  await button(screen, "New link guest@example.com").click();
  const second = await dialog.locator("code").textContent();
  assert.notEqual(second, first);
  await screen.keyboard("{Escape}");
  await button(screen, "Withdraw guest@example.com").click();
  await dialog.getByText("The invite link stops working.").waitFor();
  await dialog.getByRole("button", { name: "Withdraw" }).click();
  await screen.getByText("No open invites.").waitFor();
});

test("an invite for a member is rejected in the dialog", async () => {
  await addMember(app, "inside@example.com", { role: "READ_ONLY" });
  const screen = await openScreen(app, "/settings/members");
  await button(screen, "Invite a member").click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByLabel("Email").fill("inside@example.com");
  await dialog.getByLabel("Email").press("{Enter}");
  await dialog
    .getByText(/member/i)
    .last()
    .waitFor();
  await waitUntil(
    "it is reported",
    () => dialog.locator("[role=alert], [aria-invalid=true]").count() > 0,
  );
  assert.equal(await dialog.getByLabel("Email").inputValue(), "inside@example.com");
});

test("an owner changes a role and removes a member, whose access is named", async () => {
  const { email } = await addMember(app, "mover@example.com", { role: "READ_ONLY" });
  const screen = await openScreen(app, "/settings/members");
  const role = screen.getByLabel(`Role of ${email}`);
  screen.breakApi(/^PATCH .*members/, { status: 409, message: "Not now." });
  await role.selectOption("Admin");
  await screen.getByRole("status").getByText("Not now.").waitFor();
  await waitUntil(
    "the stored role is shown",
    async () => (await role.inputValue()) === "READ_ONLY",
  );
  screen.restoreApi();
  await role.selectOption("Admin");
  await screen.getByText("The role was changed.").waitFor();
  await waitUntil("it is stored", async () => (await role.inputValue()) === "ADMIN");
  await button(screen, `Remove ${email}`).click();
  const dialog = screen.getByRole("dialog", { name: `Remove ${email}?` });
  await dialog.getByText("their sessions and personal API keys stop working").waitFor();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await rowOf(screen, /mover@example\.com/).waitFor({ state: "hidden" });
});

test("an admin cannot make or remove owners, and a reader is offered nothing", async () => {
  const admin = await openScreen(app, "/settings/members", { role: "ADMIN" });
  const owner = rowOf(admin, /owner@example\.com/);
  await owner.getByText("Owner", { exact: true }).waitFor();
  assert.equal(owner.getByRole("button").count(), 0);
  assert.equal((await optionsOf(admin, "Role of inside@example.com")).includes("Owner"), false);
  await rowOf(admin, /admin@example\.com/)
    .getByText("(you)")
    .waitFor();
  const reader = await openScreen(app, "/settings/members", { role: "READ_ONLY" });
  await rowOf(reader, /owner@example\.com/).waitFor();
  assert.equal(reader.getByRole("combobox").count(), 0);
  assert.equal(button(reader, /^(?:Invite|Remove|Withdraw|New link)/).count(), 0);
});

test("a key has at most the role of its user, and is renamed", async () => {
  const screen = await openScreen(app, "/settings/api-keys", { role: "READ_RUN" });
  await screen.getByText("No API keys yet").waitFor();
  await button(screen, "New key").click();
  assert.deepEqual(await optionsOf(screen, "Role"), ["Read only", "Read and run"]);
  assert.equal(screen.getByLabel("Belongs to").count(), 0);
  const dialog = screen.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Deploy");
  await dialog.getByLabel("Expires").selectOption("In 30 days");
  await button(screen, "Create key").click();
  await dialog.getByText("Copy the key now. It is not shown again.").waitFor();
  await screen.keyboard("{Escape}");
  assert.equal(dialog.count(), 1, "a key that is never shown again is not lost by accident");
  await button(screen, "I have copied it").click();
  await button(screen, "Rename Deploy").click();
  screen.breakApi(/^PATCH \/v1\/api-keys/);
  await dialog.getByLabel("Name").fill("Deploy two");
  await button(screen, "Save").click();
  await dialog.getByText(faultRequestId).waitFor();
  screen.restoreApi();
  await button(screen, "Save").click();
  await rowOf(screen, /Deploy two/).waitFor();
  const { rows } = await app.query(
    "select role, expires_at from api_keys where name = 'Deploy two'",
  );
  assert.equal(rows[0].role, "READ_RUN");
  const days = (rows[0].expires_at.getTime() - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, String(days));
});

test("an expired key is marked, and an admin sees whose keys there are", async () => {
  await call("POST", "/v1/api-keys", { name: "Old", type: "SERVICE", role: "READ_ONLY" });
  await app.query("update api_keys set expires_at = '2020-01-01' where name = 'Old'");
  const screen = await openScreen(app, "/settings/api-keys", { role: "ADMIN" });
  await rowOf(screen, /Old/).getByText("expired").waitFor();
  await rowOf(screen, /Old/).getByText("the account").waitFor();
});

test("alert settings are described while they are edited, and saved together", async () => {
  const { id } = await call("POST", "/v1/alert-channels", {
    type: "WEBHOOK",
    config: { name: "Pager", url: "https://example.com/" },
  });
  const screen = await openScreen(app, "/settings/alerts", { role: "ADMIN" });
  await screen.getByText("As soon as a run fails after its retries").waitFor();
  await screen.getByLabel("Consecutive failed runs").selectOption("3");
  await screen.getByText("When 3 consecutive runs fail").waitFor();
  await screen.getByLabel("Only when enough locations fail").check();
  await screen.getByLabel("Locations that must fail, %").selectOption("50");
  await button(screen, "Add a stage").click();
  await screen.getByText("this stage has no channel").waitFor();
  await screen.getByRole("checkbox", { name: "Webhook: Pager" }).check();
  await screen.getByLabel("After minutes").fill("20");
  await screen
    .getByText(/20 minutes after it was first sent, Webhook: Pager is notified/)
    .waitFor();
  await screen.getByLabel("Hold alerts while a check is flapping").uncheck();
  assert.equal(screen.getByLabel("State changes").count(), 0);
  await screen.audit();
  await button(screen, "Save").click();
  await screen.getByText("Saved.").waitFor();
  const stored = await call("GET", "/v1/alert-settings");
  assert.equal(stored.runBasedEscalation.failedRunThreshold, 3);
  assert.equal(stored.flapDamping, null);
  assert.deepEqual(stored.parallelRunFailureThreshold, { enabled: true, percentage: 50 });
  assert.deepEqual(stored.escalationStages, [{ afterMinutes: 20, alertChannelIds: [id] }]);
});

test("a draft of the alert settings is restored, and a conflict is shown field by field", async () => {
  const screen = await openScreen(app, "/settings/alerts");
  await screen.getByLabel("Number of reminders").selectOption("Until it recovers");
  screen.reload();
  await waitUntil("the draft is restored", async () => {
    return (await screen.getByLabel("Number of reminders").inputValue()) === "100000";
  });
  const stored = await call("GET", "/v1/alert-settings");
  const reminders = { ...stored.reminders, amount: 2 };
  await call("PUT", "/v1/alert-settings", { ...stored, reminders, escalationStages: [] });
  await button(screen, "Save").click();
  const panel = screen.getByRole("alert", { name: "Another user changed the alert settings" });
  await panel.getByText("Until it recovers").waitFor();
  await panel.getByRole("radio", { name: "Theirs" }).check();
  await button(screen, "Use selection").click();
  await panel.waitFor({ state: "hidden" });
  await button(screen, "Save").click();
  await screen.getByText("Saved.").waitFor();
  const saved = await call("GET", "/v1/alert-settings");
  assert.equal(saved.reminders.amount, 2);
  assert.deepEqual(saved.escalationStages, [], "their change is not lost");
});

test("an invalid number is reported at its field", async () => {
  const screen = await openScreen(app, "/settings/alerts");
  const noData = screen.getByLabel("Alert when a check has no data");
  await noData.uncheck();
  await noData.check();
  await screen.getByLabel("Minutes without a result").fill("999999999");
  await button(screen, "Save").click();
  const invalid = screen.locator("[aria-invalid=true]");
  await screen.getByLabel("Minutes without a result").and(invalid).waitFor();
});

test("a reader sees the alert settings, and can change none", async () => {
  const screen = await openScreen(app, "/settings/alerts", { role: "READ_WRITE" });
  await screen.getByText("Only an admin or an owner can change these.").waitFor();
  assert.equal(await screen.getByLabel("Number of reminders").isDisabled(), true);
  assert.equal(button(screen, /^(?:Save|Add a stage|Remove stage)/).count(), 0);
});

test("alert settings that cannot be loaded show the error, and load on retry", async () => {
  const screen = await openScreen(app, "/settings/profile");
  await screen.getByText("Your role in this account").waitFor();
  screen.breakApi(/^GET \/v1\/alert-settings/);
  await screen.getByRole("link", { name: "Alert settings" }).click();
  await screen.getByText(faultRequestId).waitFor();
  screen.restoreApi();
  await button(screen, "Try again").click();
  await screen.getByLabel("Number of reminders").waitFor();
});

test("without an external model, the agent's screen shows that no data leaves the server", async () => {
  const screen = await openScreen(app, "/settings/agent", { role: "ADMIN" });
  await screen.getByText("The built-in agent answers. No data leaves this server.").waitFor();
  await screen.getByText("No request was sent to a model.").waitFor();
  await screen.getByText("set AI_BASE_URL, AI_MODEL and AI_API_KEY").waitFor();
  const reader = await openScreen(app, "/settings/agent", { role: "READ_ONLY" });
  await reader.getByText("The built-in agent answers.").waitFor();
  assert.equal(reader.getByText("AI_BASE_URL").count(), 0);
  assert.equal(reader.requested.filter((line) => line.includes("exchanges")).length, 0);
});

/** Starts the sign-in of a command line, and returns the code that it shows. */
async function startDevice(): Promise<string> {
  const { body, text, status } = await app.call("POST", "/oauth/device/code", {
    key: null,
    headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "tool/1.0" },
    rawBody: "client_id=cli",
  });
  assert.equal(status, 200, text);
  return body.user_code;
}

test("a command line is signed in by its code, which a wrong one does not find", async () => {
  const code = await startDevice();
  const screen = await openScreen(app, "/device", { role: "READ_WRITE" });
  const next = button(screen, "Continue");
  assert.equal(await next.isDisabled(), true);
  await screen.getByLabel("Code").fill("BBBB-BBBB");
  await next.click();
  await screen.getByText("No device waits under this code.").waitFor();
  await screen.getByLabel("Code").fill(` ${code.toLowerCase()} `);
  await screen.getByLabel("Code").press("{Enter}");
  await screen.getByText("Confirm only if you started it yourself.").waitFor();
  await screen.getByText(code).waitFor();
  await screen.audit();
  await button(screen, "Sign in the device").click();
  await screen.getByRole("heading", { name: "The device is signed in" }).waitFor();
  await screen.getByRole("link", { name: "API keys" }).last().click();
  await screen.waitForAddress(/^\/settings\/api-keys/);
});

test("a device that is denied gets no key", async () => {
  const code = await startDevice();
  const keys = async () => (await app.query("select count(*)::int as n from api_keys")).rows[0].n;
  const before = await keys();
  const screen = await openScreen(app, `/device?code=${code}`);
  await button(screen, "Deny").click();
  await screen.getByRole("heading", { name: "The device was denied" }).waitFor();
  assert.equal(await keys(), before);
});
