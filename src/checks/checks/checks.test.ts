import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { findOffsetFault, frequencies } from "./check-settings.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.stop());

const create = (body: Record<string, unknown>) => app.call("POST", "/v1/checks/icmp", { body });
const minimal = { name: "Router", request: { hostname: "router.example.com" } };
const required = { heartbeat: {}, script: "" };

async function newCheck(more: Record<string, unknown> = {}): Promise<string> {
  return (await create({ ...minimal, ...more })).body.id;
}

const update = (id: string, body: Record<string, unknown>, query = "") =>
  app.call("PUT", `/v1/checks/icmp/${id}${query}`, { body: { ...required, ...body } });

test("a check is created with every default of the contract", async () => {
  const { status, body } = await create(minimal);
  assert.equal(status, 201);
  const { id, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.deepEqual(rest, {
    checkType: "ICMP",
    name: "Router",
    activated: true,
    muted: false,
    doubleCheck: true,
    shouldFail: false,
    locations: null,
    tags: [],
    alertSettings: {
      escalationType: "RUN_BASED",
      runBasedEscalation: { failedRunThreshold: 1 },
      timeBasedEscalation: { minutesFailingThreshold: 5 },
      reminders: { amount: 0, interval: 5 },
      parallelRunFailureThreshold: { enabled: false, percentage: 10 },
    },
    useGlobalAlertSettings: true,
    groupId: null,
    groupOrder: null,
    runtimeId: null,
    alertChannelSubscriptions: [],
    retryStrategy: null,
    triggerIncident: null,
    runParallel: false,
    frequency: 10,
    degradedPacketLossThreshold: 10,
    maxPacketLossThreshold: 20,
    request: { hostname: "router.example.com", ipFamily: "IPv4", pingCount: 10, assertions: [] },
    created_at: "2026-11-15",
    updated_at: null,
    alertChannels: { email: [], webhook: [], slack: [], sms: [] },
  });
});

test("an update keeps omitted fields and sets its time", async () => {
  const id = await newCheck({ tags: ["edge"], frequency: 5, muted: true });
  app.clock.advance(1_000);
  const { status, body } = await update(id, { name: "Renamed", request: { pingCount: 3 } });
  assert.equal(status, 200);
  assert.equal(body.name, "Renamed");
  assert.deepEqual(body.tags, ["edge"]);
  assert.equal(body.frequency, 5);
  assert.equal(body.muted, true);
  assert.equal(body.request.hostname, "router.example.com");
  assert.equal(body.request.pingCount, 3);
  assert.equal(body.updated_at, app.clock.now().toISOString());
  assert.deepEqual((await app.call("GET", `/v1/checks/${id}`)).body, body);
});

test("null resets what the contract allows to be null", async () => {
  const group = await app.call("POST", "/v1/check-groups", { body: { name: "g" } });
  const id = await newCheck({
    locations: ["eu-west-1"],
    groupId: group.body.id,
    groupOrder: 2,
    runtimeId: "2024.09",
    retryStrategy: { type: "LINEAR" },
    request: { hostname: "::1", ipFamily: "IPv6", pingCount: 5 },
  });
  const { body } = await update(id, {
    locations: null,
    groupId: null,
    groupOrder: null,
    runtimeId: null,
    retryStrategy: null,
    request: { hostname: "127.0.0.1", ipFamily: null, pingCount: null },
  });
  assert.equal(body.locations, null);
  assert.equal(body.groupId, null);
  assert.equal(body.groupOrder, null);
  assert.equal(body.runtimeId, null);
  assert.equal(body.retryStrategy, null);
  assert.deepEqual(body.request, {
    hostname: "127.0.0.1",
    ipFamily: "IPv4",
    pingCount: 10,
    assertions: [],
  });
});

test("heartbeat and script are the only fields required by the update", async () => {
  const id = await newCheck();
  const path = `/v1/checks/icmp/${id}`;
  for (const [body, keys] of [
    [{}, ["heartbeat", "script"]],
    [{ heartbeat: {} }, ["script"]],
    [{ script: "" }, ["heartbeat"]],
    [{ heartbeat: "x", script: 1 }, ["heartbeat", "script"]],
  ] as const) {
    const answer = await app.call("PUT", path, { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.deepEqual([...answer.body.validation.keys].sort(), keys);
  }
  assert.equal((await app.call("PUT", path, { body: required })).status, 200);
});

test("fields that only the update accepts are stored and never shown", async () => {
  const id = await newCheck();
  const hidden = {
    heartbeat: { period: 1 },
    script: "console.log(1)",
    scriptPath: "a/b.ts",
    sslCheckDomain: "example.com",
    environmentVariables: [{ key: "TOKEN", value: "s3cr3t-value", secret: true, locked: false }],
    setupSnippetId: 3,
    tearDownSnippetId: null,
    localSetupScript: "x",
    localTearDownScript: null,
    degradedResponseTime: 100,
    maxResponseTime: 200,
  };
  const { status, body, text } = await app.call("PUT", `/v1/checks/icmp/${id}`, { body: hidden });
  assert.equal(status, 200);
  for (const name of Object.keys(hidden)) assert.equal(name in body, false, name);
  assert.equal(text.includes("s3cr3t-value"), false);
  assert.equal(app.logText().includes("s3cr3t-value"), false);
});

test("values of variables are encrypted in the database, secret or not", async () => {
  const id = await newCheck({
    environmentVariables: [
      { key: "TOKEN", value: "a-secret-in-the-database", secret: true },
      { key: "PLAIN", value: "not-secret" },
    ],
  });
  const { rows } = await app.query("select one::text from checks as one where id = $1", [id]);
  const stored = JSON.stringify(rows);
  assert.equal(stored.includes("a-secret-in-the-database"), false);
  assert.equal(stored.includes("not-secret"), false);
});

test("at most fifty environment variables are accepted", async () => {
  const variables = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ key: `K${index}`, value: "v" }));
  const id = await newCheck();
  assert.equal((await update(id, { environmentVariables: variables(50) })).status, 200);
  assert.equal((await update(id, { environmentVariables: variables(51) })).status, 400);
  assert.equal((await update(id, { environmentVariables: null })).status, 200);
});

test("an unknown check, and one that was deleted, is not found", async () => {
  const nowhere = "0199a1f0-0000-7000-8000-000000000000";
  assert.equal((await update(nowhere, {})).status, 404);
  const id = await newCheck();
  assert.equal((await app.call("DELETE", `/v1/checks/${id}`)).status, 204);
  assert.equal((await app.call("DELETE", `/v1/checks/${id}`)).status, 404);
  assert.equal((await app.call("GET", `/v1/checks/${id}`)).status, 404);
  assert.equal((await update(id, {})).status, 404);
});

test("autoAssignAlerts is a boolean", async () => {
  const id = await newCheck();
  assert.equal((await update(id, {}, "?autoAssignAlerts=false")).status, 200);
  const answer = await update(id, {}, "?autoAssignAlerts=maybe");
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.validation, { source: "querystring", keys: ["autoAssignAlerts"] });
});

test("bounds hold at, below and above each limit, and numbers are not text", async () => {
  const id = await newCheck();
  const cases: [string, Record<string, unknown>[], Record<string, unknown>[]][] = [
    [
      "degradedPacketLossThreshold",
      [0, 100].map((value) => ({ degradedPacketLossThreshold: value })),
      [-1, 101, 1.5, "10", null, true].map((value) => ({ degradedPacketLossThreshold: value })),
    ],
    [
      "maxPacketLossThreshold",
      [
        { maxPacketLossThreshold: 0 },
        { maxPacketLossThreshold: 1, degradedPacketLossThreshold: 9 },
      ],
      [{ maxPacketLossThreshold: 101 }, { maxPacketLossThreshold: 1e308 }],
    ],
    [
      "request.pingCount",
      [1, 50].map((value) => ({ request: { pingCount: value } })),
      [0, 51, 2.5, "5", -1].map((value) => ({ request: { pingCount: value } })),
    ],
    ["groupOrder", [{ groupOrder: 0 }], [{ groupOrder: -1 }, { groupOrder: "1" }]],
    [
      "frequency",
      frequencies.filter((value) => value > 0).map((value) => ({ frequency: value })),
      [3, 61, -1, 1441, "1", null].map((value) => ({ frequency: value })),
    ],
    [
      "degradedResponseTime",
      [0, 300_000, null].map((value) => ({ degradedResponseTime: value })),
      [-1, 300_001, "5"].map((value) => ({ degradedResponseTime: value })),
    ],
  ];
  for (const [key, good, bad] of cases) {
    for (const body of good) {
      const answer = await update(id, body);
      assert.equal(answer.status, 200, `${JSON.stringify(body)} ${answer.text}`);
    }
    for (const body of bad) {
      const answer = await update(id, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(answer.body.validation.keys, [key], JSON.stringify(body));
    }
  }
});

test("sub-minute runs need an offset of 10, 20 or 30 seconds", async () => {
  const id = await newCheck();
  for (const frequencyOffset of [10, 20, 30]) {
    const { status, body } = await update(id, { frequency: 0, frequencyOffset });
    assert.equal(status, 200);
    assert.equal(body.frequencyOffset, frequencyOffset);
  }
  assert.equal((await update(id, { frequency: 10 })).body.frequencyOffset, 30);
  assert.equal((await update(id, { frequency: 1 })).body.frequencyOffset, undefined);
  for (const frequencyOffset of [1, 15, 60, undefined]) {
    const answer = await update(await newCheck(), { frequency: 0, frequencyOffset });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body.validation.keys, ["frequencyOffset"]);
  }
});

test("the offset's upper bound follows the frequency, on both sides of an hour", () => {
  assert.equal(findOffsetFault(60, 600), null);
  assert.notEqual(findOffsetFault(60, 601), null);
  assert.equal(findOffsetFault(120, 2), null);
  assert.notEqual(findOffsetFault(120, 3), null);
  assert.equal(findOffsetFault(1440, 24), null);
  fc.assert(
    fc.property(
      fc.constantFrom(...frequencies),
      fc.integer({ min: -5, max: 2_000 }),
      (f, offset) => {
        const isRight =
          f === 0
            ? [10, 20, 30].includes(offset)
            : offset >= 1 && offset <= (f <= 60 ? Math.floor(f * 10) : Math.ceil(f / 60));
        assert.equal(findOffsetFault(f, offset) === null, isRight);
      },
    ),
  );
});

test("invalid hosts are rejected with the field name", async () => {
  const bad = [
    "",
    "x".repeat(254),
    "a b",
    "a\nb",
    "-c",
    "--help",
    "; id",
    "`id`",
    "$(id)",
    "a%0ab",
    "[::1]",
    "fe80::1%eth0",
    "1.2.3.4:80",
    "http://x/",
    "user@host",
    "2130706433",
    "0177.1",
    "0x7f.1",
    "0.0.0.0",
    "255.255.255.255",
    "224.0.0.1",
    "::ffff:127.0.0.1",
  ];
  for (const hostname of bad) {
    const answer = await create({ name: "x", request: { hostname } });
    assert.equal(answer.status, 400, hostname);
    assert.deepEqual(answer.body.validation.keys, ["request.hostname"], hostname);
  }
  for (const hostname of ["localhost", "example.com.", "bücher.example", "10.1.2.3"]) {
    assert.equal((await create({ name: "x", request: { hostname } })).status, 201, hostname);
  }
  const family = await create({ name: "x", request: { hostname: "2001:db8::1" } });
  assert.deepEqual(family.body.validation.keys, ["request.ipFamily"]);
});

test("assertions that could never be evaluated are rejected with their index", async () => {
  const assertions = [
    { source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "200" },
    { source: "LATENCY", property: "p95", comparison: "LESS_THAN", target: "200" },
    { source: "JSON_RESPONSE", property: "$.[", comparison: "EQUALS", target: "1" },
    { source: "JSON_RESPONSE", property: "$.packetLoss", comparison: "LESS_THAN", target: "x" },
  ];
  const answer = await create({ name: "x", request: { hostname: "localhost", assertions } });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.validation.keys, [
    "request.assertions.1.property",
    "request.assertions.2.property",
    "request.assertions.3.target",
  ]);
});

test("what a check refers to must exist in the account", async () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ groupId: 999_999 }, "groupId"],
    [
      { alertChannelSubscriptions: [{ alertChannelId: 7, activated: true }] },
      "alertChannelSubscriptions.0.alertChannelId",
    ],
    [
      {
        triggerIncident: {
          serviceId: "0199a1f0-0000-7000-8000-000000000000",
          name: "n",
          description: "d",
          notifySubscribers: false,
        },
      },
      "triggerIncident.serviceId",
    ],
    [{ locations: [] }, "locations"],
    [{ locations: ["mars-1"] }, "locations.0"],
    [{ runtimeId: "1999.01" }, "runtimeId"],
  ];
  for (const [more, key] of cases) {
    const answer = await create({ ...minimal, ...more });
    assert.equal(answer.status, 400, key);
    assert.ok(answer.body.validation.keys.includes(key), answer.text);
  }
  const office = { name: "Office", slugName: "office" };
  await app.call("POST", "/v1/private-locations", { body: office });
  const own = await create({ ...minimal, locations: [], privateLocations: ["office"] });
  assert.equal(own.status, 201);
});

test("the snippets of a check or group must exist when they are chosen", async () => {
  const request = { method: "GET", url: "https://api.example.com" };
  const api = { name: "Api", activated: false, request };
  const sent = { name: "sign-in", script: "1" };
  const { body: snippet } = await app.call("POST", "/v1/snippets", { body: sent });
  for (const [path, body] of [
    ["/v1/checks/api", api],
    ["/v1/check-groups", { name: "Group" }],
  ] as const) {
    const unknown = { ...body, setupSnippetId: snippet.id, tearDownSnippetId: 999_999 };
    const answer = await app.call("POST", path, { body: unknown });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body.validation.keys, ["tearDownSnippetId"]);
    for (const setupSnippetId of [0, 1.5]) {
      const answer = await app.call("POST", path, { body: { ...body, setupSnippetId } });
      assert.equal(answer.status, 400, answer.text);
    }
    const known = { ...body, setupSnippetId: snippet.id };
    const made = await app.call("POST", path, { body: known });
    assert.equal(made.status, 201, made.text);
    const own = `${path}/${made.body.id}`;
    const other = await app.call("PUT", own, { body: { setupSnippetId: 999_999 } });
    assert.equal(other.status, 400, other.text);
    await app.query("delete from snippets where id = $1", [snippet.id]);
    const renamed = await app.call("PUT", own, { body: { ...known, name: "Other" } });
    assert.equal(renamed.status, 200, "a snippet deleted later stays");
    await app.query(
      `insert into snippets (id, account_id, name, script, created_at) overriding system value
        values ($1, $2, 'sign-in', '1', now())`,
      [snippet.id, app.owner.accountId],
    );
  }
});

test("alert settings and a retry strategy are completed with their defaults", async () => {
  const { body } = await create({
    ...minimal,
    alertSettings: { reminders: {}, runBasedEscalation: {} },
    retryStrategy: { maxRetries: 3 },
  });
  assert.equal(body.alertSettings.reminders.interval, 5);
  assert.equal(body.alertSettings.escalationType, "RUN_BASED");
  assert.deepEqual(body.retryStrategy, {
    type: "FIXED",
    baseBackoffSeconds: 60,
    sameRegion: true,
    maxRetries: 3,
    maxDurationSeconds: 600,
    onlyOn: [],
  });
});

test("no concurrent update is lost", async () => {
  const id = await newCheck();
  await Promise.all([update(id, { name: "both" }), update(id, { tags: ["kept"] })]);
  const { body } = await app.call("GET", `/v1/checks/${id}`);
  assert.equal(body.name, "both");
  assert.deepEqual(body.tags, ["kept"]);
});
