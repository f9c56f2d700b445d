/** Properties of all tools, verified with the official client. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { addService, createIncident, postUpdate } from "../../../test/support/modules/incidents.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import { createAlertState } from "../../response/alerting/alert-state.ts";
import { findTool } from "../tools/all-tools.ts";

let app: TestApp;
let client: Client;
let tools: readonly Tool[];
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${app.owner.apiKey}` } },
  });
  // The SDK's own types conflict with exact optional properties.
  await client.connect(transport as never);
  ({ tools } = await client.listTools());
});
after(async () => {
  await client.close();
  await app.stop();
});

/**
 * The client validates successful results against the output schema it received; this test
 * validates them against the tool's complete schema.
 */
async function use(name: string, input: Record<string, unknown> = {}) {
  const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
  const data = (result.structuredContent as { data?: unknown } | undefined)?.data;
  const schema = findTool(name)?.DataSchema;
  if (data !== undefined && schema !== undefined) assertSchema(schema, data);
  const [first] = result.content;
  const text = first?.type === "text" ? first.text : "";
  const isError = result.isError === true;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
  return { isError, text, data: (result.structuredContent as any)?.data };
}

async function post(path: string, body: object): Promise<string> {
  const answer = await app.call("POST", path, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

const newCheck = (name: string, more: object = {}) =>
  post("/v1/checks/icmp", {
    name,
    activated: false,
    request: { hostname: "127.0.0.1", pingCount: 1 },
    ...more,
  });

interface JsonSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/** Includes nested fields. */
function listParameters({ properties = {} }: JsonSchema, path: string): [string, JsonSchema][] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    [`${path}.${name}`, schema] as [string, JsonSchema],
    ...listParameters(schema, `${path}.${name}`),
  ]);
}

test("every tool has a title, a description, annotations and an output schema", () => {
  assert.ok(tools.length >= 24, `${tools.length}`);
  for (const { name, title, description, annotations, outputSchema } of tools) {
    assert.match(title ?? "", /^[A-Z][a-z]+(?: [a-z]+)+$/, name);
    assert.match(description ?? "", /\.$/, name);
    assert.equal(annotations?.title, title, name);
    assert.equal(typeof annotations?.readOnlyHint, "boolean", name);
    assert.equal(annotations?.destructiveHint, false, name);
    const data = (outputSchema?.properties as Record<string, JsonSchema>)?.data;
    assert.ok(Object.keys(data?.properties ?? {}).length > 0, name);
  }
});

test("the list of tools is short enough to be sent with every question", () => {
  const { length } = JSON.stringify(tools);
  // About 2,500 for each kind that the agent can create, 1,000 for each tool that writes, and
  // 700 for each that reads.
  assert.ok(length <= 71_000, `${length} characters`);
});

test("every parameter of every tool is described", () => {
  const all = tools.flatMap(({ name, inputSchema }) =>
    listParameters(inputSchema as JsonSchema, name),
  );
  assert.ok(all.length >= 60, `${all.length}`);
  const silent = all.filter(([, { description = "" }]) => description.length < 10);
  assert.deepEqual(
    silent.map(([name]) => name),
    [],
  );
});

test("the current time is returned, and relative times are accepted", async () => {
  const { data } = await use("current_time");
  assert.equal(data.now, app.clock.now().toISOString());
  assert.equal(data.timeZone, "UTC");
  const changes = await use("list_state_changes", { from: "-24h" });
  assert.equal(Date.parse(changes.data.to) - Date.parse(changes.data.from), 86_400_000);
  const windows = await use("list_maintenance", { from: "now", to: "+2w" });
  assert.equal(Date.parse(windows.data.to) - Date.parse(windows.data.from), 14 * 86_400_000);
  const wrong = await use("list_state_changes", { from: "a while ago" });
  assert.equal(wrong.isError, true);
  assert.match(wrong.text, /from must/);
});

test("names are accepted instead of ids, and an ambiguous name lists its matches", async () => {
  const id = await newCheck("Harbour router");
  const others = [await newCheck("Pier switch A"), await newCheck("Pier switch B")];
  assert.equal((await use("get_check", { checkId: "harbour ROUTER" })).data.checkId, id);
  assert.equal((await use("get_check", { checkId: "harbour" })).data.checkId, id);
  const status = await use("get_status", { checkIds: ["Harbour router", others[0]] });
  assert.equal(status.data.checks.length, 2);
  const several = await use("get_check", { checkId: "pier switch" });
  assert.equal(several.isError, true);
  for (const other of others) assert.ok(several.text.includes(other), several.text);
  const none = await use("get_check", { checkId: "Pier swich" });
  assert.match(none.text, /similar names: .*Pier switch A/);
  const proposed = await use("mute_check", { checkId: "Harbour router", muted: true });
  assert.deepEqual(proposed.data.proposal, { checkId: id, muted: true }, "an id is confirmed");
});

test("groups, services, pages and channels are listed with their members", async () => {
  const slack = { url: "https://hooks.slack.com/services/T0/B0/secret-part", channel: "#port" };
  const alertChannelId = await post("/v1/alert-channels", { type: "SLACK", config: slack });
  const groupId = await post("/v1/check-groups", {
    name: "Quay",
    alertChannelSubscriptions: [{ alertChannelId, activated: true }],
  });
  const serviceId = await addService(app, { name: "Ferries" });
  const triggerIncident = {
    serviceId,
    severity: "MAJOR",
    name: "Ferries are late",
    description: "We look into it.",
    notifySubscribers: false,
  };
  const checkId = await newCheck("Ferry", { groupId, triggerIncident });
  await post("/v1/status-pages", {
    name: "Port status",
    url: "port-status",
    cards: [{ name: "Boats", services: [{ id: serviceId }] }],
  });
  const named = { checkId, name: "Ferry", status: "unknown" };
  const [group] = (await use("list_groups", { name: "quay" })).data.groups;
  assert.deepEqual([group.name, group.checks, group.counts.unknown], ["Quay", [named], 1]);
  const [service] = (await use("list_services", { name: "Ferries" })).data.services;
  assert.deepEqual([service.checks, service.pages], [[named], ["Port status"]]);
  const [page] = (await use("list_status_pages")).data.pages;
  assert.deepEqual(page.cards, [{ name: "Boats", services: ["Ferries"] }]);
  const channels = await use("list_channels");
  const channel = channels.data.channels.at(-1);
  assert.deepEqual([channel.recipient, channel.groups], ["Slack #port", ["Quay"]]);
  assert.deepEqual(channel.checks, [{ checkId, name: "Ferry" }]);
  assert.equal(channels.text.includes("secret-part"), false);
  for (const filter of [{ groupId: "Quay" }, { serviceId: "ferries" }]) {
    const { data } = await use("list_checks", filter);
    assert.deepEqual([data.total, data.checks[0].name], [1, "Ferry"]);
    assert.equal((await use("get_statistics", { from: "-1d", ...filter })).data.total, 1);
  }
});

test("a service has the checks that it follows, by id and by tag", async () => {
  const checkId = await newCheck("Buoy", { tags: ["sea"] });
  await post("/v1/status-pages/services", { name: "Harbour", follows: { tags: ["sea"] } });
  await post("/v1/status-pages/services", { name: "Buoys", follows: { checkIds: [checkId] } });
  for (const name of ["Harbour", "Buoys"]) {
    const [service] = (await use("list_services", { name })).data.services;
    assert.deepEqual([service.name, service.checks.length], [name, 1]);
    const { data } = await use("list_checks", { serviceId: name });
    assert.deepEqual([data.total, data.checks[0].checkId], [1, checkId]);
    const { services } = (await use("list_names")).data;
    const known = services.find((one: { name: string }) => one.name === name);
    assert.deepEqual(known.checkIds, [checkId]);
  }
});

test("members have their rights, and dashboards their URL", async () => {
  await post("/v1/accounts/me/invites", { email: "new@example.net", role: "READ_RUN" });
  const { members, invites } = (await use("list_members")).data;
  const [owner] = members;
  assert.deepEqual(
    [owner.role, owner.mayRun, owner.mayWrite, owner.mayManage],
    ["OWNER", true, true, true],
  );
  assert.deepEqual([invites[0].email, invites[0].role], ["new@example.net", "READ_RUN"]);
  await post("/v1/dashboards", { header: "Pier", customUrl: "pier", tags: ["sea"] });
  const found = await use("list_dashboards");
  const [dashboard] = found.data.dashboards;
  assert.deepEqual([dashboard.name, dashboard.isPrivate, dashboard.tags], ["Pier", true, ["sea"]]);
  assert.ok(dashboard.address.endsWith("/dashboards/pier"), dashboard.address);
  const names = (await use("list_names")).data;
  assert.deepEqual(names.dashboards, [{ dashboardId: dashboard.dashboardId, name: "Pier" }]);
  assert.equal(names.members[0].email, owner.email);
});

test("incidents are ordered by last activity, and found by service and name", async () => {
  const service = await addService(app, { name: "Docks" });
  const at = (hours: number) => new Date(app.clock.now().getTime() + hours * 3_600_000);
  const update = (hours: number) => ({
    description: "Seen.",
    status: "INVESTIGATING",
    publicIncidentUpdateDate: at(hours).toISOString(),
  });
  const write = async (name: string, hours: number) => {
    const input = { name, incidentUpdates: [update(hours)] };
    assert.equal((await createIncident(app, service, input)).status, 201);
  };
  await write("Crane stuck", -5);
  await write("Gate jammed", -9);
  const list = async () =>
    (await use("list_incidents", { serviceId: "Docks" })).data.incidents.map(
      (one: { name: string }) => one.name,
    );
  assert.deepEqual(await list(), ["Crane stuck", "Gate jammed"]);
  const { data } = await use("get_incident", { incidentId: "gate jammed" });
  const draft = await use("draft_incident", { serviceId: "Docks" });
  assert.deepEqual([draft.data.name, draft.data.services], ["Problems: Docks", ["Docks"]]);
  await postUpdate(app, data.incidentId, update(-1));
  assert.deepEqual(await list(), ["Gate jammed", "Crane stuck"]);
});

test("an acknowledgement is proposed only for an open alert", async () => {
  const checkId = await newCheck("Lighthouse");
  const calm = await use("acknowledge_alert", { checkId: "Lighthouse" });
  assert.match(calm.text, /no open alert/);
  const received = { alertedKind: "ALERT_FAILURE", alertNumber: 1, openedAtMs: 0 } as const;
  const state = { ...createAlertState(0), ...received };
  await app.query(
    `insert into alert_states (check_id, account_id, state) values ($1, $2, $3::jsonb)`,
    [checkId, app.owner.accountId, JSON.stringify(state)],
  );
  const [alert] = (await use("list_alerts", { checkId: "Lighthouse" })).data.alerts;
  assert.deepEqual([alert.name, alert.acknowledgedAt], ["Lighthouse", null]);
  const proposed = await use("acknowledge_alert", { checkId: "Lighthouse" });
  assert.match(proposed.data.summary, /^Acknowledge the open alert of the check "Lighthouse"/);
});
