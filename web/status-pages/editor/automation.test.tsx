import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type ServedApp,
  shareTestApp,
} from "../../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

test("the editor describes what the rules of a page do, and names hidden components", async () => {
  const post = async (path: string, body: object) => {
    const answer = await app.call("POST", path, { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const { id } = await post("/v3/status-pages", { name: "Acme", url: "acme-rules" });
  const path = `/v3/status-pages/${id}`;
  const api = await post(`${path}/components`, { name: "API", displayOrder: 0 });
  await post(`${path}/components`, { name: "Secret", displayOrder: 1, hidden: true });
  await post(`${path}/automation-rules`, {
    ...{ name: "API outage", firstUpdate: "Investigating", lastUpdate: "Resolved" },
    ...{ tags: ["api", "web"], enabled: false },
    components: [{ componentId: api.id, targetImpact: "PARTIAL_OUTAGE" }],
  });
  const screen = await openScreen(app, `/status-pages/${id}/editor`);
  const section = screen.getByRole("region", { name: "Automation" });
  await section.getByText(/When a check tagged “api” or “web” fails/).waitFor();
  await section.getByText(/Disabled: it opens no incidents/).waitFor();
  await section.getByText("API: partial outage").waitFor();
  await screen.getByText("Hidden from visitors: Secret.").waitFor();
});

test("a rule is added, changed and deleted in the editor of its page", async () => {
  const { body: page } = await app.call("POST", "/v3/status-pages", {
    body: { name: "Shop", url: "shop-rules" },
  });
  const path = `/v3/status-pages/${page.id}`;
  const readRules = async () => (await app.call("GET", `${path}/automation-rules`)).body.entries;
  const { body: cart } = await app.call("POST", `${path}/components`, {
    body: { name: "Cart", displayOrder: 0 },
  });
  const screen = await openScreen(app, `/status-pages/${page.id}/editor`);
  await screen.getByRole("button", { name: "Add a rule" }).click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByLabel(/Rule name/).fill("Cart outage");
  assert.equal(await dialog.getByRole("button", { name: "Save rule" }).isDisabled(), true);
  await dialog.getByLabel(/Tags of checks/).fill("cart, payment");
  await dialog.getByLabel("Add a card or service").selectOption(cart.id);
  await dialog.getByLabel("Impact on Cart").selectOption("PARTIAL_OUTAGE");
  await dialog.getByRole("button", { name: "Save rule" }).click();
  await screen.getByText("Cart: partial outage").waitFor();
  const [added] = await readRules();
  assert.deepEqual(
    [added.name, added.tags, added.components[0].targetImpact, added.coolDownWindowMinutes],
    ["Cart outage", ["cart", "payment"], "PARTIAL_OUTAGE", 5],
  );

  await screen.getByRole("button", { name: "Edit the rule Cart outage" }).click();
  await dialog.getByLabel("Enabled").click();
  await dialog.getByRole("button", { name: "Save rule" }).click();
  await screen.getByText(/Disabled: it opens no incidents/).waitFor();
  assert.deepEqual((await readRules())[0].enabled, false);

  await screen.getByRole("button", { name: "Edit the rule Cart outage" }).click();
  await dialog.getByRole("button", { name: "Delete rule" }).click();
  await screen
    .getByRole("dialog", { name: /Delete the rule/ })
    .getByRole("button", { name: "Delete rule" })
    .click();
  await screen.getByText("The rule “Cart outage” was deleted.").waitFor();
  assert.deepEqual(await readRules(), []);
});
