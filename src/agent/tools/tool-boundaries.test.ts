import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { test } from "node:test";
import { createAgentFixture, createCaller } from "../../../test/support/modules/agent.ts";
import { failing, passing } from "../../../test/support/modules/alerting.ts";
import { insertAccount } from "../../access/accounts/store.ts";
import { allTools } from "./all-tools.ts";

const hourMs = 3_600_000;

test("no tool returns data of another account, for any id", async (t) => {
  const { context, addCheck, recordRuns, use, clock, query } = await createAgentFixture(t);
  const at = (shiftMs: number) => new Date(clock.now().getTime() + shiftMs).toISOString();
  const watched = await addCheck({ name: "Ours alone", tags: ["ours"] });
  await recordRuns(watched, passing, failing);
  const [row] = await query("select id from results limit 1");
  const { checkId } = watched;
  const resultId = row?.id;
  const window = { from: at(-hourMs), to: at(hourMs) };
  const accountId = randomUUIDv7();
  const account = { id: accountId, name: "Elsewhere", createdAt: clock.now(), updatedAt: null };
  await insertAccount(context.db, account);
  const stranger = createCaller(accountId);
  const inputs: Readonly<Record<string, readonly object[]>> = {
    list_checks: [{}, { name: "Ours" }, { tag: "ours" }, { checkType: "ICMP" }],
    get_check: [{ checkId }, { checkId: "Ours" }],
    get_status: [{}, { checkIds: [checkId] }],
    list_results: [{ checkId, ...window }],
    get_result: [{ checkId, resultId }],
    get_statistics: [window, { ...window, checkIds: [checkId], byLocation: true }],
    compare_windows: [
      { checkIds: [checkId], ...window, previousFrom: window.from, previousTo: window.to },
    ],
    list_state_changes: [window, { checkId, ...window }],
    list_incidents: [{}, { from: "-7d", to: "now" }],
    get_incident: [{ incidentId: checkId }],
    draft_incident: [{ incidentId: checkId }, { serviceId: checkId }, { serviceId: "Ours" }],
    list_alerts: [{}, { checkId }, { checkId: "Ours alone" }],
    list_deliveries: [{}, { checkId }],
    list_maintenance: [window],
    list_locations: [{}],
    list_groups: [{}, { name: "Ours" }],
    list_services: [{}, { name: "Ours" }],
    list_status_pages: [{}, { name: "Ours" }],
    list_channels: [{}],
    list_members: [{}],
    list_dashboards: [{}],
    list_names: [{}],
    list_escalation_policies: [{}],
    search_docs: [{ query: "escalation" }],
    who_is_on_call: [{}, { from: "-1d", to: "+1d" }, { scheduleId: checkId }],
    page_member: [
      { checkId, memberId: checkId },
      { checkId, scheduleId: "Ours" },
    ],
    current_time: [{}],
    acknowledge_alert: [{ checkId }],
    post_incident_update: [{ incidentId: checkId, status: "RESOLVED", description: "x" }],
    mute_check: [
      { checkId, muted: true },
      { checkId, muted: true, minutes: 60, reason: "New router" },
    ],
    create_check: [
      { body: { checkType: "ICMP", name: "x", request: { hostname: "192.0.2.1" }, groupId: 1 } },
    ],
    run_check: [{ checkId }],
    snooze_alert: [{ checkId, minutes: 60 }],
    reassign_alert: [
      { checkId, memberId: checkId },
      { checkId, scheduleId: "Ours" },
    ],
    escalate_alert: [{ checkId }],
  };
  for (const tool of allTools) {
    for (const input of inputs[tool.name] ?? assert.fail(`${tool.name} is not tried here`)) {
      const result = await use(tool.name, input, stranger);
      const text = JSON.stringify(result);
      assert.equal(/Ours alone|192\.0\.2/.test(text), false, `${tool.name} ${text}`);
      const named = { ...(result.data as object), notFound: undefined };
      assert.equal(JSON.stringify(named).includes(checkId), false, `${tool.name} ${text}`);
    }
  }
  const found = await use("get_check", { checkId }, stranger);
  assert.deepEqual(found.data, {
    error: "not-found",
    message: "It does not exist in this account.",
  });
});

test("hostile inputs are rejected with a message, never an internal error", async (t) => {
  const { use } = await createAgentFixture(t);
  const hostile: unknown[] = [
    null,
    [],
    "x",
    7,
    { checkId: "'; drop table checks; --" },
    { checkIds: [] },
    { from: "yesterday", to: "now" },
    { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" },
    { from: "2016-12-31T23:59:60Z", to: "2026-01-01T00:00:00Z" },
    { from: "1926-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
    { limit: 1e9 },
    { accountId: randomUUIDv7() },
    { name: "\u0000" },
    { body: { checkType: "ICMP", name: "x", request: { hostname: "; id" } } },
    { body: { checkType: "ICMP", name: "x", request: { hostname: "h" }, script: "alert()" } },
    {
      body: {
        checkType: "API",
        name: "x",
        request: { method: "GET", url: "http://h" },
        localSetupScript: "alert()",
      },
    },
    {
      body: {
        checkType: "ICMP",
        name: "x",
        request: { hostname: "h" },
        triggerIncident: { notifySubscribers: true },
      },
    },
  ];
  for (const tool of allTools) {
    for (const input of hostile) {
      const { data } = await use(tool.name, input);
      assert.equal(typeof data, "object", `${tool.name} ${JSON.stringify(input)}`);
    }
  }
});

test("no tool can notify subscribers, select an account or carry a script", () => {
  const schemas = JSON.stringify(allTools.map(({ InputSchema }) => InputSchema));
  for (const field of [
    "notifySubscribers",
    "accountId",
    "script",
    "environmentVariables",
    "token",
  ]) {
    assert.equal(schemas.includes(`"${field}"`), false, field);
  }
});

test("every tool rejects unknown fields", () => {
  for (const { name, InputSchema } of allTools) {
    const schema = JSON.parse(JSON.stringify(InputSchema));
    assert.equal(schema.additionalProperties, false, name);
  }
});
