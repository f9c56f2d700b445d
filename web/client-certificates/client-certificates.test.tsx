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
async function addCertificate(host: string): Promise<void> {
  const body = { host, cert: own.cert, key: own.key };
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
