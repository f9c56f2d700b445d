import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import pg from "pg";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import {
  createProjectCalls,
  createResources,
  one,
  toBody,
} from "../../../test/support/modules/projects.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const { post, complete, deploy, countRows } = createProjectCalls(() => app);

test("older clients get the words that they know", async () => {
  const group = one("check-group", "g", { name: "G" });
  const body = toBody("old-words", [group]);
  const started = await post("/v1/projects/deploy", body);
  await complete("old-words", started.body.id);
  const dry = await post("/v1/projects/deploy?dryRun=true&scheduleOnDeploy=true", body);
  assert.equal(dry.status, 200, dry.text);
  assert.deepEqual(dry.body.diff[0].action, "UPDATE");
  const detached = { ...body, resources: [] };
  const path = "/v1/projects/deploy?dryRun=true&preserveResources=true";
  assert.equal((await post(path, detached)).body.diff[0].action, "DETACHED");
});

test("a second deployment of a project waits for the first, which can be cancelled", async () => {
  const before = await countRows();
  const id = randomUUID();
  await app.query(
    `insert into deployments (id, account_id, logical_id, status, progress, schedules, created_at)
     values ($1, $2, 'busy', 'RUNNING', 10, false, $3)`,
    [id, app.owner.accountId, app.clock.now()],
  );
  const body = toBody("busy", [one("check-group", "g", { name: "G" })]);
  const busy = await post("/v1/projects/deploy", body);
  assert.equal(busy.status, 409);
  assert.equal(busy.body.deploymentId, id);
  assert.ok(busy.body.retryAfter > 0);
  const path = `/v1/projects/busy/deployments/${id}`;
  assert.equal((await app.call("GET", `${path}/completion?maxWaitSeconds=0`)).status, 408);
  const cancelled = await app.call("POST", `${path}/cancel`);
  assert.equal(cancelled.status, 200);
  assert.notEqual(cancelled.body.cancelRequestedAt, null);
  assert.deepEqual(await countRows(), before);
  // Its server is dead: nobody holds its lock.
  app.clock.advance(10_000);
  const ended = await app.call("GET", `${path}/completion?maxWaitSeconds=0`);
  assert.equal(ended.body.status, "FAILED");
  assert.match(ended.body.error.message, /Nothing was changed/);
  assert.equal((await deploy("busy", body.resources)).status, "SUCCEEDED");
});

test("events report the progress and the end, with line feeds only", async () => {
  const body = toBody("events", createResources("events"));
  const started = await post("/v1/projects/deploy", body);
  const { text, status, headers } = await app.call(
    "GET",
    `/v1/projects/events/deployments/${started.body.id}/events`,
  );
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /text\/event-stream/);
  assert.equal(text.includes("\r"), false);
  const frames = text.trimEnd().split("\n\n");
  const [name, data = ""] = frames.at(-1)?.split("\n") ?? [];
  assert.equal(name, "event: complete");
  assert.equal(JSON.parse(data.replace("data: ", "")).status, "SUCCEEDED");
  const unknown = `/v1/projects/events/deployments/${randomUUID()}/events`;
  assert.equal((await app.call("GET", unknown)).status, 404);
});

test("concurrent deployments of one project end in one of their states", async () => {
  const resources = (name: string) => [one("check-group", "g", { name })];
  const attempt = async (name: string) => {
    await waitUntil("the deployment was accepted", async () => {
      const { status, body } = await post("/v1/projects/deploy", toBody("race", resources(name)));
      if (status === 202) await complete("race", body.id);
      return status === 202;
    });
  };
  await Promise.all(["A", "B", "C"].map(attempt));
  const { body: groups } = await app.call("GET", "/v1/check-groups?limit=100");
  const named = groups.filter(({ name }: { name: string }) => ["A", "B", "C"].includes(name));
  assert.equal(named.length, 1);
});

test("a project and its deployments are visible to their account only", async () => {
  const { id } = await deploy("mine", [one("check-group", "g", { name: "G" })]);
  const { key } = await addStranger(app);
  assert.equal((await app.call("GET", "/v1/projects/mine", { key })).status, 404);
  const path = `/v1/projects/mine/deployments/${id}`;
  assert.equal((await app.call("GET", `${path}/completion`, { key })).status, 404);
  assert.equal((await app.call("GET", `${path}/events`, { key })).status, 404);
  assert.equal((await app.call("POST", `${path}/cancel`, { key })).status, 404);
  assert.deepEqual((await app.call("GET", "/v1/projects/resources", { key })).body, []);
  const own = await post("/v1/projects/preview", toBody("mine", []), key);
  assert.deepEqual(own.body.diff, []);
  const reader = await createKey(app, "READ_ONLY");
  const denied = await post("/v1/projects/preview", toBody("mine", []), reader.key);
  assert.equal(denied.status, 403);
});

test("a deployment whose check is deleted meanwhile reports a conflict", async () => {
  const ping = one("check", "ping", {
    ...{ checkType: "ICMP", name: "Gone", frequency: 60, request: { hostname: "127.0.0.1" } },
  });
  assert.equal((await deploy("gone", [ping])).status, "SUCCEEDED");
  const lock = new pg.Client(app.databaseUrl);
  await lock.connect();
  await lock.query("begin; lock table alert_channel_subscriptions in share mode");
  const config = { address: "ops@example.test" };
  const subscription = {
    alertChannelId: { ref: "mail" },
    checkId: { ref: "ping" },
    activated: true,
  };
  const started = deploy("gone", [
    ping,
    one("alert-channel", "mail", { type: "EMAIL", config }),
    one("alert-channel-subscription", "ping-mail", subscription),
  ]);
  await waitUntil("the deployment waits to insert the subscription", async () => {
    const text = "select from pg_locks where not granted and relation = $1::regclass";
    return (await app.query(text, ["alert_channel_subscriptions"])).rows.length > 0;
  });
  await lock.query("delete from checks where name = 'Gone'; commit");
  await lock.end();
  const { status, error } = await started;
  assert.equal(status, "FAILED");
  assert.deepEqual(error, {
    code: "CONFLICT",
    message: "An object of the plan was deleted meanwhile. Nothing was changed. Deploy again.",
  });
});

test("more deployments at once than the pool has connections all succeed", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
  const ends = await Promise.all(
    names.map((name) => deploy(name, [one("check-group", "g", { name })])),
  );
  assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set(["SUCCEEDED"]));
});

test("checks run after a deployment, within the limits of the request", async () => {
  const ping = (id: string, frequency: number, name = id) =>
    one("check", id, { checkType: "ICMP", name, frequency, request: { hostname: "127.0.0.1" } });
  const listRuns = async () => {
    const { rows } = await app.query(
      "select c.name from check_sessions s join checks c on c.id = s.check_id order by c.name",
    );
    return rows.map(({ name }) => name);
  };
  /** Runs start after the end of the deployment. */
  const expectRuns = async (
    query: string,
    expected: readonly string[],
    resources = [ping("fast", 1), ping("slow", 60)],
  ) => {
    const path = `/v1/projects/deploy?${query}&unknownParameter=1`;
    const started = await post(path, toBody("runs-after", resources));
    const ended = await complete("runs-after", started.body.id);
    assert.equal(ended.status, "SUCCEEDED", JSON.stringify(ended.error));
    assert.equal(ended.scheduleOnDeploy, expected.length > 0, query);
    await waitUntil("the checks run", async () => (await listRuns()).length >= expected.length);
    assert.deepEqual(await listRuns(), expected, query);
    await app.query("delete from check_sessions");
  };
  const all = "scheduleOnDeploy=true&scheduleOnDeployScope=all";
  await expectRuns("scheduleOnDeploy=false", []);
  await expectRuns("scheduleOnDeploy=true&scheduleOnDeployScope=changed", []);
  await expectRuns(all, ["fast", "slow"]);
  await expectRuns(`${all}&scheduleOnDeployThreshold=1`, []);
  await expectRuns(`${all}&scheduleOnDeployThreshold=2`, ["fast", "slow"]);
  await expectRuns(`${all}&scheduleOnDeployMinFrequency=10`, ["slow"]);
  const edited = [ping("fast", 1, "faster"), ping("slow", 60)];
  await expectRuns("scheduleOnDeploy=true", ["faster"], edited);
});
