import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { createProjectCalls, one, ref } from "../../../../test/support/modules/projects.ts";
import { isIncluded, nameResources, simplifyPayload } from "./importable.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
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
