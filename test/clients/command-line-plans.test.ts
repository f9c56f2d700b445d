/**
 * Requests of version 10 of the public command line, as it sends them: plan first, then deploy what
 * was planned. The package registry does not have that version yet.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Answer, TestApp } from "../support/apps/app.ts";
import { shareTestApp } from "../support/apps/shared-app.ts";
import { one, type Resource, ref, toBody } from "../support/modules/projects.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const clientHeaders = () => ({
  authorization: `Bearer ${app.owner.apiKey}`,
  "x-checkly-account": app.owner.accountId,
  "x-checkly-source": "CLI",
  "x-checkly-operator": "ci",
  "x-checkly-cli-version": "10.0.0",
  accept: "application/json, text/plain, */*",
});

/** The body of a project is compressed; other requests without a body have a form content type. */
async function send(method: string, path: string, body?: object): Promise<Answer> {
  const packed = body && {
    body: gzipSync(JSON.stringify(body)),
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
  };
  const form = method === "POST" && { "content-type": "application/x-www-form-urlencoded" };
  const headers = { ...clientHeaders(), ...(packed?.headers ?? form) };
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers,
    body: packed?.body ?? null,
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : undefined,
    text,
  };
}

const plan = async (name: string, resources: readonly Resource[], query = "detail=full") => {
  const body = { ...toBody(name, resources), sharedFiles: [], repoInfo: null };
  const answer = await send("POST", `/v1/projects/preview?${query}`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

/** Sends what version 10 always sends, and reads the last event of the deployment. */
async function deploy(name: string, resources: readonly Resource[], query = "") {
  const path = `/v1/projects/deploy?dryRun=false&scheduleOnDeploy=false&scheduleOnDeployScope=changed`;
  const started = await send("POST", `${path}${query}`, toBody(name, resources));
  assert.equal(started.status, 202, started.text);
  const { text } = await send("GET", `/v1/projects/${name}/deployments/${started.body.id}/events`);
  const [event, data = ""] = text.trimEnd().split("\n\n").at(-1)?.split("\n") ?? [];
  assert.equal(event, "event: complete");
  return JSON.parse(data.replace("data: ", ""));
}

const group = (more: object = {}) =>
  one("check-group", "group", {
    name: "Group",
    environmentVariables: [{ key: "TOKEN", value: "first-secret", secret: true }],
    ...more,
  });
const ping = (more: object = {}) =>
  one("check", "ping", {
    ...{ checkType: "ICMP", name: "Ping", frequency: 10, muted: false },
    ...{ groupId: ref("group"), description: null, retryStrategy: null, intent: null },
    request: { hostname: "127.0.0.1" },
    ...more,
  });
const channel = one("alert-channel", "mail", {
  ...{ type: "EMAIL", config: { address: "ops@example.test" } },
});
const subscription = one("alert-channel-subscription", "sub#ping#mail", {
  ...{ alertChannelId: ref("mail"), checkId: ref("ping"), activated: true },
});
interface PlannedEntry {
  readonly logicalId: string;
  readonly action: string;
  readonly physicalId: string | number;
  readonly changes?: readonly object[];
  readonly before?: Readonly<Record<string, unknown>>;
  readonly foldedInto?: object;
  readonly origin?: string;
  readonly redactions?: readonly object[];
}
const find = (diff: readonly PlannedEntry[], logicalId: string): PlannedEntry => {
  const found = diff.find((entry) => entry.logicalId === logicalId);
  assert.ok(found, logicalId);
  return found;
};
const actionsOf = (diff: readonly { action: string }[]) => diff.map(({ action }) => action);

test("a plan lists what is new, and the deployment of its token creates it", async () => {
  const resources = [group(), ping(), channel, subscription];
  const first = await plan("ten", resources);
  assert.equal(first.project, null);
  assert.match(first.planToken, /^v1\./);
  assert.deepEqual(new Set(actionsOf(first.diff)), new Set(["CREATE"]));
  assert.deepEqual(find(first.diff, "sub#ping#mail").foldedInto, {
    ...{ type: "check", logicalId: "ping" },
  });
  const token = `&planToken=${encodeURIComponent(first.planToken)}&scheduleOnDeployThreshold=50`;
  const ended = await deploy("ten", resources, `${token}&scheduleOnDeployMinFrequency=5`);
  assert.equal(ended.status, "SUCCEEDED", JSON.stringify(ended.error));
  assert.equal(ended.scheduleOnDeploy, false);
  assert.deepEqual(new Set(actionsOf(ended.result.diff)), new Set(["CREATE"]));
  const again = await plan("ten", resources);
  assert.deepEqual(new Set(actionsOf(again.diff)), new Set(["UNCHANGED"]));
  assert.equal(again.project.logicalId, "ten");
  const stored = find(again.diff, "ping");
  const { name, groupId, id } = stored.before ?? {};
  assert.deepEqual([name, typeof groupId, id], ["Ping", "number", stored.physicalId]);
});

test("the detail of a plan grows from summary over changes to full", async () => {
  const resources = [group(), ping({ name: "Renamed" }), channel, subscription];
  const keysOf = async (detail: string) => {
    const { diff } = await plan("ten", resources, `detail=${detail}`);
    const { changes, before } = find(diff, "ping");
    return [changes !== undefined, before !== undefined];
  };
  assert.deepEqual(await keysOf("summary"), [false, false]);
  assert.deepEqual(await keysOf("changes"), [true, false]);
  assert.deepEqual(await keysOf("full"), [true, true]);
});

test("drift is shown by property: in the code, remotely, or both", async () => {
  const { diff } = await plan("ten", [group(), ping(), channel, subscription]);
  const { physicalId } = find(diff, "ping");
  await app.call("PUT", `/v1/checks/${physicalId}`, { body: { muted: true, name: "By hand" } });
  const edited = [group(), ping({ name: "By code", frequency: 5 }), channel, subscription];
  const entry = find((await plan("ten", edited)).diff, "ping");
  assert.equal(entry.action, "UPDATE");
  assert.deepEqual(entry.changes, [
    { path: "/frequency", origin: "code", before: 10, after: 5 },
    {
      ...{ path: "/muted", origin: "remote", before: true, after: false },
      remote: { before: false, after: true },
    },
    {
      ...{ path: "/name", origin: "both", before: "By hand", after: "By code" },
      remote: { before: "Ping", after: "By hand" },
    },
  ]);
});

test("a plan lists by path what is masked in the stored resource", async () => {
  const { diff } = await plan("ten", [group(), ping(), channel, subscription]);
  assert.deepEqual(find(diff, "ping").redactions, []);
  const secret = { path: "/environmentVariables/0/value", kind: "value", when: "lockedOrSecret" };
  assert.deepEqual(find(diff, "group").redactions, [secret]);
  const { diff: short } = await plan("ten", [group()], "detail=changes");
  assert.equal(find(short, "group").redactions, undefined);
});

test("a changed secret is masked", async () => {
  const token = { key: "TOKEN", value: "second-secret", secret: true };
  const resources = [group({ environmentVariables: [token] }), ping(), channel, subscription];
  const answer = JSON.stringify(await plan("ten", resources));
  assert.doesNotMatch(answer, /first-secret|second-secret/);
  assert.match(answer, /"\$masked":"changed"/);
});

test("a plan of an older state is stale: nothing is written, and the new plan is returned", async () => {
  const resources = [group({ name: "Stale" }), ping(), channel, subscription];
  const { planToken, diff } = await plan("ten", resources);
  const { physicalId } = find(diff, "group");
  const body = { name: "Meanwhile", tags: ["other"] };
  await app.call("PUT", `/v1/check-groups/${physicalId}`, { body });
  const ended = await deploy("ten", resources, `&planToken=${encodeURIComponent(planToken)}`);
  assert.equal(ended.status, "FAILED");
  assert.equal(ended.error.code, "PLAN_STALE");
  assert.equal(ended.result.project, null);
  assert.equal(find(ended.result.diff, "group").action, "UPDATE");
  const stored = await app.call("GET", `/v1/check-groups/${physicalId}`);
  assert.equal(stored.body.name, "Meanwhile");
});

test("preserved resources are detached; private locations of others are pruned on request", async () => {
  const { body: lab } = await app.call("POST", "/v1/private-locations", {
    body: { name: "Lab", slugName: "ten-lab", icon: "squirrel" },
  });
  assert.equal(lab.slugName, "ten-lab");
  const resources = [group(), ping(), channel, subscription];
  await deploy("ten", resources);
  const { diff } = await plan("ten", resources);
  const { physicalId } = find(diff, "ping");
  await app.call("PUT", `/v1/checks/${physicalId}`, { body: { privateLocations: ["ten-lab"] } });
  const actionOf = async (query: string, some = resources) =>
    find((await plan("ten", some, query)).diff, "ping").action;
  assert.equal(await actionOf("detail=changes"), "UNCHANGED");
  const pruned = find((await plan("ten", resources, "pruneRelations=true")).diff, "ping");
  assert.equal(pruned.action, "UPDATE");
  assert.equal(pruned.origin, "unmanaged");
  assert.deepEqual(pruned.changes, [
    {
      ...{ path: "/privateLocations", origin: "unmanaged", before: ["ten-lab"], after: [] },
      remote: { before: [], after: ["ten-lab"] },
    },
  ]);
  assert.equal(await actionOf("detail=changes", [group()]), "DELETE");
  assert.equal(await actionOf("detail=changes&preserveResources=true", [group()]), "DETACH");
  const dry = await send("POST", "/v1/projects/deploy?dryRun=true", toBody("ten", [group()]));
  assert.equal(find(dry.body.diff, "ping").action, "DELETE");
});

test("subscriptions that the project does not own are pruned on request", async () => {
  const body = { type: "EMAIL", config: { address: "by-hand@example.test" } };
  const { body: other } = await app.call("POST", "/v1/alert-channels", { body });
  const resources = [group(), ping(), channel, subscription];
  await deploy("ten", resources);
  const { physicalId } = find((await plan("ten", resources)).diff, "ping");
  const read = async () =>
    (await app.call("GET", `/v1/checks/${physicalId}`)).body.alertChannelSubscriptions;
  const own = await read();
  assert.equal(own.length, 1);
  await app.call("PUT", `/v1/checks/${physicalId}`, {
    body: { alertChannelSubscriptions: [...own, { alertChannelId: other.id, activated: true }] },
  });
  const stays = await plan("ten", resources);
  assert.equal(stays.diff.length, resources.length);
  const { diff, planToken } = await plan("ten", resources, "detail=changes&pruneRelations=true");
  const name = `check-alert-channel-subscription#ping#alert-channel-${other.id}`;
  const entry = find(diff, name);
  assert.deepEqual([entry.action, entry.origin], ["DELETE", "unmanaged"]);
  assert.deepEqual(entry.foldedInto, { type: "check", logicalId: "ping" });
  assert.notEqual(planToken, stays.planToken);
  const token = `&planToken=${encodeURIComponent(planToken)}&pruneRelations=true`;
  const ended = await deploy("ten", resources, token);
  assert.equal(ended.status, "SUCCEEDED", JSON.stringify(ended.error));
  assert.deepEqual(await read(), own);
});

test("a plan rejects a slug that another location has, and one that is reserved", async () => {
  const lab = (logicalId: string, slugName: string) =>
    one("private-location", logicalId, { name: "Lab", slugName });
  const reject = async (resources: readonly Resource[]) => {
    const { status, body } = await send("POST", "/v1/projects/preview", toBody("labs", resources));
    return [status, body.message];
  };
  const taken = [400, 'private-location "lab": slugName ten-lab is taken'];
  assert.deepEqual(await reject([lab("lab", "ten-lab")]), taken);
  const twice = [400, 'private-location "b": slugName lab-a is taken'];
  assert.deepEqual(await reject([lab("a", "lab-a"), lab("b", "lab-a")]), twice);
  const [status, message] = await reject([lab("lab", "built-in")]);
  assert.deepEqual([status, /name of another location/.test(message)], [400, true]);
});

test("a busy project answers 409 with the deployment, which can be awaited and cancelled", async () => {
  const id = randomUUID();
  await app.query(
    `insert into deployments (id, account_id, logical_id, status, progress, schedules, created_at)
     values ($1, $2, 'busy-ten', 'RUNNING', 10, false, $3)`,
    [id, app.owner.accountId, app.clock.now()],
  );
  const busy = await send("POST", "/v1/projects/deploy?dryRun=false", toBody("busy-ten", []));
  assert.equal(busy.status, 409);
  assert.equal(busy.body.deploymentId, id);
  assert.ok(busy.body.retryAfter >= 1 && busy.body.retryAfter <= 10);
  const path = `/v1/projects/busy-ten/deployments/${id}`;
  assert.equal((await send("GET", `${path}/completion?maxWaitSeconds=0`)).status, 408);
  const cancelled = await send("POST", `${path}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.notEqual(cancelled.body.cancelRequestedAt, null);
});

test("a project is destroyed; one that does not exist is an empty difference", async () => {
  const path = "/v1/projects/ten?preserveResources=false&dryRun=false";
  const started = await send("DELETE", path);
  assert.equal(started.status, 202, started.text);
  const ended = await send("GET", `/v1/projects/ten/deployments/${started.body.id}/completion`);
  assert.equal(ended.body.status, "SUCCEEDED");
  const again = await send("DELETE", path);
  assert.equal(again.status, 200);
  assert.deepEqual(again.body.diff, []);
  assert.equal("status" in again.body, false);
});

test("what this server does not have gets a true answer: views, export as code, GitHub reports", async () => {
  const views = await send("GET", "/v1/views?page=monitors&visibility=ACCOUNT");
  assert.deepEqual([views.status, /does not store views/.test(views.text)], [404, true]);
  const view = { page: "monitors", name: "Mine", filters: {} };
  assert.equal((await send("POST", "/v1/views", view)).status, 404);
  assert.equal((await app.call("GET", "/v1/views")).status, 200);
  const code = await send("POST", "/v1/resources/code-export", { types: ["check"] });
  assert.deepEqual([code.status, /vedette export/.test(code.text)], [404, true]);
  const preflight = await send("POST", "/next/test-sessions/github-checks/preflight", {});
  assert.deepEqual([preflight.status, preflight.body.available], [200, false]);
  assert.match(preflight.body.reason, /does not report/);
});
