import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { startTestApp } from "../../../test/support/apps/app.ts";
import {
  createProjectCalls,
  createResources,
  type Entry,
  findEntry,
  one,
  type Resource,
  ref,
} from "../../../test/support/modules/projects.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { resourceTypes } from "./resource.ts";

let app: TestApp;
let other: pg.Client;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  other = new pg.Client({ connectionString: app.databaseUrl });
  await other.connect();
});
after(async () => {
  await other.end();
  await app.stop();
});

const { preview, deploy } = createProjectCalls(() => app);

const mail = (address: string) =>
  one("alert-channel", "mail", { type: "EMAIL", config: { address } });
const ping = (name: string) =>
  one("check", "ping", { checkType: "ICMP", name, request: { hostname: "192.0.2.1" } });

/** Runs an edit while a deployment has planned and waits for a locked row. */
async function editDuring(
  { text, id }: { readonly text: string; readonly id: unknown },
  edit: () => Promise<unknown>,
  start: () => ReturnType<typeof deploy>,
): ReturnType<typeof deploy> {
  await other.query("begin");
  await other.query(text, [id]);
  const deploying = start();
  await waitUntil("the deployment waits for the row", async () => {
    const text = `select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock'`;
    return (await app.query(text)).rowCount === 1;
  });
  await edit().finally(() => other.query("commit"));
  return deploying;
}

const lockChannel = (id: string) => ({
  text: "select from alert_channels where id = $1 for update",
  id: Number(id),
});

for (const hasToken of [true, false]) {
  const what = hasToken ? "with a plan token" : "without a plan token";
  test(`an edit between the plan and the write of a deployment ${what} is not lost`, async () => {
    const name = hasToken ? "with" : "without";
    const { result } = await deploy(name, [mail("a@example.test"), ping("A")]);
    const [channelId, checkId] = ["mail", "ping"].map(
      (id) => findEntry(result.diff, id).physicalId,
    ) as [string, string];
    const desired = [mail("b@example.test"), ping("B")];
    const { planToken } = await preview(name, desired);
    const edit = async () => {
      const body = { name: "By hand", muted: true };
      assert.equal((await app.call("PUT", `/v1/checks/${checkId}`, { body })).status, 200);
    };
    const query = hasToken ? `&planToken=${planToken}` : "";
    const ended = await editDuring(lockChannel(channelId), edit, () =>
      deploy(name, desired, query),
    );
    assert.deepEqual([ended.status, ended.error?.code], ["FAILED", "PLAN_STALE"]);
    assert.match(ended.error.message, /^check "ping" was changed outside of the project/);
    const { body: check } = await app.call("GET", `/v1/checks/${checkId}`);
    assert.deepEqual([check.name, check.muted], ["By hand", true]);

    // The next plan shows the edit, and the next deployment may overwrite it.
    const drift = findEntry((await preview(name, desired)).diff, "ping").changes;
    assert.deepEqual(
      drift.map(({ path, origin }) => [path, origin]),
      [
        ["/muted", "remote"],
        ["/name", "both"],
      ],
    );
    assert.equal((await deploy(name, desired)).status, "SUCCEEDED");
    assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.name, "B");
  });
}

test("a bulk change of a check during a deployment is not lost", async () => {
  const { result } = await deploy("bulk", [mail("a@example.test"), ping("A")]);
  const [channelId, checkId] = ["mail", "ping"].map(
    (id) => findEntry(result.diff, id).physicalId,
  ) as [string, string];
  const edit = async () => {
    const body = { action: "addTags", ids: [checkId], tags: ["by-hand"] };
    const answer = await app.call("POST", "/v1/checks/bulk", { body });
    assert.equal(answer.status, 200, answer.text);
  };
  const desired = [mail("b@example.test"), ping("B")];
  const ended = await editDuring(lockChannel(channelId), edit, () => deploy("bulk", desired));
  assert.equal(ended.error?.code, "PLAN_STALE", JSON.stringify(ended));
  const { body: check } = await app.call("GET", `/v1/checks/${checkId}`);
  assert.deepEqual(check.tags, ["by-hand"]);
});

type Ids = Readonly<Record<string, string>>;
type Fields = Record<string, unknown>;

/** An edit that a member makes, and a change of the project's files that writes the same object. */
interface Edit {
  readonly resource: string;
  readonly change: Fields;
  readonly route: (ids: Ids) => string;
  readonly body: (stored: Fields, ids: Ids) => object;
  /** Where the edited object is read; by default at `route`. */
  readonly read?: (ids: Ids) => string;
  /** The edited part of the object, and its value after the edit. */
  readonly value: (stored: Fields, ids: Ids) => unknown;
  readonly expected: unknown;
}

const put = (
  resource: string,
  field: string,
  [mine, theirs]: readonly [unknown, unknown],
  path: (ids: Ids) => string,
): Edit => ({
  resource,
  change: { [field]: mine },
  route: path,
  body: (stored) => ({ ...stored, [field]: theirs }),
  value: (stored) => stored[field],
  expected: theirs,
});
const names = ["Mine", "By hand"] as const;

const edits: readonly Edit[] = [
  put("svc", "name", names, (ids) => `/v1/status-pages/services/${ids.svc}`),
  put("lab", "name", names, (ids) => `/v1/private-locations/${ids.lab}`),
  put("rota", "name", names, (ids) => `/v1/on-call/schedules/${ids.rota}`),
  put("escalation", "name", names, (ids) => `/v1/escalation-policies/${ids.escalation}`),
  put("group", "name", names, (ids) => `/v1/check-groups/${ids.group}`),
  put("ping", "name", names, (ids) => `/v1/checks/${ids.ping}`),
  put("page", "name", names, (ids) => `/v1/status-pages/${ids.page}`),
  put("page-v3", "name", names, (ids) => `/v3/status-pages/${ids["page-v3"]}`),
  put(
    "comp-api",
    "name",
    names,
    (ids) => `/v3/status-pages/${ids["page-v3"]}/components/${ids["comp-api"]}`,
  ),
  put(
    "rule",
    "name",
    names,
    (ids) => `/v3/status-pages/${ids["page-v3"]}/automation-rules/${ids.rule}`,
  ),
  put("window", "name", names, (ids) => `/v1/maintenance-windows/${ids.window}`),
  put("dash", "header", names, (ids) => `/v1/dashboards/${ids.dash}`),
  put("door", "script", ["1", "2"], (ids) => `/v1/snippets/${ids.door}`),
  {
    resource: "mail",
    change: { sendRecovery: false },
    route: (ids) => `/v1/alert-channels/${ids.mail}`,
    body: ({ subscriptions: _s, ...stored }) => ({ ...stored, sendFailure: false }),
    value: (stored) => [stored.sendRecovery, stored.sendFailure],
    expected: [true, false],
  },
  {
    resource: "escalation",
    change: { accountDefault: true },
    route: () => "/v1/alert-settings",
    body: (stored, ids) => ({ ...stored, escalationPolicyId: ids.other }),
    value: (stored, ids) => stored.escalationPolicyId === ids.other,
    expected: true,
  },
  {
    resource: "check-alert-channel-subscription#ping#mail",
    change: { activated: false },
    route: (ids) => `/v1/checks/${ids.ping}`,
    body: () => ({ alertChannelSubscriptions: [] }),
    value: (stored) => stored.alertChannelSubscriptions,
    expected: [],
  },
  {
    resource: "group#mail",
    change: { activated: true },
    route: (ids) => `/v1/alert-channels/${ids.mail}/subscribers`,
    read: (ids) => `/v1/check-groups/${ids.group}`,
    body: () => ({ activated: false, of: "all" }),
    value: (stored) => (stored.alertChannelSubscriptions as Fields[])[0]?.activated,
    expected: false,
  },
  {
    resource: "lab#ping",
    change: { isDeleted: true },
    route: (ids) => `/v1/checks/${ids.ping}`,
    body: () => ({ privateLocations: [], muted: true }),
    value: (stored) => stored.muted,
    expected: true,
  },
];

/** Returns resources of every type, of which a deployment writes the variable first. */
function createAll(name: string, value = "a"): Resource[] {
  const key = `FIRST_${name}`;
  return [
    one("environment-variable", key, { key, value }),
    one("snippet", "door", { name: `Snippet of ${name}`, script: "0" }),
    ...createResources(name).filter(
      ({ type, logicalId }) => type !== "check" || logicalId === "ping",
    ),
    one("escalation-policy", "other", {
      ...{ name: `Other of ${name}`, useFallback: false },
      steps: [{ afterMinutes: 5, targets: [{ channelId: ref("mail") }] }],
    }),
  ];
}

function applyChange(resource: Resource, { resource: logicalId, change }: Edit): Resource[] {
  if (resource.logicalId !== logicalId) return [resource];
  return change.isDeleted ? [] : [{ ...resource, payload: { ...resource.payload, ...change } }];
}

for (const [index, edit] of edits.entries()) {
  const what = Object.keys(edit.change).join();
  test(`an edit of ${what} of ${edit.resource} before its write is not lost`, async () => {
    const name = `edit${index}`;
    const made = await deploy(name, createAll(name));
    assert.equal(made.status, "SUCCEEDED", JSON.stringify(made.error));
    const ids: Ids = Object.fromEntries(
      made.result.diff.map(({ logicalId, physicalId }: Entry) => [logicalId, physicalId]),
    );
    const desired = createAll(name, "b").flatMap((resource) => applyChange(resource, edit));
    const path = edit.route(ids);
    const read = async () => (await app.call("GET", edit.read?.(ids) ?? path)).body;
    const lock = { text: "select from variables where key = $1 for update", id: `FIRST_${name}` };
    const change = async () => {
      const edited = await app.call("PUT", path, { body: edit.body(await read(), ids) });
      assert.equal(edited.status, 200, edited.text);
    };
    const ended = await editDuring(lock, change, () => deploy(name, desired));
    assert.equal(ended.error?.code, "PLAN_STALE", JSON.stringify(ended.error));
    assert.deepEqual(edit.value(await read(), ids), edit.expected);
  });
}

test("the edits are of every type of resource that can be changed", () => {
  const of = (logicalId: string) => createAll("").find((one) => one.logicalId === logicalId)?.type;
  const edited = new Set(edits.map(({ resource }) => of(resource)));
  const others = resourceTypes.filter((type) => !edited.has(type));
  // The variable holds each deployment up, a certificate is replaced, and an assignment is part of
  // its check or group.
  const excluded = ["environment-variable", "client-certificate"];
  assert.deepEqual(others, [...excluded, "private-location-group-assignment"]);
});
