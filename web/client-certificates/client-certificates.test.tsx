/** Client certificates of the account. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { makeCertificate } from "../../test/support/certificates/make-certificate.ts";
import {
  faultRequestId,
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
beforeEach(() => app.query("delete from client_certificates"));
after(() => app.stop());

const path = "/settings/client-certificates";
const own = makeCertificate({ name: "probe" });
const button = (screen: Screen, name: string | RegExp) => screen.getByRole("button", { name });
const isInvalid = async (screen: Screen, name: string) =>
  (await screen
    .getByRole("dialog")
    .getByRole("textbox", { name, exact: true })
    .getAttribute("aria-invalid")) === "true";

async function addCertificate(host: string, more: object = {}): Promise<void> {
  const body = { host, cert: own.cert, key: own.key, ...more };
  const { status, text } = await app.call("POST", "/v1/client-certificates", { body });
  assert.equal(status, 201, text);
}

async function fillIn(screen: Screen, values: Readonly<Record<string, string>>): Promise<void> {
  const dialog = screen.getByRole("dialog");
  for (const [name, value] of Object.entries(values)) {
    await dialog.getByRole("textbox", { name, exact: true }).fill(value);
  }
}

test("a certificate is rejected with a wrong key, stored and deleted", async () => {
  const other = makeCertificate({ name: "other" });
  const screen = await openScreen(app, path);
  await screen.getByText("No client certificate yet").waitFor();
  await button(screen, "New certificate").click();
  const dialog = screen.getByRole("dialog");
  await fillIn(screen, { Host: "*.example.com", Certificate: own.cert, "Private key": other.key });
  await button(screen, "Save").click();
  await dialog
    .getByText(/does not belong to the certificate/i)
    .first()
    .waitFor();
  await screen.audit();
  await fillIn(screen, { "Private key": own.key });
  await button(screen, "Save").click();
  const row = screen.getByRole("row", { name: /\*\.example\.com/ });
  await row.getByText("system default").waitFor();
  assert.equal(document.documentElement.outerHTML.includes("PRIVATE KEY"), false);
  assert.equal(JSON.stringify({ ...sessionStorage }).includes("KEY"), false, "there is no draft");
  await row.getByRole("button", { name: /^Delete/ }).click();
  await dialog.getByText("checks of *.example.com present no certificate").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await screen.getByText("No client certificate yet").waitFor();
});

test("an invalid field is marked, and the others keep their text", async () => {
  const screen = await openScreen(app, path);
  await button(screen, "New certificate").click();
  await fillIn(screen, { Host: "https://example.com/", Certificate: own.cert });
  await fillIn(screen, { "Private key": own.key });
  await button(screen, "Save").click();
  await screen.getByText("Only if the key is encrypted").waitFor();
  const host = screen.getByRole("dialog").getByRole("textbox", { name: "Host", exact: true });
  await host.and(screen.locator("[aria-invalid=true]")).waitFor();
  assert.equal(await isInvalid(screen, "Certificate"), false);
  await fillIn(screen, { Host: "example.com", Certificate: "not a certificate" });
  await button(screen, "Save").click();
  await screen
    .getByRole("textbox", { name: "Certificate", exact: true })
    .and(screen.locator("[aria-invalid=true]"))
    .waitFor();
  assert.equal(await isInvalid(screen, "Host"), false);
  assert.equal(await host.inputValue(), "example.com");
  assert.equal((await app.query("select 1 from client_certificates")).rows.length, 0);
});

test("a certificate for a server with a private CA is listed as such", async () => {
  await addCertificate("intern.example.com", { ca: own.cert });
  const screen = await openScreen(app, path, { role: "READ_WRITE" });
  await screen
    .getByRole("row", { name: /intern\.example\.com/ })
    .getByText("custom")
    .waitFor();
});

test("a reader sees the hosts and is offered no write", async () => {
  await addCertificate("api.example.com");
  const screen = await openScreen(app, path, { role: "READ_ONLY" });
  await screen.getByText("api.example.com").waitFor();
  assert.equal(button(screen, /^(?:New|Delete)/).count(), 0);
});

test("a failed deletion keeps the dialog with the reason, and Cancel keeps the certificate", async () => {
  await addCertificate("api.example.com");
  const screen = await openScreen(app, path);
  await button(screen, "Delete api.example.com").click();
  const dialog = screen.getByRole("dialog");
  screen.breakApi(/^DELETE /);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("alert").getByText(faultRequestId).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  await screen.getByText("api.example.com").waitFor();
  assert.equal((await app.query("select 1 from client_certificates")).rows.length, 1);
});

test("a list that cannot be loaded shows the error, and loads on retry", async () => {
  await addCertificate("api.example.com");
  const screen = await openScreen(app, "/settings/profile");
  await screen.getByRole("link", { name: "Client certificates" }).waitFor();
  screen.breakApi(/^GET \/v1\/client-certificates/);
  await screen.getByRole("link", { name: "Client certificates" }).click();
  await screen.getByText(faultRequestId).waitFor();
  screen.restoreApi();
  await button(screen, "Try again").click();
  await screen.getByText("api.example.com").waitFor();
});
