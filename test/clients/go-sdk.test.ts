/**
 * Requests of the Go SDK, on which the Terraform provider is built, replayed over HTTP. The SDK
 * accepts exactly 201 for a creation, 200 for a read and an update, and 204 for a deletion. It
 * parses timestamps as RFC 3339, and panics on `null` where it expects a boolean. Its bodies
 * contain read-only fields with zero values, and lists without items as `null`.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Answer, ownerKey, startTestApp, type TestApp } from "../support/apps/app.ts";
import { makeCertificate } from "../support/certificates/make-certificate.ts";

type Body = Record<string, unknown>;

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  await app.query(
    `insert into snippets (id, account_id, name, script, created_at) overriding system value
      select id, $1, id::text, '1', now() from generate_series(3, 4) as id`,
    [app.owner.accountId],
  );
});
after(() => app.stop());

function call(method: string, path: string, body?: Body): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${ownerKey}`,
    "x-checkly-account": app.owner.accountId,
    "x-checkly-source": "TF",
    // The SDK sends a content type with every request, also without a body.
    "content-type": "application/json",
  };
  return app.call(method, path, { headers, ...(body && { body }) });
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Zero values of read-only fields that the SDK sends. */
const zero = { id: "", created_at: "", updated_at: "", createdAt: "0001-01-01T00:00:00Z" };

function assertTimes(body: Body): void {
  for (const field of ["created_at", "updated_at", "called_at"]) {
    const value = body[field];
    if (value !== undefined && value !== null) assert.match(String(value), rfc3339, field);
  }
}

interface Resource {
  readonly name: string;
  /** Paths of the creation and, with the id appended, of update, read and deletion. */
  readonly create: string;
  readonly update?: string;
  readonly read?: string;
  /** Name of the field with the id. */
  readonly id?: string;
  readonly idType: "string" | "number";
  readonly body: Body;
  readonly change?: Body;
  /** Fields that must be returned as they were sent. */
  readonly kept: readonly string[];
  readonly booleans?: readonly string[];
}

const alertSettings = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
  sslCertificates: { enabled: false, alertThreshold: 3 },
};
const retryStrategy = {
  type: "LINEAR",
  baseBackoffSeconds: 5,
  maxRetries: 3,
  maxDurationSeconds: 120,
  sameRegion: false,
  onlyOn: ["NETWORK_ERROR"],
};
const assertion = {
  ...{ edit: false, order: 0, arrayIndex: 0, arraySelector: 0, regex: "" },
  ...{ source: "RESPONSE_TIME", property: "", comparison: "LESS_THAN", target: "1000" },
};

/** The part that all checks share. */
const check = {
  ...zero,
  ...{ name: "Check", frequency: 10, activated: true, muted: false, shouldFail: false },
  ...{ locations: ["eu-west-1"], privateLocations: null, tags: null, groupId: null },
  ...{ alertSettings, useGlobalAlertSettings: false, alertChannelSubscriptions: null },
  ...{ retryStrategy, runParallel: false, triggerIncident: null, runtimeId: null },
};
const monitors = ["name", "frequency", "locations"];

function createMonitor(kind: string, own: Body, kept: readonly string[] = []): Resource {
  return {
    name: `${kind} monitor`,
    create: `/v1/checks/${kind}`,
    update: `/v1/checks/${kind}`,
    read: "/v1/checks",
    idType: "string",
    body: { ...check, ...own },
    // A switched-off check may lose all its locations.
    change: { activated: false, locations: [], tags: ["changed"] },
    kept: [...monitors, ...kept],
    booleans: ["activated", "muted", "shouldFail", "useGlobalAlertSettings"],
  };
}

const apiCheck: Resource = {
  name: "API check",
  create: "/v1/checks/api",
  update: "/v1/checks",
  idType: "string",
  body: {
    ...check,
    checkType: "API",
    request: {
      ...{ method: "GET", url: "https://example.test/", followRedirects: true, skipSSL: false },
      ...{ body: "", bodyType: "NONE", headers: [], queryParameters: [], assertions: [assertion] },
      ...{ basicAuth: { username: "", password: "" }, ipFamily: "IPv4" },
    },
    ...{ setupSnippetId: 3, tearDownSnippetId: 4, script: "", sslCheckDomain: "" },
    ...{ localSetupScript: "let a = 1", localTearDownScript: "let b = 2" },
    ...{ environmentVariables: [{ key: "K", value: "v", locked: false, secret: false }] },
    heartbeat: { period: 0, periodUnit: "", grace: 0, graceUnit: "", pingToken: "" },
  },
  change: { localSetupScript: "let c = 3", shouldFail: true },
  kept: [...monitors, "setupSnippetId", "tearDownSnippetId", "localTearDownScript", "script"],
};

const group = {
  ...{ ...zero, id: 0, name: "Group", activated: true, muted: false, tags: ["auto"] },
  ...{ locations: ["eu-west-1"], privateLocations: null, concurrency: 3, doubleCheck: false },
  ...{ environmentVariables: null, alertChannelSubscriptions: null, runtimeId: null },
  ...{ localSetupScript: "let a = 1", localTearDownScript: "let b = 2", setupSnippetId: 3 },
  apiCheckDefaults: {
    ...{ url: "api.example.test", headers: null, queryParameters: null, assertions: null },
    basicAuth: { username: "user", password: "secret password" },
  },
};
const groupKept = ["name", "tags", "locations", "localSetupScript", "localTearDownScript"];

const resources: readonly Resource[] = [
  apiCheck,
  createMonitor("tcp", { request: { hostname: "127.0.0.1", port: 22, assertions: [] } }),
  createMonitor("url", {
    request: { url: "https://example.test", skipSSL: false, assertions: [] },
  }),
  createMonitor("dns", {
    request: { recordType: "A", query: "example.test", protocol: "UDP", assertions: [] },
  }),
  createMonitor(
    "icmp",
    {
      request: { hostname: "127.0.0.1", ipFamily: "IPv4", pingCount: 5, assertions: [] },
      degradedPacketLossThreshold: 10,
      maxPacketLossThreshold: 20,
    },
    ["degradedPacketLossThreshold", "maxPacketLossThreshold"],
  ),
  createMonitor("ssl", { request: { sslConfig: { hostname: "example.test", port: 443 } } }),
  {
    name: "heartbeat monitor",
    create: "/v1/checks/heartbeat",
    update: "/v1/checks/heartbeat",
    read: "/v1/checks",
    idType: "string",
    body: {
      ...{ ...zero, name: "Heartbeat", activated: true, muted: false, tags: null },
      heartbeat: { period: 30, periodUnit: "minutes", grace: 5, graceUnit: "minutes" },
      ...{ alertSettings, useGlobalAlertSettings: true },
    },
    change: { muted: true },
    kept: ["name"],
  },
  {
    name: "group",
    create: "/v1/check-groups",
    idType: "number",
    body: { ...group, alertSettings, useGlobalAlertSettings: false, runParallel: true },
    kept: [...groupKept, "setupSnippetId"],
  },
  {
    name: "group of version 2",
    create: "/v2/check-groups",
    update: "/v2/check-groups",
    read: "/v1/check-groups",
    idType: "number",
    body: {
      ...group,
      ...{ alertSettings: null, useGlobalAlertSettings: null, runParallel: null },
      retryStrategy: "FALLBACK",
    },
    kept: groupKept,
  },
  {
    name: "alert channel",
    create: "/v1/alert-channels",
    idType: "number",
    body: {
      ...{ id: 0, type: "EMAIL", config: { address: "ops@example.test" } },
      ...{ sendRecovery: true, sendFailure: true, sendDegraded: false },
      ...{ sslExpiry: false, sslExpiryThreshold: 30 },
    },
    kept: ["type", "config", "sendRecovery", "sslExpiryThreshold"],
    booleans: ["sendRecovery", "sendFailure", "sendDegraded", "sslExpiry"],
  },
  {
    name: "dashboard",
    create: "/v1/dashboards",
    id: "dashboardId",
    idType: "string",
    body: {
      ...{ dashboardId: "", customUrl: "status-page", customDomain: "", logo: "", favicon: "" },
      ...{ link: "", description: "", header: "Public", width: "FULL", tags: ["prod"] },
      ...{ refreshRate: 60, paginate: true, paginationRate: 60, checksPerPage: 15 },
      ...{ hideTags: false, useTagsAndOperator: false, customCSS: "", isPrivate: false },
      ...{ enableIncidents: false, showHeader: true, expandChecks: false, showP95: true },
      ...{ showP99: true, showCheckRunLinks: false },
    },
    kept: ["customUrl", "header", "refreshRate", "paginationRate", "checksPerPage", "tags"],
    booleans: ["paginate", "hideTags", "isPrivate", "showHeader", "showP95"],
  },
  {
    name: "maintenance window",
    create: "/v1/maintenance-windows",
    idType: "number",
    body: {
      ...{ id: 0, name: "Weekly", tags: ["auto"], created_at: "", updated_at: "" },
      ...{ startsAt: "2026-12-01T00:00:00.000Z", endsAt: "2026-12-01T00:00:00.000Z" },
      ...{ repeatInterval: 1, repeatUnit: "WEEK", repeatEndsAt: "2027-12-01T00:00:00.000Z" },
    },
    kept: ["name", "tags", "startsAt", "endsAt", "repeatInterval", "repeatUnit"],
  },
  {
    name: "private location",
    create: "/v1/private-locations",
    idType: "string",
    body: { ...zero, name: "Lab", slugName: "lab-one", icon: "location", keys: null },
    kept: ["name", "slugName", "icon"],
  },
  {
    name: "snippet",
    create: "/v1/snippets",
    idType: "number",
    body: { ...zero, id: 0, name: "Sign in", script: "let token" },
    change: { script: "let other" },
    kept: ["name"],
  },
  {
    name: "variable",
    create: "/v1/variables",
    id: "key",
    idType: "string",
    body: { key: "TOKEN", value: "abc", locked: false, secret: false },
    change: { value: "def" },
    kept: ["key", "locked"],
    booleans: ["locked", "secret"],
  },
  {
    name: "status page service",
    create: "/v1/status-pages/services",
    idType: "string",
    body: { id: "", name: "API" },
    kept: ["name"],
  },
];

for (const resource of resources) {
  const { name, create, update = create, read = update, id = "id", change = {} } = resource;
  test(`the SDK creates, reads, updates and deletes: ${name}`, async () => {
    const created = await call("POST", `${create}?autoAssignAlerts=false`, resource.body);
    assert.equal(created.status, 201, created.text);
    const key = created.body[id];
    assert.equal(typeof key, resource.idType);
    const expectKept = (answer: Answer) => {
      assertTimes(answer.body);
      for (const field of resource.kept) {
        if (field in change) continue;
        assert.deepEqual(answer.body[field], resource.body[field], field);
      }
      for (const field of resource.booleans ?? []) {
        assert.equal(typeof answer.body[field], "boolean", field);
      }
    };
    expectKept(created);
    const found = await call("GET", `${read}/${key}`);
    assert.equal(found.status, 200, found.text);
    assert.equal(found.body[id], key);
    expectKept(found);
    const next = { ...resource.body, ...change, [id]: key };
    const changed = await call("PUT", `${update}/${key}?autoAssignAlerts=false`, next);
    assert.equal(changed.status, 200, changed.text);
    expectKept(changed);
    const removed = await call("DELETE", `${read}/${key}`);
    assert.deepEqual([removed.status, removed.text], [204, ""]);
    assert.equal((await call("GET", `${read}/${key}`)).status, 404);
  });
}

test("the SDK creates, reads and deletes a client certificate", async () => {
  const { cert, key } = makeCertificate();
  const body = { id: "", host: "api.example.test", cert, key, passphrase: "", ca: "" };
  const created = await call("POST", "/v1/client-certificates", body);
  assert.equal(created.status, 201, created.text);
  assertTimes(created.body);
  const path = `/v1/client-certificates/${created.body.id}`;
  assert.equal((await call("GET", path)).status, 200);
  assert.equal((await call("DELETE", path)).status, 204);
});

test("the SDK creates a status page, whose services have names", async () => {
  const { id } = (await call("POST", "/v1/status-pages/services", { name: "API" })).body;
  const cards = [{ name: "Core", services: [{ id }] }];
  const page = { id: "", name: "Page", url: "sdk-page", defaultTheme: "AUTO", cards };
  const created = await call("POST", "/v1/status-pages", page);
  assert.equal(created.status, 201, created.text);
  const path = `/v1/status-pages/${created.body.id}`;
  const found = await call("GET", path);
  assert.equal(found.body.cards[0].services[0].name, "API");
  assert.equal((await call("PUT", path, { ...page, name: "Renamed" })).status, 200);
  assert.equal((await call("DELETE", path)).status, 204);
});

test("the SDK creates, reads and deletes the trigger of a check and of a group", async () => {
  const monitor = resources.find(({ name }) => name === "tcp monitor")?.body;
  const checkId = (await call("POST", "/v1/checks/tcp", monitor)).body.id;
  const groupId = (await call("POST", "/v1/check-groups", { name: "Group" })).body.id;
  for (const [path, owner] of [
    [`/v1/triggers/checks/${checkId}`, { checkId }],
    [`/v1/triggers/check-groups/${groupId}`, { groupId }],
  ] as const) {
    const created = await call("POST", path);
    assert.equal(created.status, 201, created.text);
    assertTimes(created.body);
    assert.equal(typeof created.body.id, "number");
    for (const [field, value] of Object.entries(owner)) assert.equal(created.body[field], value);
    const found = await call("GET", path);
    assert.deepEqual([found.status, found.body.token], [200, created.body.token]);
    assert.equal((await call("DELETE", path)).status, 204);
    assert.equal((await call("GET", path)).status, 404);
  }
});

test("the SDK reads runtimes and source addresses", async () => {
  assert.equal((await call("GET", "/v1/runtimes/2025.04")).body.name, "2025.04");
  for (const path of ["/v1/static-ips-by-region", "/v1/static-ipv6s-by-region"]) {
    const { status, body } = await call("GET", path);
    assert.equal(status, 200);
    for (const addresses of Object.values(body)) assert.ok(Array.isArray(addresses));
  }
});

test("a group's password is shown to clients that may write, and to nobody else", async () => {
  const { id } = (await call("POST", "/v1/check-groups", group)).body;
  const path = `/v1/check-groups/${id}`;
  const readPassword = async (options: Parameters<TestApp["call"]>[2] = {}) =>
    (await app.call("GET", path, options)).body.apiCheckDefaults.basicAuth.password;
  assert.equal(
    (await call("GET", path)).body.apiCheckDefaults.basicAuth.password,
    "secret password",
  );
  assert.notEqual(await readPassword(), "secret password");
  const body = { name: "Reader", type: "SERVICE", role: "READ_ONLY" };
  const key = (await app.call("POST", "/v1/api-keys", { body })).body.rawKey;
  const headers = { "x-checkly-account": app.owner.accountId };
  assert.notEqual(await readPassword({ key, headers }), "secret password");
});

test("the contract's own dialect shows setup and teardown scripts, which are no secrets", async () => {
  const { id } = (await call("POST", "/v1/checks/api", apiCheck.body)).body;
  const { body } = await app.call("GET", `/v1/checks/${id}`);
  assert.equal(body.localSetupScript, apiCheck.body.localSetupScript);
  assert.equal(body.script ?? null, null);
});

test("429 has Retry-After", async () => {
  const limited = await startTestApp({ BUILT_IN_PROBE: "false", RATE_LIMIT_PER_MINUTE: "1" });
  try {
    const headers = { "x-checkly-account": limited.owner.accountId };
    await limited.call("GET", "/v1/checks", { headers });
    const answer = await limited.call("GET", "/v1/checks", { headers });
    assert.equal(answer.status, 429);
    assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/);
  } finally {
    await limited.stop();
  }
});
