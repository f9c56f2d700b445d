/** Variables of the account. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  faultRequestId,
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
beforeEach(() => app.query("delete from variables"));
after(() => app.stop());

const path = "/settings/variables";
const button = (screen: Screen, name: string | RegExp) => screen.getByRole("button", { name });
const rowOf = (screen: Screen, name: string) => screen.getByRole("row", { name: new RegExp(name) });
const valueField = (screen: Screen) =>
  screen.getByRole("dialog").getByRole("textbox", { name: "Value" });

async function addVariable(key: string, value: string, more: object = {}): Promise<void> {
  const { status, text } = await app.call("POST", "/v1/variables", {
    body: { key, value, ...more },
  });
  assert.equal(status, 201, text);
}

const readVariable = async (key: string) => (await app.call("GET", `/v1/variables/${key}`)).body;

async function openEditor(screen: Screen, key: string) {
  await button(screen, `Edit ${key}`).click();
  const dialog = screen.getByRole("dialog", { name: `Edit ${key}` });
  await dialog.waitFor();
  return dialog;
}

test("a secret variable is changed without being read, and deleted by name", async () => {
  const screen = await openScreen(app, path);
  await screen.getByText("Store a token or a host name in one place").waitFor();
  await button(screen, "New variable").click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByLabel("Name").fill("7_TOKEN");
  await valueField(screen).fill("hush-hush");
  await dialog.getByLabel("Visibility").selectOption("Secret (never shown again)");
  await button(screen, "Save").click();
  await dialog.getByText(/must be letters, digits and underscores/i).waitFor();
  assert.equal(await dialog.getByLabel("Name").getAttribute("aria-invalid"), "true");
  assert.equal(await valueField(screen).inputValue(), "hush-hush");
  await dialog.getByLabel("Name").fill("API_TOKEN");
  await button(screen, "Save").click();
  const row = rowOf(screen, "API_TOKEN");
  await row.getByText("hidden").waitFor();
  await row.getByRole("button", { name: /^Edit/ }).click();
  await dialog.getByText("A secret cannot be made visible").waitFor();
  assert.equal(await valueField(screen).inputValue(), "");
  assert.equal(await dialog.getByLabel("Visibility").isDisabled(), true);
  await screen.audit();
  const before = (await app.query("select sealed from variables")).rows[0];
  await button(screen, "Save").click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual((await app.query("select sealed from variables")).rows[0], before);
  assert.equal(document.documentElement.outerHTML.includes("hush-hush"), false);
  await row.getByRole("button", { name: /^Delete/ }).click();
  await dialog.getByText("{{API_TOKEN}}").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await screen.getByText("No variables yet").waitFor();
});

test("a locked value is masked for a reader, who is offered no write", async () => {
  await addVariable("OPEN", "seen by all");
  await addVariable("LOCKED", "seen by writers", { locked: true });
  const writer = await openScreen(app, path, { role: "READ_WRITE" });
  await rowOf(writer, "LOCKED").getByText("seen by writers").waitFor();
  const reader = await openScreen(app, path, { role: "READ_ONLY" });
  await rowOf(reader, "OPEN").getByText("seen by all").waitFor();
  await rowOf(reader, "LOCKED").getByText("********").waitFor();
  assert.equal(button(reader, /^(?:New|Edit|Delete)/).count(), 0);
});

test("a value that another user adds appears, and a hostile one is shown as text", async () => {
  const screen = await openScreen(app, path);
  await screen.getByText("No variables yet").waitFor();
  const value = `<img src=x onerror="alert(1)"> \u202e ${"W".repeat(2_000)}`;
  await addVariable("K".repeat(255), value);
  const row = rowOf(screen, "K".repeat(255));
  await row.waitFor();
  assert.equal(row.locator("code").elements()[1]?.textContent, value);
  assert.equal(screen.locator("main img").count(), 0);
});

test("a failed save keeps the input, and a variable deleted elsewhere is reported", async () => {
  await addVariable("HOST", "one.example.com");
  const screen = await openScreen(app, path);
  const dialog = await openEditor(screen, "HOST");
  await valueField(screen).fill("two.example.com");
  screen.breakApi(/^PUT \/v1\/variables\/HOST/);
  await button(screen, "Save").click();
  await dialog.getByRole("alert").getByText("It broke.").waitFor();
  assert.equal(await valueField(screen).inputValue(), "two.example.com");
  screen.restoreApi();
  await app.query("delete from variables");
  await button(screen, "Save").click();
  await dialog
    .getByText(/deleted/)
    .first()
    .waitFor();
  assert.equal(await valueField(screen).inputValue(), "two.example.com");
});

test("a list that cannot be loaded shows the error, and loads on retry", async () => {
  await addVariable("HOST", "one.example.com");
  const screen = await openScreen(app, "/settings/profile");
  await screen.getByRole("link", { name: "Variables" }).waitFor();
  screen.breakApi(/^GET \/v1\/variables/);
  await screen.getByRole("link", { name: "Variables" }).click();
  await screen.getByText(faultRequestId).waitFor();
  screen.restoreApi();
  await button(screen, "Try again").click();
  await rowOf(screen, "HOST").waitFor();
});

test("a changed variable is masked in the next list, and its dialog shows the stored value", async () => {
  await addVariable("HOST", "one.example.com");
  const screen = await openScreen(app, path, { role: "READ_WRITE" });
  const dialog = await openEditor(screen, "HOST");
  assert.equal(await valueField(screen).inputValue(), "one.example.com");
  await valueField(screen).fill("");
  await dialog.getByLabel("Visibility").selectOption("Members with write access");
  await button(screen, "Save").click();
  await dialog.waitFor({ state: "hidden" });
  await waitUntil("it is stored", async () => (await readVariable("HOST")).locked === true);
  assert.equal((await readVariable("HOST")).value, "");
  await rowOf(screen, "HOST").getByText("Members with write access").waitFor();
});
