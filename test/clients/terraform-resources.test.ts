/**
 * Requests of resources that newer versions of the Terraform provider have, replayed over HTTP as
 * its SDK sends them, see `go-sdk.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TestApp } from "../support/apps/app.ts";
import { shareTestApp } from "../support/apps/shared-app.ts";

type Body = Record<string, unknown>;

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

function call(method: string, path: string, body?: Body): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${app.owner.apiKey}`,
    "x-checkly-account": app.owner.accountId,
    "x-checkly-source": "TF",
    "content-type": "application/json",
  };
  return app.call(method, path, { headers, ...(body && { body }) });
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Zero values and absent lists, as the SDK sends them. */
const check = {
  ...{ id: "", created_at: "", updated_at: "", createdAt: "0001-01-01T00:00:00Z" },
  ...{ name: "Check", frequency: 10, activated: true, muted: false, shouldFail: false },
  ...{ locations: ["eu-west-1"], privateLocations: null, tags: null, groupId: null },
  ...{ useGlobalAlertSettings: true, alertChannelSubscriptions: null, triggerIncident: null },
  ...{ runParallel: false, runtimeId: null, environmentVariables: null },
};
const script = "const { test } = require('@playwright/test')\ntest('home', () => {})";

const checks: Readonly<Record<string, Body>> = {
  grpc: {
    request: {
      ...{ url: "grpc.example.test", port: 443, assertions: [] },
      grpcConfig: { mode: "HEALTH", tls: true, service: "svc", metadata: [] },
    },
  },
  traceroute: {
    request: { url: "example.test", protocol: "ICMP", port: 443, maxHops: 20, assertions: [] },
  },
  multistep: { checkType: "MULTI_STEP", script, runtimeId: "2025.04" },
  browser: { checkType: "BROWSER", script, runtimeId: "2025.04", sslCheckDomain: "" },
};

for (const [kind, own] of Object.entries(checks)) {
  test(`a ${kind} check is created, read, updated and deleted`, async () => {
    const body = { ...check, ...own };
    const created = await call("POST", `/v1/checks/${kind}?autoAssignAlerts=false`, body);
    assert.equal(created.status, 201, created.text);
    const { id } = created.body;
    const found = await call("GET", `/v1/checks/${id}`);
    assert.equal(found.status, 200, found.text);
    assert.match(found.body.created_at, rfc3339);
    if ("script" in own) assert.equal(found.body.script, script);
    const changed = { ...body, id, muted: true, tags: ["changed"] };
    const path = `/v1/checks/${kind}/${id}?autoAssignAlerts=false`;
    const updated = await call("PUT", path, changed);
    assert.deepEqual([updated.status, updated.body.tags], [200, ["changed"]], updated.text);
    assert.equal((await call("DELETE", `/v1/checks/${id}`)).status, 204);
    assert.equal((await call("GET", `/v1/checks/${id}`)).status, 404);
  });
}

test("kinds that this server does not run are rejected", async () => {
  const request = { url: "example.test", assertions: [] };
  const { status } = await call("POST", "/v1/checks/agentic", { ...check, request });
  assert.ok(status >= 400 && status < 500, String(status));
});

/** Creates, reads, changes and deletes an object by the statuses that the SDK accepts. */
async function cycle(path: string, body: Body, change: Body): Promise<void> {
  const created = await call("POST", path, body);
  assert.equal(created.status, 201, created.text);
  const own = `${path}/${created.body.id}`;
  const found = await call("GET", own);
  assert.equal(found.status, 200, found.text);
  for (const [field, value] of Object.entries(body)) {
    if (field !== "id" && value !== null)
      assert.partialDeepStrictEqual(found.body, { [field]: value });
  }
  const updated = await call("PUT", own, { ...body, ...change, id: created.body.id });
  assert.equal(updated.status, 200, updated.text);
  assert.partialDeepStrictEqual(updated.body, change);
  assert.equal((await call("DELETE", own)).status, 204);
  assert.equal((await call("GET", own)).status, 404);
}

const page = {
  ...{ id: "", name: "Page", url: "tf-page", description: "All services", version: 3 },
  ...{ defaultTheme: "AUTO", allowIndexing: true, supportLink: "https://example.test/support" },
};

test("a status page of version 3 is created, read, updated and deleted", () =>
  cycle("/v3/status-pages", page, { name: "Renamed", allowIndexing: false }));

test("components and automation rules are created, read, updated and deleted", async () => {
  const { body } = await call("POST", "/v3/status-pages", { ...page, url: "tf-parts" });
  const components = `/v3/status-pages/${body.id}/components`;
  const group = { type: "GROUP", name: "Core", displayOrder: 1, hidden: false };
  const parent = (await call("POST", components, group)).body.id;
  const service = {
    ...{ id: "", type: "SERVICE", name: "API", description: "d", displayOrder: 1, hidden: false },
    ...{ parentId: parent, configuration: { showHistoricalData: true } },
  };
  await cycle(components, service, { name: "Public API", hidden: true });
  const componentId = (await call("POST", components, service)).body.id;
  const rule = {
    ...{ id: "", name: "API down", enabled: true, tags: ["api"], notifySubscribers: true },
    ...{ firstUpdate: "Investigating", lastUpdate: "Resolved", coolDownWindowMinutes: 5 },
    components: [{ componentId, targetImpact: "MAJOR_OUTAGE" }],
  };
  const rules = `/v3/status-pages/${body.id}/automation-rules`;
  await cycle(rules, rule, { enabled: false, coolDownWindowMinutes: 0 });
});

const channels: Readonly<Record<string, Body>> = {
  SLACK: { url: "https://hooks.slack.com/services/T0/B0/x1", channel: "#ops" },
  WEBHOOK: {
    ...{ name: "Hook", url: "https://example.test/hook", method: "POST", template: "{}" },
    ...{ headers: [], queryParameters: [], webhookSecret: "" },
  },
  OPSGENIE: { name: "Ops", apiKey: "fake-api-key-for-tests", region: "EU", priority: "P1" },
  PAGERDUTY: { account: "ops", serviceName: "Ops", serviceKey: "fake-service-key-for-tests" },
};
for (const [type, config] of Object.entries(channels)) {
  test(`an alert channel of type ${type} is created, read and deleted`, async () => {
    const flags = { sendRecovery: true, sendFailure: true, sendDegraded: false, sslExpiry: false };
    const body = { id: 0, type, config, ...flags, sslExpiryThreshold: 30 };
    const created = await call("POST", "/v1/alert-channels", body);
    assert.equal(created.status, 201, created.text);
    const path = `/v1/alert-channels/${created.body.id}`;
    const found = (await call("GET", path)).body;
    assert.deepEqual([found.type, typeof found.id], [type, "number"]);
    for (const flag of Object.keys(flags)) assert.equal(typeof found[flag], "boolean", flag);
    assert.equal((await call("PUT", path, { ...body, sendDegraded: true })).status, 200);
    assert.equal((await call("DELETE", path)).status, 204);
  });
}
