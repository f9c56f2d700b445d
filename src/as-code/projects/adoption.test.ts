import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  createProjectCalls,
  findEntry,
  one,
  type Resource,
  ref,
  toBody,
} from "../../../test/support/modules/projects.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const { post, preview, deploy, complete } = createProjectCalls(() => app);

const payload = { checkType: "ICMP", name: "Ping", request: { hostname: "192.0.2.1" } };

async function createCheck(body: object = {}): Promise<string> {
  const answer = await post("/v1/checks/icmp", { ...payload, ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

const adopt = (physicalId: unknown, fields: object = {}): Resource => ({
  ...one("check", "ping", { ...payload, ...fields }),
  physicalId,
});

async function assertRejected(project: string, resources: readonly Resource[], rule: RegExp) {
  for (const path of ["/v1/projects/preview", "/v1/projects/deploy"]) {
    const answer = await post(path, toBody(project, resources));
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.message, rule);
  }
  assert.equal((await app.call("GET", `/v1/projects/${project}`)).status, 404);
}

test("an object that belongs to a project, is gone or is named twice is rejected by its name", async () => {
  const id = await createCheck();
  assert.equal((await deploy("first", [adopt(id)])).status, "SUCCEEDED");
  await assertRejected(
    "second",
    [adopt(id)],
    /check "ping": physicalId belongs to the project "first" as "ping"/,
  );
  const gone = await createCheck();
  await app.call("DELETE", `/v1/checks/${gone}`);
  for (const missing of [gone, randomUUID(), "x", 7]) {
    await assertRejected("second", [adopt(missing)], /physicalId does not exist in this account;/);
  }
  const free = await createCheck();
  const again = { ...adopt(free), logicalId: "again" };
  await assertRejected("second", [adopt(free), again], /physicalId is also that of "ping"/);
  const other = { ...adopt(free), payload: { ...payload, checkType: "TCP" } };
  const request = { hostname: "192.0.2.1", port: 80 };
  await assertRejected(
    "second",
    [{ ...other, payload: { ...other.payload, request } }],
    /physicalId is an object that cannot be changed into this resource/,
  );
});

test("an adopted check gets only the changes that the plan shows, and keeps its history", async () => {
  const id = await createCheck({ muted: true });
  const resources = [adopt(id, { frequency: 5 })];
  const { diff } = await preview("changes", resources);
  const entry = findEntry(diff, "ping");
  assert.deepEqual(
    [entry.action, entry.physicalId, entry.changes.map(({ path }) => path).sort()],
    ["ADOPT", id, ["/frequency", "/muted"]],
  );
  assert.equal((await deploy("changes", resources)).status, "SUCCEEDED");
  const { body } = await app.call("GET", `/v1/checks/${id}`);
  assert.deepEqual([body.frequency, body.muted], [5, false]);
  // Files may keep the id: it has no effect once the project owns the check.
  assert.equal(findEntry((await preview("changes", resources)).diff, "ping").action, "UNCHANGED");
  await app.call("DELETE", `/v1/checks/${id}`);
  assert.equal(findEntry((await preview("changes", resources)).diff, "ping").action, "CREATE");
  assert.equal((await deploy("changes", resources)).status, "SUCCEEDED");
  assert.equal(findEntry((await preview("changes", resources)).diff, "ping").action, "UNCHANGED");
});

test("subscriptions and private locations are adopted with their check", async () => {
  const channel = await post("/v1/alert-channels", {
    ...{ type: "EMAIL", config: { address: "ops@example.test" } },
  });
  const place = await post("/v1/private-locations", { name: "Lab", slugName: "lab-adopt" });
  const id = await createCheck({
    privateLocations: ["lab-adopt"],
    alertChannelSubscriptions: [{ alertChannelId: channel.body.id, activated: true }],
  });
  const external = (type: string, logicalId: string, physicalId: unknown): Resource => {
    return { type, logicalId, physicalId, member: false, payload: null };
  };
  const subscription = { alertChannelId: ref("ops"), checkId: ref("ping"), activated: true };
  const resources = [
    external("alert-channel", "ops", channel.body.id),
    external("private-location", "lab", place.body.id),
    adopt(id),
    one("alert-channel-subscription", "ping#ops", subscription),
    one("private-location-check-assignment", "ping#lab", {
      ...{ privateLocationId: ref("lab"), checkId: ref("ping") },
    }),
  ];
  const { diff } = await preview("relations", resources);
  assert.deepEqual(
    diff.map(({ logicalId, action, changes }: Record<string, unknown[]>) => {
      return [logicalId, action, changes?.length];
    }),
    [
      ["ping", "ADOPT", 0],
      ["ping#ops", "ADOPT", 0],
      ["ping#lab", "ADOPT", 0],
    ],
  );
  const seen = await app.call("GET", `/v1/checks/${id}`);
  assert.equal((await deploy("relations", resources)).status, "SUCCEEDED");
  assert.deepEqual((await app.call("GET", `/v1/checks/${id}`)).body, seen.body);
  const fewer = await deploy("relations", resources.slice(0, 3));
  assert.equal(fewer.status, "SUCCEEDED");
  const { body } = await app.call("GET", `/v1/checks/${id}`);
  assert.deepEqual([body.privateLocations ?? [], body.alertChannelSubscriptions], [[], []]);
});

test("a deployment fails if the object changed after the plan, or if another project took it", async () => {
  const id = await createCheck();
  const { planToken } = await preview("late", [adopt(id)]);
  await app.call("PUT", `/v1/checks/${id}`, { body: { muted: true } });
  const stale = await deploy("late", [adopt(id)], `&planToken=${encodeURIComponent(planToken)}`);
  assert.deepEqual([stale.status, stale.error.code], ["FAILED", "PLAN_STALE"]);
  const started = await Promise.all(
    ["one", "two"].map((name) =>
      post("/v1/projects/deploy", toBody(`race-${name}`, [adopt(id, { muted: true })])),
    ),
  );
  const ends = await Promise.all(
    started.map(async ({ status, body }, index) =>
      status === 202
        ? (await complete(["race-one", "race-two"][index] ?? "", body.id)).status
        : status,
    ),
  );
  assert.equal(ends.filter((end) => end === "SUCCEEDED").length, 1, ends.join());
  assert.equal((await app.call("GET", `/v1/checks/${id}`)).body.muted, true);
});

test("an export to adopt names what other projects own as external", async () => {
  const group = one("check-group", "core", { name: "Core" });
  const { result } = await deploy("owner", [group]);
  const groupId = findEntry(result.diff, "core").physicalId;
  const id = await createCheck({ name: "In the group", groupId });
  const { body } = await app.call("GET", "/v1/projects/export?adopt=true&project=owner");
  assert.equal(body.project.logicalId, "owner");
  const types = body.resources.filter(({ type }: Resource) => type === "check-group");
  const external = { type: "check-group", logicalId: `check-group-${groupId}` };
  assert.deepEqual(types, [{ ...external, physicalId: groupId, payload: null }]);
  const found = body.resources.find(({ physicalId }: Resource) => physicalId === id);
  assert.deepEqual(
    [found.logicalId, found.payload.groupId],
    ["in-the-group", ref(external.logicalId)],
  );
});
