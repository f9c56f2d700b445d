import assert from "node:assert/strict";
import { test } from "node:test";
import { addStranger } from "../../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../../test/support/apps/shared-app.ts";
import { assertGolden, withFiles } from "../../../../../test/support/imports/golden.ts";
import { UnreadableFile } from "../../reading.ts";
import { readCheckly } from "./index.ts";

const read = (contents: Readonly<Record<string, unknown>>) => {
  const texts = Object.entries(contents).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return withFiles(Object.fromEntries(texts), (files) =>
    readCheckly(files, { allowPrivate: false }),
  );
};

const uuid = (digit: number) => `${digit}1365bce-8da9-4729-8ff3-aaa71d56b712`;
const dates = { created_at: "2026-01-02T03:04:05.000Z", updated_at: null };
const shared = {
  ...{ ...dates, activated: true, muted: false, doubleCheck: false, shouldFail: false },
  ...{ locations: ["eu-west-1"], privateLocations: [], tags: ["prod"], frequency: 5 },
  ...{ useGlobalAlertSettings: true, runtimeId: "2025.04", groupOrder: 0 },
};
const checks = [
  {
    ...shared,
    ...{
      id: uuid(1),
      name: "Shop",
      checkType: "API",
      groupId: 7,
      frequency: 0,
      frequencyOffset: 30,
    },
    request: {
      ...{
        method: "POST",
        url: "https://shop.example.com/x",
        followRedirects: true,
        skipSSL: false,
      },
      ...{ bodyType: "JSON", body: '{"a":1}', queryParameters: [], ipFamily: "IPv4" },
      headers: [
        { key: "X-Trace", value: "1", locked: false },
        { key: "X-Api-Key", value: "checkly-header-secret", locked: true },
        { key: "X-Masked", value: "****", locked: true },
      ],
      basicAuth: { username: "u", password: "checkly-basic-secret" },
      assertions: [
        { source: "STATUS_CODE", comparison: "EQUALS", property: "", target: "200", order: 1 },
      ],
    },
    ...{ degradedResponseTime: 5_000, maxResponseTime: 10_000, setupSnippetId: 3 },
    localSetupScript: "console.log(1)",
    environmentVariables: [
      { key: "PLAIN", value: "v", locked: false },
      { key: "HIDDEN", value: "", secret: true },
    ],
    alertChannelSubscriptions: [
      { alertChannelId: 11, activated: true },
      { alertChannelId: 12, activated: false },
    ],
    triggerIncident: {
      ...{ serviceId: uuid(8), severity: "MAJOR", name: "Down", description: "d" },
      notifySubscribers: true,
    },
  },
  {
    ...shared,
    ...{ id: uuid(2), name: "Job", checkType: "HEARTBEAT", groupId: null },
    heartbeat: {
      ...{ period: 30, periodUnit: "minutes", grace: 5, graceUnit: "minutes" },
      ...{ pingToken: uuid(0), pingUrl: `https://ping.example.com/${uuid(0)}` },
    },
  },
  {
    ...shared,
    ...{ id: uuid(3), name: "Ping", checkType: "ICMP", groupId: 99 },
    request: { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 5, assertions: [] },
    ...{ degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
  },
  { ...shared, id: uuid(4), name: "Login", checkType: "BROWSER", script: "x", groupId: null },
  { ...shared, id: uuid(5), name: "Route", checkType: "AGENTIC", request: { url: "a" } },
  {
    ...shared,
    ...{ id: "11111111-1111-4111-8111-111111111111", name: "Chain", checkType: "MULTI_STEP" },
    ...{ groupId: null, script: "fetch('https://api.example.com')", dependencies: null },
    ...{ runtimeId: "2024.09", frequency: 10 },
    environmentVariables: [{ key: "STAGE", value: "live", locked: false, secret: false }],
  },
];
const groups = [
  {
    ...{ ...dates, id: 7, name: "Main", activated: true, muted: false, tags: [], concurrency: 3 },
    ...{ locations: ["eu-west-1"], privateLocations: ["lab"], runParallel: true },
    apiCheckDefaults: { url: "", headers: [], queryParameters: [], assertions: [], basicAuth: {} },
    alertChannelSubscriptions: [{ alertChannelId: 12, activated: true }],
    environmentVariables: [],
  },
];
const channel = { ...dates, sendRecovery: true, sendFailure: true, sendDegraded: false };
const channels = [
  { ...channel, id: 11, type: "EMAIL", config: { address: "ops@example.com" }, sslExpiry: true },
  {
    ...{ ...channel, id: 12, type: "SLACK" },
    config: { url: "https://hooks.example.com/checkly-slack-secret", channel: "#ops" },
  },
  { ...channel, id: 13, type: "PIGEON", config: { name: "Coop" } },
];
const pages = {
  length: 1,
  entries: [
    {
      ...{ ...dates, id: uuid(6), name: "Status", url: "shop-status", defaultTheme: "DARK" },
      customDomain: "status.example.com",
      cards: [
        {
          id: uuid(7),
          name: "Core",
          services: [
            { id: uuid(8), name: "API", ...dates },
            { id: uuid(9), name: "Web", ...dates },
          ],
        },
      ],
    },
    { id: uuid(1), name: "New page", url: "new", defaultTheme: "AUTO", version: 3 },
  ],
  nextId: null,
};
const files = {
  "checks-1.json": checks.slice(0, 2),
  "checks-2.json": checks.slice(2),
  "groups.json": groups,
  "channels.json": channels,
  "pages.json": pages,
  "services.json": { length: 1, entries: [{ id: uuid(8), name: "API", ...dates }], nextId: null },
  "rest.json": {
    windows: [
      {
        ...{ ...dates, id: 5, name: "Weekly", tags: ["prod"], repeatInterval: 1 },
        ...{ startsAt: "2026-12-01T02:00:00.000Z", endsAt: "2026-12-01T04:00:00.000Z" },
        ...{ repeatUnit: "WEEK", repeatEndsAt: "2027-12-01T00:00:00.000Z" },
      },
    ],
    dashboards: [{ id: 2, dashboardId: "abc", customUrl: "wall", header: "Wall", tags: [] }],
    locations: [{ id: uuid(1), name: "Lab", slugName: "lab", icon: "location", keys: [] }],
    variables: [{ key: "TOKEN", value: "checkly-variable-secret", locked: true }],
    snippets: [{ id: 3, name: "Sign in", script: "1" }],
  },
};

test("answers of the lists become resources with their references, and a report", async () => {
  const { report, resources } = await read(files);
  assertGolden("checkly", { report, resources });
  assert.doesNotMatch(JSON.stringify(report), /checkly-[a-z]+-secret|01365bce/);
  assert.match(JSON.stringify(resources), /checkly-basic-secret/);
});

test("malformed and hostile files are rejected with a reason", async () => {
  const cases: readonly [Readonly<Record<string, unknown>>, RegExp][] = [
    [{ "a.json": "" }, /a\.json is not valid JSON/],
    [{ "main.check.ts": "new ApiCheck('x', {})" }, /deploy it here/],
    [{ "a.json": { statusCode: 401, message: "Bad Token" } }, /contains no list/],
    [{ "a.json": [] }, /no checks, groups or alert channels/],
    [{ "a.json": [7] }, /unknown entry/],
    [{ "a.json": [{ checkType: null }, "x"] }, /unknown entry/],
    [{ "a.json": `[${"1,".repeat(500_001)}1]` }, /too many values/],
    [{ "a.json": `${"[".repeat(100_000)}${"]".repeat(100_000)}` }, /unknown entry|not valid JSON/],
  ];
  for (const [contents, reason] of cases) {
    await assert.rejects(
      () => read(contents),
      (error) => error instanceof UnreadableFile && reason.test(error.message),
      String(reason),
    );
  }
});

test("keys of prototypes and wrong types do no harm", async () => {
  const text = `[{"checkType": {"a": 1}, "id": ["x"], "name": {}},
    {"checkType": "__proto__", "id": "${uuid(1)}", "name": "P"},
    {"checkType": "TCP", "id": "${uuid(2)}", "name": "T", "__proto__": {"activated": false},
     "constructor": 1, "request": {"hostname": "a.example.com", "port": 22}, "groupId": {"ref": "x"}}]`;
  const { report } = await read({ "a.json": text });
  assert.deepEqual(
    [report.imported.map(({ name }) => name), report.leftOut.map(({ name }) => name)],
    [["T"], ["Check", "P"]],
  );
});

test("what this product lists moves into another account as it is", async (t) => {
  const app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  t.after(() => app.stop());
  const post = async (path: string, body: object) => {
    const answer = await app.call("POST", path, { body });
    assert.ok([200, 201].includes(answer.status), answer.text);
    return answer.body;
  };
  const { id: channelId } = await post("/v1/alert-channels", {
    type: "EMAIL",
    config: { address: "ops@example.com" },
  });
  const subscriptions = [{ alertChannelId: channelId, activated: true }];
  const { id: groupId } = await post("/v1/check-groups", {
    ...{ name: "Main", concurrency: 2, alertChannelSubscriptions: subscriptions },
  });
  const { id: serviceId } = await post("/v1/status-pages/services", { name: "API" });
  const texts = { name: "Down", description: "It is down" };
  const incident = {
    triggerIncident: { ...texts, serviceId, severity: "MAJOR", notifySubscribers: true },
  };
  const targets = [
    { checkType: "ICMP", request: { hostname: "192.0.2.1" } },
    { checkType: "TCP", request: { hostname: "a.example.com", port: 22 } },
    { checkType: "URL", request: { url: "https://a.example.com" } },
    { checkType: "DNS", request: { query: "a.example.com", recordType: "A" } },
    { checkType: "SSL", request: { sslConfig: { hostname: "a.example.com" } } },
    {
      checkType: "HEARTBEAT",
      heartbeat: { period: 1, periodUnit: "hours", grace: 1, graceUnit: "minutes" },
    },
    {
      checkType: "API",
      request: { url: "https://a.example.com", method: "POST", bodyType: "JSON", body: "{}" },
    },
  ];
  for (const target of targets) {
    const name = `${target.checkType} check`;
    const fields = { groupId, tags: ["x"], alertChannelSubscriptions: subscriptions };
    await post("/v1/checks", { name, ...fields, ...incident, ...target });
  }
  const paths = ["checks?limit=100", "check-groups", "alert-channels", "status-pages/services"];
  const lists = await Promise.all(paths.map((path) => app.call("GET", `/v1/${path}`)));
  const stranger = await addStranger(app);
  const theirs = { key: stranger.key, account: stranger.accountId };
  // The token of a heartbeat exists once per server.
  const contents = lists.map(({ text }) => text.replaceAll(/"pingToken":"[^"]*",?/g, ""));
  const body = { files: contents.map((content, at) => ({ name: `${at}.json`, content })) };
  const preview = await app.call("POST", "/v1/imports/preview?source=checkly", { ...theirs, body });
  assert.equal(preview.status, 201, preview.text);
  assert.deepEqual(preview.body.report.leftOut, []);
  const run = await app.call("POST", `/v1/imports/${preview.body.id}/run`, { ...theirs, body: {} });
  assert.equal(run.body.outcome?.created, targets.length + 3, run.text);
  const { body: moved } = await app.call("GET", "/v1/checks?limit=100", theirs);
  const comparable = (all: readonly Record<string, unknown>[]) =>
    all
      .map(
        ({
          id,
          created_at,
          updated_at,
          groupId,
          alertChannelSubscriptions,
          heartbeat,
          triggerIncident,
          ...rest
        }) => ({
          ...rest,
          isGrouped: groupId !== null,
          triggerIncident: { ...(triggerIncident as object), serviceId: null },
          channels: (alertChannelSubscriptions as unknown[]).length,
        }),
      )
      .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  assert.deepEqual(comparable(moved), comparable(lists[0]?.body));
  const { body: movedGroups } = await app.call("GET", "/v1/check-groups", theirs);
  assert.equal(movedGroups[0].alertChannelSubscriptions.length, 1);
});

test("a suite is left out, because its code is not part of the files", async () => {
  const suite = { ...shared, id: uuid(6), name: "Suite", checkType: "PLAYWRIGHT" };
  const { report } = await read({ "checks.json": [{ ...suite, codeBundlePath: "bundle/1" }] });
  const [leftOut] = report.leftOut;
  assert.deepEqual([leftOut?.name, report.imported], ["Suite", []]);
  assert.match(JSON.stringify(leftOut), /Its code is not part of the files/);
});
