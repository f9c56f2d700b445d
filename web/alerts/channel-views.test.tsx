/** The list of channels, and the form of every channel type, without a server. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Value } from "typebox/value";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderScreen,
} from "../../test/support/components/part.tsx";
import { loadModule } from "../../test/support/load-module.ts";
import { aboutQuery } from "../api/about.ts";
import { pageTargetsQuery } from "./contacts/queries.ts";
import { nameKind } from "./describe-channel.ts";
import { route as newChannelRoute } from "./new-channel-screen.tsx";
import {
  alertSettingsQuery,
  type Channel,
  type ChannelKind,
  channelKindsQuery,
  channelsQuery,
  checkCountQuery,
} from "./queries.ts";
import { type Config, type JsonSchema, listFields } from "./schema-fields.ts";

const { listWireKinds } = await loadModule<{ listWireKinds: () => unknown }>(
  "src/channels/alert-channels/schema.ts",
);
const { createChannelConfigs } = await loadModule<{
  createChannelConfigs: (url: string) => Readonly<Record<string, Config>>;
}>("test/support/modules/channel-configs.ts");

const kinds: readonly ChannelKind[] = JSON.parse(JSON.stringify(listWireKinds()));
const configs = createChannelConfigs("https://hooks.example.com");

// A draft is written when its screen is closed.
beforeEach(() => sessionStorage.clear());

const channel = (more: Partial<Channel> = {}) =>
  ({
    id: 7,
    type: "WEBHOOK",
    config: { name: "pager", url: "https://hooks.example.com/x", method: "POST" },
    sendFailure: true,
    sendRecovery: true,
    sendDegraded: false,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    autoSubscribe: true,
    digest: true,
    subscriptions: [],
    problem: null,
    ...more,
  }) as unknown as Channel;

const canSend = (mail: boolean, textMessages: boolean) =>
  [aboutQuery.queryKey, { canSend: { mail, textMessages } }] as const;

const common = [
  [channelKindsQuery.queryKey, kinds],
  [channelsQuery.queryKey, [channel()]],
  [checkCountQuery.queryKey, 3],
  [pageTargetsQuery.queryKey, new Map()],
  [alertSettingsQuery.queryKey, { data: { escalationStages: [] }, etag: null }],
] as const;

const button = (part: Part, name: string | RegExp) => part.getByRole("button", { name });

function renderNew(type: string, options: PartOptions = {}) {
  const data = [canSend(true, true), ...common, ...(options.data ?? [])];
  return renderScreen(newChannelRoute, { ...options, data, search: { type } });
}

async function fillField(
  part: Part,
  { key, label, shape }: ReturnType<typeof listFields>[number],
  value: unknown,
) {
  const field = part.getByLabel(label, { exact: true }).first();
  if (shape === "entries" || value === null || value === undefined || key === "template") return;
  if (shape === "choice") await field.selectOption(String(value));
  else await field.fill(String(value));
}

/** The body of the first request. */
function readBody(part: Part): { readonly type: string; readonly config: Config } {
  const [first] = part.sent;
  assert.ok(first);
  return first.body as { type: string; config: Config };
}

const outcome = (more: object = {}) =>
  Response.json({
    outcome: "sent",
    statusCode: 200,
    reason: null,
    responseBody: "ok",
    durationMs: 12,
    ...more,
  });

for (const { type, configSchema, secretFields } of kinds) {
  test(`${nameKind(type)}: a test sends what was entered, as the API requires it`, async () => {
    const part = await renderNew(type, { respond: () => outcome() });
    const fields = listFields(configSchema as JsonSchema, secretFields, type);
    const config = configs[type] ?? {};
    for (const field of fields) await fillField(part, field, config[field.key]);
    await button(part, "Send test").click();
    await part.getByText("The test was delivered.").waitFor();
    const [sent] = part.sent;
    assert.deepEqual([sent?.method, sent?.path], ["POST", "/v1/alert-channels/test"]);
    const body = readBody(part);
    assert.equal(body.type, type);
    assert.equal(Value.Check(configSchema as object, body.config), true, JSON.stringify(body));
    for (const { key, shape } of fields) {
      const entered = config[key];
      if (shape === "entries" || entered === null || entered === "") continue;
      assert.deepEqual(body.config[key], entered, key);
    }
  });

  test(`${nameKind(type)}: an error of a field is shown at that field`, async () => {
    const [first] = listFields(configSchema as JsonSchema, secretFields, type);
    assert.ok(first);
    const respond = () =>
      rejectRequest(400, "It is invalid.", { [`config.${first.key}`]: "is not valid here." });
    const part = await renderNew(type, { respond });
    const { label } = first;
    await fillField(part, first, configs[type]?.[first.key] ?? "x");
    await button(part, "Send test").click();
    await part.getByText("is not valid here.").waitFor();
    const field = part.getByLabel(label, { exact: true }).first();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(part.locator("[aria-invalid=true]").count(), 1);
  });
}

test("a failed test shows the response of the other side, and saves nothing", async () => {
  const part = await renderNew("WEBHOOK", {
    respond: () =>
      outcome({
        outcome: "failed",
        statusCode: 503,
        reason: "It answered 503.",
        responseBody: null,
      }),
  });
  await part.getByLabel("Name", { exact: true }).fill("pager");
  await part.getByLabel("URL", { exact: true }).fill("https://hooks.example.com/");
  await button(part, "Send test").click();
  await part.getByText("The test was not delivered.").waitFor();
  await part.getByText("It answered 503.").waitFor();
  await part.getByText(/Status 503, took 12/).waitFor();
  await part.getByText("The response was empty.").waitFor();
  assert.deepEqual(
    part.sent.map(({ path }) => path),
    ["/v1/alert-channels/test"],
  );
});

test("headers of a webhook are added, marked as secret and removed", async () => {
  const part = await renderNew("WEBHOOK", { respond: () => outcome() });
  await part.getByText("More", { exact: true }).click();
  await button(part, "Add: Headers").click();
  await button(part, "Add: Headers").click();
  await part.getByLabel("Headers 1, name").fill("x-first");
  await part.getByLabel("Headers 2, name").fill("authorization");
  await part.getByLabel("Headers 2, value").fill("Bearer x");
  await part.getByRole("checkbox", { name: "Secret" }).last().check();
  await button(part, "Remove Headers 1").click();
  await button(part, "Send test").click();
  await part.getByText("The test was delivered.").waitFor();
  const { config } = readBody(part);
  assert.deepEqual(config.headers, [{ key: "authorization", value: "Bearer x", locked: true }]);
});

test("a new channel sends failures, recoveries and expiries, and saves what is switched", async () => {
  const part = await renderNew("EMAIL", { respond: () => rejectRequest(500, "It broke.") });
  assert.equal(await part.getByLabel("When a check fails").isChecked(), true);
  assert.equal(await part.getByLabel("When a check is degraded").isChecked(), false);
  await part.getByLabel("Email address").fill("ada@example.com");
  await part.getByLabel("When a check is degraded").check();
  await part.getByLabel("When a check recovers").uncheck();
  const expiry = part.getByLabel("When a certificate is about to expire");
  assert.equal(await expiry.isChecked(), true);
  await expiry.uncheck();
  assert.equal(part.getByLabel("Days before a certificate expires").count(), 0);
  await expiry.check();
  await part.getByLabel("Days before a certificate expires").fill("14");
  await button(part, "Save channel").click();
  await part.getByText("It broke.").waitFor();
  const { config, ...sends } = readBody(part);
  assert.deepEqual(config, { address: "ada@example.com" });
  assert.deepEqual(sends, {
    type: "EMAIL",
    sendFailure: true,
    sendRecovery: false,
    sendDegraded: true,
    sslExpiry: true,
    sslExpiryThreshold: 14,
    autoSubscribe: true,
    digest: true,
    quietHours: null,
  });
  assert.equal(await part.getByLabel("Email address").inputValue(), "ada@example.com");
});

test("the first channel is connected to all checks unless that is switched off", async () => {
  const respond = () => rejectRequest(500, "It broke.");
  const first = await renderScreen(newChannelRoute, {
    respond,
    search: { type: "EMAIL" },
    data: [canSend(true, true), ...common, [channelsQuery.queryKey, []]],
  });
  const connects = first.getByLabel("Send alerts of all 3 checks here");
  assert.equal(await connects.isChecked(), true);
});

test("a second channel is not connected to existing checks", async () => {
  const part = await renderNew("EMAIL");
  assert.equal(await part.getByLabel("Send alerts of all 3 checks here").isChecked(), false);
});

test("a server without mail is a warning at an email channel", async () => {
  const lacking = { data: [canSend(false, false)] };
  await (await renderNew("EMAIL", lacking)).getByText(/Set SMTP_URL/).waitFor();
});

test("a server without an SMS gateway is a warning", async () => {
  const part = await renderNew("SMS", { data: [canSend(false, false)] });
  await part.getByText(/Set SMS_GATEWAY_URL/).waitFor();
  assert.equal(part.getByText(/Set SMTP_URL/).count(), 0);
});

test("an unknown type offers the known ones", async () => {
  const part = await renderNew("PIGEON");
  await part.getByRole("heading", { name: "Choose a channel type" }).waitFor();
  const links = part.locator("li a").elements();
  assert.deepEqual(
    links.map((link) => link.getAttribute("href")),
    kinds.map(({ type }) => `/alerts/channels/new?type=${type}`),
  );
});

test("a reader cannot create a channel", async () => {
  const part = await renderNew("EMAIL", { role: "READ_ONLY" });
  await part.getByText("Channel not found.").waitFor();
  assert.equal(button(part, "Save channel").count(), 0);
});
