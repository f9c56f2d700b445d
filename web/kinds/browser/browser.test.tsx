/** The editor and the results of browser checks. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  loadScriptedApps,
  openScreen,
  type ServedApp,
  systemClock,
} from "../../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  const { startScriptedApp } = await loadScriptedApps();
  ({ app } = await startScriptedApp({}, { clock: systemClock }));
});
after(() => app.stop());

test("an example fills the editor, and a trial shows pages with their vitals and errors", async () => {
  const screen = await openScreen(app, "/checks/new?kind=BROWSER", { width: 390 });
  await screen.getByRole("textbox", { name: "Name", exact: true }).fill("Shop");
  const press = (name: string) => screen.getByRole("button", { name, exact: true }).first().click();
  await press("Checkout");
  await screen.getByLabel("Largest paint (LCP): degraded above").fill("2500");
  await screen.getByLabel("Layout shift (CLS): failing above").fill("0.25");
  await screen.getByLabel("Certificate of").fill("127.0.0.1:1");
  await screen.getByText("It is degraded if a page has LCP above 2.50 s.").waitFor();
  await press("Try it");
  await screen.getByRole("heading", { name: "Pages" }).waitFor();
  await screen.getByText(/^2\.60? s, needs improvement$/).waitFor();
  await screen.getByText("The cart is empty.").waitFor();
  await screen.getByText("404 GET https://shop.example.com/a.js").waitFor();
  await screen.getByText("net::ERR_FAILED GET https://ads.example.com/").waitFor();
  await screen.getByRole("heading", { name: "Certificate" }).waitFor();
  await screen.getByText(/^The host refused the connection/).waitFor();
  await press("Create");
  await screen.waitForAddress(/^\/checks\/[0-9a-f-]{36}$/);
  const id = screen.address.split("/").at(-1) ?? "";
  const { body } = await app.call("GET", `/v1/checks/${id}`);
  assert.match(body.script, /an article can be bought/);
  assert.deepEqual([body.checkType, body.frequency], ["BROWSER", 10]);
  assert.equal(body.sslCheckDomain, "127.0.0.1:1");
  assert.deepEqual(body.webVitalBudgets, { LCP: { degraded: 2_500 }, CLS: { failing: 0.25 } });
});
