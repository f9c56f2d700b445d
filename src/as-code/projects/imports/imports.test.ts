import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import {
  createProjectCalls,
  type Entry,
  one,
  ref,
} from "../../../../test/support/modules/projects.ts";
import { keepFields, omitFields } from "../kept-fields.ts";
import {
  hasConstruct,
  isIncluded,
  listAssignments,
  nameResources,
  nameSubscription,
  simplifyPayload,
} from "./importable.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const { preview, deploy } = createProjectCalls(() => app);

interface Offered {
  readonly type: string;
  readonly logicalId: string;
  readonly physicalId: string | number;
  readonly payload: Record<string, unknown>;
}

const post = (path: string, body?: object) =>
  app.call("POST", path, body === undefined ? {} : { body });

test("the last filter that matches a resource decides", () => {
  const check = { type: "check", physicalId: "1" } as const;
  assert.equal(isIncluded(check, []), true);
  const onlyGroups = [
    { type: "exclude" },
    { type: "include", resource: { type: "check-group" } },
  ] as const;
  assert.equal(isIncluded(check, onlyGroups), false);
  assert.equal(isIncluded({ type: "check-group", physicalId: "1" }, onlyGroups), true);
  const onlyOne = [{ type: "exclude" }, { type: "include", resource: { physicalId: 1 } }] as const;
  assert.equal(isIncluded(check, onlyOne), true);
});

test("equal names are numbered, and every name is a valid logical id", () => {
  const names = nameResources([
    { type: "check", physicalId: "a", shown: { name: "Router (main)" } },
    { type: "check", physicalId: "b", shown: { name: "Router main!" } },
    { type: "check", physicalId: "c", shown: { name: "→" } },
    { type: "alert-channel", physicalId: "7", shown: { config: { address: "ops@example.test" } } },
  ]);
  assert.deepEqual(
    [...names.values()],
    ["router-main", "router-main-2", "check-c", "ops-example-test"],
  );
});

test("an import leaves out what the client rejects in its own code", () => {
  const retryStrategy = { type: "LINEAR", onlyOn: [] };
  assert.deepEqual(simplifyPayload({ name: "a", retryStrategy }), {
    name: "a",
    retryStrategy: { type: "LINEAR" },
  });
  const whole = { retryStrategy: null };
  assert.deepEqual(simplifyPayload(whole), whole);
  assert.deepEqual(
    simplifyPayload({
      config: { url: "https://api.telegram.org/********", webhookType: "WEBHOOK_TELEGRAM" },
      useGlobalAlertSettings: true,
      alertSettings: {},
    }),
    {
      config: { url: "https://api.telegram.org/********" },
      useGlobalAlertSettings: true,
    },
  );
});

test("an import leaves out fields of checks that the client does not support", () => {
  const script = { checkType: "BROWSER", name: "Home", script: "1" };
  const browser = { ...script, webVitalBudgets: { LCP: { degraded: 2_500 } }, snapshots: [] };
  assert.deepEqual(simplifyPayload(browser), script);
  const request = { query: "example.test", nameServer: null, port: 53, ipFamily: null };
  const dns = { checkType: "DNS", name: "Zone", request };
  assert.deepEqual(simplifyPayload(dns), {
    ...{ checkType: "DNS", name: "Zone" },
    request: { query: "example.test", nameServer: null },
  });
  const trace = { checkType: "TRACEROUTE", name: "Path", request: { url: "a.test" } };
  const sized = { ...trace, request: { ...trace.request, packetSize: 1_400 } };
  assert.deepEqual(simplifyPayload(sized), trace);
});

test("a channel for which the client has no code is referred to by its id", () => {
  const discord = { type: "alert-channel", shown: { type: "DISCORD" } } as const;
  assert.equal(hasConstruct(discord), false);
  assert.equal(hasConstruct({ type: "check", shown: {} }), true);
  const names = new Map([["check c", "ping"]]);
  const shown = { alertChannelId: 7, checkId: "c", groupId: null, activated: true };
  const name = "check-alert-channel-subscription#ping#alert-channel-7";
  assert.equal(nameSubscription(shown, names), name);
  // Code could only activate it.
  assert.equal(nameSubscription({ ...shown, activated: false }, names), null);
  const check = { type: "check", physicalId: "c", shown: { privateLocations: ["lab", "gone"] } };
  const [lab, ...others] = listAssignments(
    [check as Parameters<typeof listAssignments>[0][number]],
    [{ id: "l", slugName: "lab" }],
    names,
  );
  assert.equal(lab?.logicalId, "private-location-check-assignment#ping#private-location-l");
  assert.deepEqual(others, []);
});

test("a field that the code never set keeps its stored value", () => {
  const stored = { type: "WEBHOOK", digest: true, config: { url: "u", webhookType: "T" } };
  const payload = { type: "WEBHOOK", config: { url: "v" } };
  const first = keepFields(payload, stored, null);
  assert.deepEqual(first.payload, { ...stored, config: { url: "v", webhookType: "T" } });
  const deployed = omitFields(first.payload, first.keptPaths);
  assert.deepEqual(deployed, payload);
  assert.deepEqual(keepFields(payload, stored, deployed), first);
  // The code set it at the last deployment and no longer does: it gets its default.
  const removed = keepFields(payload, stored, { ...deployed, digest: true });
  assert.deepEqual(removed.payload, { ...payload, config: { url: "v", webhookType: "T" } });
  const other = { type: "EMAIL", config: { address: "a" } };
  assert.deepEqual(keepFields(other, stored, null).payload, other);
});

test("an import offers what no project owns, and the project adopts it", async () => {
  const group = await post("/v1/check-groups", { name: "Group" });
  const config = { address: "ops@example.test" };
  const channel = await post("/v1/alert-channels", { type: "EMAIL", config });
  const alertChannelSubscriptions = [{ alertChannelId: channel.body.id, activated: true }];
  const body = { name: "Ping", request: { hostname: "192.0.2.1" }, groupId: group.body.id };
  const check = await post("/v1/checks/icmp", { ...body, alertChannelSubscriptions });
  assert.equal((await post("/next/projects/p/imports", {})).status, 404);
  const created = await post("/next/projects", { name: "P", logicalId: "p" });
  assert.equal(created.status, 201, created.text);
  assert.equal((await post("/next/projects", { name: "P", logicalId: "p" })).status, 409);
  const none = await post("/next/projects/p/imports", { filters: [{ type: "exclude" }] });
  assert.match(none.body.message, /No importable resources were found/);

  const plan = await post("/next/projects/p/imports", {});
  assert.equal(plan.status, 201, plan.text);
  const offered: readonly Offered[] = plan.body.changes.resources;
  const ping = offered.find(({ type }) => type === "check");
  assert.equal(ping?.physicalId, check.body.id);
  assert.deepEqual([ping?.payload.id, ping?.payload.groupId], [check.body.id, group.body.id]);
  const names = offered.map(({ logicalId }) => logicalId);
  assert.ok(names.includes("check-alert-channel-subscription#ping#ops-example-test"), `${names}`);

  const steps = `/next/projects/imports/${plan.body.id}`;
  assert.equal((await post(`${steps}/commit`)).status, 403);
  assert.equal((await post(`${steps}/apply`)).status, 204);
  assert.equal((await post(`${steps}/apply`)).status, 403);
  const open = "/next/projects/p/imports?onlyUnapplied=false&onlyUncommitted=true";
  assert.equal((await app.call("GET", open)).body.length, 1);
  assert.equal((await post(`${steps}/commit`)).status, 204);
  assert.equal((await app.call("GET", open)).body.length, 0);
  assert.equal((await app.call("DELETE", steps)).status, 403);

  const resources = [
    one("check-group", "group", { name: "Group" }),
    one("check", "ping", {
      checkType: "ICMP",
      name: "Ping",
      groupId: ref("group"),
      request: { hostname: "192.0.2.1" },
    }),
  ];
  const diff = (await preview("p", resources)).diff as Offered[];
  const planned = diff.find(({ logicalId }) => logicalId === "ping");
  assert.equal(planned?.physicalId, check.body.id);
  const { status } = await deploy("p", resources, "&preserveResources=true");
  assert.equal(status, "SUCCEEDED");
  assert.equal((await app.call("GET", `/v1/checks/${check.body.id}`)).status, 200);
});

test("a cancelled import releases what it adopted", async () => {
  await post("/v1/check-groups", { name: "Another" });
  await post("/next/projects", { name: "Q", logicalId: "q" });
  const plan = await post("/next/projects/q/imports", {});
  await post(`/next/projects/imports/${plan.body.id}/apply`);
  const path = "/v1/projects/resources?project=q";
  assert.notEqual((await app.call("GET", path)).body.length, 0);
  assert.equal((await app.call("DELETE", `/next/projects/imports/${plan.body.id}`)).status, 204);
  assert.deepEqual((await app.call("GET", path)).body, []);
});

async function importAll(logicalId: string) {
  await post("/next/projects", { name: logicalId, logicalId });
  const plan = await post(`/next/projects/${logicalId}/imports`, {});
  assert.equal(plan.status, 201, plan.text);
  const steps = `/next/projects/imports/${plan.body.id}`;
  assert.equal((await post(`${steps}/apply`)).status, 204);
  return { steps, offered: plan.body.changes.resources as readonly Offered[] };
}

test("code that is older than an import deletes nothing until the import is committed", async () => {
  const group = await post("/v1/check-groups", { name: "Safe" });
  const { steps } = await importAll("r");
  const path = `/v1/check-groups/${group.body.id}`;
  assert.deepEqual((await preview("r", [])).diff, []);
  assert.equal((await deploy("r", [])).status, "SUCCEEDED");
  assert.equal((await app.call("GET", path)).status, 200);
  assert.equal((await post(`${steps}/commit`)).status, 204);
  assert.equal((await deploy("r", [])).status, "SUCCEEDED");
  assert.equal((await app.call("GET", path)).status, 404);
});

const secretCheck = (secret: string, more: object = {}) => ({
  name: "Secretive",
  request: {
    method: "GET",
    url: "https://api.example.test/x",
    headers: [{ key: "H", value: `${secret}`, locked: true }],
    basicAuth: { username: "u", password: secret },
    ...more,
  },
  environmentVariables: [
    { key: "LOCKED", value: secret, locked: true },
    { key: "SECRET", value: secret, secret: true },
  ],
});
const secretGroup = (secret: string) => ({
  name: "Secretive group",
  apiCheckDefaults: {
    url: "https://api.example.test",
    headers: [{ key: "H", value: secret, locked: true }],
    queryParameters: [],
    basicAuth: { username: "u", password: secret },
    assertions: [],
  },
  environmentVariables: [{ key: "LOCKED", value: secret, locked: true }],
});
const secretHook = (secret: string) => ({
  type: "WEBHOOK",
  config: {
    name: "Secretive hook",
    url: "https://hooks.example.test/x",
    method: "POST",
    headers: [{ key: "Authorization", value: secret, locked: true }],
    queryParameters: [],
    webhookSecret: secret,
  },
});
const mask = "********";

function describeAll(secret: string, more: object = {}) {
  const check = secretCheck(secret, more);
  return [
    one("check-group", "secretive-group", secretGroup(secret)),
    one("check", "secretive", { ...check, checkType: "API", description: null, groupId: null }),
    one("alert-channel", "secretive-hook", secretHook(secret)),
  ];
}

test("a mask in the code of an import keeps the stored secret, also beside a change", async () => {
  await post("/v1/checks/api", secretCheck("s3cret"));
  await post("/v1/check-groups", secretGroup("s3cret"));
  await post("/v1/alert-channels", secretHook("s3cret"));
  const { steps, offered } = await importAll("s");
  await post(`${steps}/commit`);
  assert.ok(!JSON.stringify(offered).includes("s3cret"));
  const listChanges = async (secret: string, more: object = {}) => {
    const { diff } = await preview("s", describeAll(secret, more), "?detail=full");
    return (diff as Entry[]).filter(({ logicalId }) => logicalId.startsWith("secretive"));
  };
  const diff = await listChanges(mask);
  assert.deepEqual(
    diff.map(({ logicalId, changes }) => [logicalId, changes]),
    [
      ["secretive-group", []],
      ["secretive", []],
      ["secretive-hook", []],
    ],
  );
  const method = { method: "POST" };
  const { status } = await deploy("s", describeAll(mask, method), "&preserveResources=true");
  assert.equal(status, "SUCCEEDED");
  // The comparison is with the decrypted values.
  const same = await listChanges("s3cret", method);
  assert.ok(
    same.every(({ action }) => action === "UNCHANGED"),
    JSON.stringify(same),
  );
  const other = await listChanges("another");
  assert.ok(
    other.every(({ action }) => action === "UPDATE"),
    JSON.stringify(other),
  );
});

test("a mask does not send stored secrets to another server", async () => {
  const elsewhere = describeAll(mask, { url: "https://elsewhere.example.test/x" });
  const { status, error } = await deploy("s", elsewhere, "&preserveResources=true");
  assert.equal(status, "FAILED");
  assert.match(error?.message ?? "", /check "secretive"/);
  const group = one("check-group", "new-group", secretGroup(mask));
  const unknown = await deploy("s", [group], "&preserveResources=true");
  assert.equal(unknown.status, "FAILED");
});
