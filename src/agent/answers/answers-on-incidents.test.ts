/** Incidents, from the question over HTTP to the public update. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  addService,
  createIncident,
  incidentsPath,
} from "../../../test/support/modules/incidents.ts";

let app: TestApp;
let incidentId: string;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  const service = await addService(app);
  const { body } = await createIncident(app, service, { name: "Payments fail" });
  incidentId = body.id;
});
after(() => app.stop());

async function ask(questions: readonly string[], more: object = {}): Promise<string> {
  const messages: { role: string; content: string }[] = [];
  let text = "";
  for (const content of questions) {
    messages.push({ role: "user", content });
    const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
    const { status, body } = await app.call("POST", path, { body: { messages, ...more } });
    assert.equal(status, 200, JSON.stringify(body));
    text = body;
    messages.push({ role: "assistant", content: text });
  }
  return text;
}

test("incidents are listed, summarised, drafted and cited by URL", async () => {
  assert.match(
    await ask(["any open incidents?"]),
    /1 incident, 1 of them open:\n- `Payments fail` \(major\)/,
  );
  const summary = await ask(["summarise the payments incident"]);
  assert.match(summary, /`Payments fail` \(major\): began .*, affects `Checkout`\. \[1\]/);
  assert.match(summary, /`We are investigating\.` \[1\]/);
  assert.ok(summary.includes(`/incidents/${incidentId}`), summary);
  const draft = await ask(["draft an update for the latest incident"]);
  assert.match(
    draft,
    /status INVESTIGATING\..*\n> Since .* we see problems that affect \*\*Checkout\*\*/,
  );
  assert.match(await ask(["incidents last month"]), /There are no incidents last month/);
});

test("a question whether a service is down names the service, its incident and its checks", async () => {
  const request = { hostname: "127.0.0.1" };
  const body = { name: "shop-web", activated: false, tags: ["shop"], request };
  const check = await app.call("POST", "/v1/checks/icmp", { body });
  const follows = { checkIds: [check.body.id] };
  const service = { name: "Shop", follows };
  const { body: shop } = await app.call("POST", "/v1/status-pages/services", { body: service });
  const { body: incident } = await createIncident(app, shop.id, { name: "Checkout fails" });
  const text = await ask(["is the shop down?"]);
  assert.match(text, /Yes: the service `Shop` has one check: `shop-web`/);
  assert.match(text, /open incident `Checkout fails` \(major\): investigating, began /);
  assert.ok(text.includes(`/incidents/${incident.id}`), text);
  assert.ok(text.includes(`/checks/${check.body.id}`), text);
  const context = { kind: "service", id: shop.id };
  assert.match(await ask(["is this down?"], { context }), /the service `Shop`/);
  assert.match(await ask(["who can change things?"]), /1 of 1 member may change things:/);
});

test("an invalid context is rejected", async () => {
  const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const messages = [{ role: "user", content: "why is this failing?" }];
  const wrong = [{ kind: "moon", id: "1" }, { kind: "check", id: "a b" }, { kind: "check" }, "x"];
  for (const context of wrong) {
    const { status } = await app.call("POST", path, { body: { messages, context } });
    assert.equal(status, 400, JSON.stringify(context));
  }
});

test("a draft claims only what checks have seen, and resolution only on request", async () => {
  const blind = await ask(["draft an update for the payments incident"]);
  assert.doesNotMatch(blind, /Our monitoring|over\./);
  const received = await ask(["draft a monitoring update for the payments incident"]);
  assert.match(
    received,
    /> The problems that affected \*\*Checkout\*\* since .* appear to be over\. We are/,
  );
});

test("a draft is posted only after request and confirmation", async () => {
  const readUpdates = async () =>
    (await app.call("GET", `${incidentsPath}/${incidentId}`)).body.incidentUpdates.length;
  assert.equal(await readUpdates(), 1);
  const proposed = await ask(["draft an update for the payments incident", "post it"]);
  assert.match(proposed, /Not done yet, please confirm/);
  const readTexts = ["draft an update for the payments incident", "post it", "yes"];
  assert.match(await ask(readTexts), /I cannot confirm it for you\./);
  assert.equal(await readUpdates(), 1);
  const [confirmation] = proposed.match(/vdc_[A-Za-z0-9_-]+/) ?? [];
  assert.match(await ask(["please"], { confirmation }), /^Done\./);
  assert.equal(await readUpdates(), 2);
});
