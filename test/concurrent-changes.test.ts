/**
 * Concurrent requests. A second connection locks the row of a request, deletes or changes it while
 * the request waits, and commits: the order of events is fixed without any sleep.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { type Answer, ownerPassword, startTestApp, type TestApp } from "./support/apps/app.ts";
import { startHttpReceiver } from "./support/servers/http-receiver.ts";
import { waitUntil } from "./support/time/wait-until.ts";

let app: TestApp;
let other: pg.Client;

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  other = new pg.Client({ connectionString: app.databaseUrl });
  await other.connect();
});
after(async () => {
  await other.end();
  await app.stop();
});

type Body = Readonly<Record<string, unknown>>;

async function make(path: string, body: Body): Promise<Answer["body"]> {
  const answer = await app.call("POST", path, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const makeCheck = (more: Body = {}) =>
  make("/v1/checks/icmp", { name: "Router", request: { hostname: "192.0.2.1" }, ...more });
const makeGroup = () => make("/v1/check-groups", { name: "Group" });
const emailChannel = { type: "EMAIL", config: { address: "owner@example.com" } };
const makeChannel = () => make("/v1/alert-channels", emailChannel);

async function waitForWaiting(count: number, early: readonly Answer[]): Promise<void> {
  await waitUntil(`${count} requests wait for a lock`, async () => {
    assert.deepEqual(early, [], "a request did not wait");
    const { rows } = await app.query(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].count >= count;
  });
}

async function countAuditEntries(): Promise<number> {
  const { rows } = await app.query("select count(*)::int as count from audit_entries");
  return rows[0].count;
}

/** Runs a statement in a separate transaction, and commits once all requests wait for it. */
async function meet(
  first: readonly [string, readonly unknown[]],
  requests: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  await other.query("begin");
  await other.query(first[0], [...first[1]]);
  const answers: Promise<Answer>[] = [];
  const early: Answer[] = [];
  try {
    for (const request of requests) {
      const answer = request();
      answers.push(answer);
      void answer.then((one) => early.push(one));
      await waitForWaiting(answers.length, early);
    }
  } finally {
    await other.query("commit");
  }
  return Promise.all(answers);
}

interface Case {
  readonly name: string;
  readonly table: string;
  readonly key?: string;
  /** The row that is deleted meanwhile, and the request for it. */
  readonly prepare: () => Promise<{
    readonly id: unknown;
    readonly request: readonly [string, string, Body?];
  }>;
  readonly status: number;
}

const cases: readonly Case[] = [
  {
    name: "a change of a channel",
    table: "alert_channels",
    prepare: async () => {
      const { id } = await makeChannel();
      return { id, request: ["PUT", `/v1/alert-channels/${id}`, emailChannel] };
    },
    status: 404,
  },
  {
    name: "a change of a group",
    table: "check_groups",
    prepare: async () => {
      const { id } = await makeGroup();
      return { id, request: ["PUT", `/v1/check-groups/${id}`, { name: "Other" }] };
    },
    status: 404,
  },
  {
    name: "the deletion of a group",
    table: "check_groups",
    prepare: async () => {
      const { id } = await makeGroup();
      return { id, request: ["DELETE", `/v1/check-groups/${id}`] };
    },
    status: 404,
  },
  {
    name: "a new check of a group",
    table: "check_groups",
    prepare: async () => {
      const { id } = await makeGroup();
      const body = { name: "Late", request: { hostname: "192.0.2.1" }, groupId: id };
      return { id, request: ["POST", "/v1/checks/icmp", body] };
    },
    status: 400,
  },
  {
    name: "a subscription of a check",
    table: "checks",
    prepare: async () => {
      const channel = await makeChannel();
      const { id } = await makeCheck();
      const body = { checkId: id, activated: true };
      return { id, request: ["PUT", `/v1/alert-channels/${channel.id}/subscriptions`, body] };
    },
    status: 404,
  },
  {
    name: "a subscription to a channel",
    table: "alert_channels",
    prepare: async () => {
      const { id } = await makeChannel();
      const check = await makeCheck({ alertChannelSubscriptions: [] });
      const body = { checkId: check.id, activated: true };
      return { id, request: ["PUT", `/v1/alert-channels/${id}/subscriptions`, body] };
    },
    status: 404,
  },
  {
    name: "the parents of a check",
    table: "checks",
    prepare: async () => {
      const { id } = await makeCheck();
      const parent = await makeCheck();
      return { id, request: ["PUT", `/v1/checks/${id}/parents`, { parentIds: [parent.id] }] };
    },
    status: 404,
  },
  {
    name: "a parent of a check",
    table: "checks",
    prepare: async () => {
      const { id } = await makeCheck();
      const child = await makeCheck();
      return { id, request: ["PUT", `/v1/checks/${child.id}/parents`, { parentIds: [id] }] };
    },
    status: 400,
  },
  {
    name: "a manual run",
    table: "checks",
    prepare: async () => {
      const { id } = await makeCheck();
      return {
        id,
        request: ["POST", "/v2/check-sessions/trigger", { target: { checkId: [id] } }],
      };
    },
    status: 404,
  },
  {
    name: "the revocation of an API key",
    table: "api_keys",
    prepare: async () => {
      const { id } = await make("/v1/api-keys", { name: "Key", type: "SERVICE" });
      return { id, request: ["DELETE", `/v1/api-keys/${id}`] };
    },
    status: 404,
  },
  {
    name: "a key of a status page",
    table: "status_pages",
    prepare: async () => {
      const { id } = await make("/v1/status-pages", { name: "Page", url: "keyed", cards: [] });
      return { id, request: ["POST", `/v1/status-pages/${id}/keys`] };
    },
    status: 404,
  },
  {
    name: "subscribers of a status page",
    table: "status_pages",
    prepare: async () => {
      const { id } = await make("/v1/status-pages", { name: "Page", url: "read", cards: [] });
      const subscriptions = [{ type: "EMAIL", config: "reader@example.com" }];
      const body = { subscriptions, autoVerify: true };
      return { id, request: ["POST", `/v1/status-pages/${id}/subscriptions/bulk`, body] };
    },
    status: 404,
  },
  {
    name: "a key of a dashboard",
    table: "dashboards",
    key: "dashboard_id",
    prepare: async () => {
      const { dashboardId } = await make("/v1/dashboards", { header: "Board" });
      return { id: dashboardId, request: ["POST", `/v1/dashboards/${dashboardId}/keys`] };
    },
    status: 404,
  },
];

for (const { name, table, key = "id", prepare, status } of cases) {
  test(`${name} is answered ${status} when a row of ${table} is deleted meanwhile`, async () => {
    const { id, request } = await prepare();
    const entries = await countAuditEntries();
    const [method, path, body] = request;
    const [answer] = await meet(
      [`delete from ${table} where ${key} = $1`, [id]],
      [() => app.call(method, path, body === undefined ? {} : { body })],
    );
    assert.equal(answer?.status, status, `${answer?.text}`);
    assert.equal(await countAuditEntries(), entries, "an audit entry was written");
  });
}

test("a group that a check joins concurrently is not deleted", async () => {
  const { id } = await makeGroup();
  const check = await makeCheck();
  const [answer] = await meet(
    ["update checks set group_id = $1 where id = $2", [id, check.id]],
    [() => app.call("DELETE", `/v1/check-groups/${id}`)],
  );
  assert.equal(answer?.status, 409, `${answer?.text}`);
});

test("the second of two concurrent changes of a group builds on the first", async () => {
  const { id } = await makeGroup();
  const change = (body: Body) => () => app.call("PUT", `/v1/check-groups/${id}`, { body });
  const answers = await meet(
    ["select 1 from check_groups where id = $1 for update", [id]],
    [change({ muted: true }), change({ name: "Renamed" })],
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const { body } = await app.call("GET", `/v1/check-groups/${id}`);
  assert.deepEqual([body.name, body.muted], ["Renamed", true]);
});

test("of two changes of a group at once with the same tag the second is rejected", async () => {
  const { id } = await makeGroup();
  const path = `/v1/check-groups/${id}`;
  const tag = (await app.call("GET", path)).headers.get("etag") ?? "";
  const headers = { "if-match": tag };
  const answers = await meet(
    ["select 1 from check_groups where id = $1 for update", [id]],
    [
      () => app.call("PUT", path, { body: { muted: true }, headers }),
      () => app.call("PUT", path, { body: { name: "Late" }, headers }),
      () => app.call("DELETE", path, { headers }),
    ],
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 412, 412],
  );
  const { body } = await app.call("GET", path);
  assert.deepEqual([body.name, body.muted], ["Group", true]);
});

test("a masked secret keeps the value stored at the time of the change", async (t) => {
  const receiver = await startHttpReceiver(t);
  const config = (value: string) => ({
    name: "Hook",
    url: receiver.url,
    headers: [{ key: "X-Team", value, locked: true }],
  });
  const { id, config: masked } = await make("/v1/alert-channels", {
    type: "WEBHOOK",
    config: config("old-secret"),
  });
  const change = (body: Body) => () =>
    app.call("PUT", `/v1/alert-channels/${id}`, { body: { type: "WEBHOOK", ...body } });
  const answers = await meet(
    ["select 1 from alert_channels where id = $1 for update", [id]],
    [change({ config: config("new-secret") }), change({ config: masked, sendDegraded: true })],
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  await app.call("POST", `/v1/alert-channels/${id}/test`);
  assert.equal(receiver.requests.at(-1)?.headers["x-team"], "new-secret");
});

test("only one of two concurrent password changes succeeds", async () => {
  const signedIn = await app.call("POST", "/v1/sessions", {
    key: null,
    body: { email: "owner@example.com", password: ownerPassword },
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const change = (newPassword: string) => () =>
    app.call("PUT", "/v1/users/me/password", {
      cookie,
      headers: { origin: app.url },
      body: { currentPassword: ownerPassword, newPassword },
    });
  const answers = await meet(
    ["select 1 from users for update", []],
    [change("first password of two"), change("second password of two")],
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 400],
  );
});
