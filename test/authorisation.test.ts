/**
 * Every registered route × {no key, bad, expired, revoked, read-only, another account's}. A route
 * without a row here fails the build. The row's own request also proves that writes are audited.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Role } from "../src/domains/accounts/index.ts";
import { type CallOptions, ownerPassword, startTestApp, type TestApp } from "./support/app.ts";
import { addMember, addStranger, createKey, type Stranger, signIn } from "./support/cast.ts";
import { listRoutes } from "./support/routes.ts";

interface Scene {
  readonly test: TestApp;
  readonly stranger: Stranger;
}

interface Row {
  readonly route: string;
  /** The least role that may; null for a public route. */
  readonly least: Role | null;
  /** Makes whatever the request needs and says how it is sent by somebody who may. */
  readonly request: (scene: Scene) => Promise<Sent> | Sent;
  readonly status: number;
  /** The path names a thing, so another account's key must not find it. */
  readonly isScoped?: true;
  /** Answers somebody without a person behind the key with this. */
  readonly serviceKeyStatus?: number;
  readonly isUnaudited?: true;
}

interface Sent extends CallOptions {
  readonly path: string;
}

const here = ({ test: { owner } }: Scene) => `/v1/accounts/${owner.accountId}`;
const mail = () => `${crypto.randomUUID()}@example.com`;

async function newMember(scene: Scene): Promise<string> {
  // Joining counts as an attempt at a password, and those are few.
  scene.test.clock.advance(600_000);
  return (await addMember(scene.test, mail(), { role: "READ_ONLY" })).userId;
}

async function newInvite(scene: Scene): Promise<{ id: string; token: string }> {
  const body = { email: mail(), role: "READ_ONLY" };
  return (await scene.test.call("POST", "/v1/accounts/me/invites", { body })).body;
}

async function newOwnerCookie({ test: app }: Scene): Promise<string> {
  app.clock.advance(600_000);
  return signIn(app, app.owner.email, ownerPassword);
}

const read = (path: string): Pick<Row, "route" | "least" | "request" | "status"> => ({
  route: `GET ${path}`,
  least: "READ_ONLY",
  request: () => ({ path }),
  status: 200,
});

function accountRows(prefix: string, path: (scene: Scene) => string): Row[] {
  return [
    {
      route: `GET ${prefix}`,
      least: "READ_ONLY",
      request: (scene) => ({ path: path(scene) }),
      status: 200,
    },
    {
      route: `PATCH ${prefix}`,
      least: "ADMIN",
      request: (scene) => ({ path: path(scene), body: { name: "Renamed" } }),
      status: 200,
    },
    {
      route: `GET ${prefix}/members`,
      least: "READ_ONLY",
      request: (scene) => ({ path: `${path(scene)}/members` }),
      status: 200,
    },
    {
      route: `PATCH ${prefix}/members/:userId`,
      least: "ADMIN",
      request: async (scene) => ({
        path: `${path(scene)}/members/${await newMember(scene)}`,
        body: { role: "READ_RUN" },
      }),
      status: 200,
      isScoped: true,
    },
    {
      route: `DELETE ${prefix}/members/:userId`,
      least: "ADMIN",
      request: async (scene) => ({ path: `${path(scene)}/members/${await newMember(scene)}` }),
      status: 204,
      isScoped: true,
    },
    {
      route: `POST ${prefix}/invites`,
      least: "ADMIN",
      request: (scene) => ({
        path: `${path(scene)}/invites`,
        body: { email: mail(), role: "READ_ONLY" },
      }),
      status: 201,
    },
    {
      route: `DELETE ${prefix}/invites/:inviteId`,
      least: "ADMIN",
      request: async (scene) => ({ path: `${path(scene)}/invites/${(await newInvite(scene)).id}` }),
      status: 204,
      isScoped: true,
    },
  ];
}

const rows: readonly Row[] = [
  { route: "GET /healthz", least: null, request: () => ({ path: "/healthz" }), status: 200 },
  { route: "GET /readyz", least: null, request: () => ({ path: "/readyz" }), status: 200 },
  { route: "GET /metrics", least: null, request: () => ({ path: "/metrics" }), status: 200 },
  {
    route: "GET /openapi.json",
    least: null,
    request: () => ({ path: "/openapi.json" }),
    status: 200,
  },
  { route: "GET /docs/api", least: null, request: () => ({ path: "/docs/api" }), status: 200 },
  {
    route: "GET /docs/api.css",
    least: null,
    request: () => ({ path: "/docs/api.css" }),
    status: 200,
  },
  {
    route: "POST /v1/sessions",
    least: null,
    request: ({ test: app }) => {
      app.clock.advance(600_000);
      return { path: "/v1/sessions", body: { email: app.owner.email, password: ownerPassword } };
    },
    status: 201,
  },
  {
    route: "POST /v1/invites/accept",
    least: null,
    request: async (scene) => {
      scene.test.clock.advance(600_000);
      const { token } = await newInvite(scene);
      return { path: "/v1/invites/accept", body: { token, password: "a good password" } };
    },
    status: 201,
  },
  read("/v1/accounts"),
  {
    route: "POST /v1/accounts",
    least: "OWNER",
    request: () => ({ path: "/v1/accounts", body: { name: "Another" } }),
    status: 201,
    serviceKeyStatus: 403,
    // It is written to the log of the account it creates.
    isUnaudited: true,
  },
  ...accountRows("/v1/accounts/me", () => "/v1/accounts/me"),
  ...accountRows("/v1/accounts/:accountId", here),
  { ...read("/v1/users/me"), serviceKeyStatus: 404 },
  {
    route: "PATCH /v1/users/me",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/users/me", body: { name: "Somebody" } }),
    status: 200,
    serviceKeyStatus: 404,
  },
  {
    route: "PUT /v1/users/me/password",
    least: "READ_WRITE",
    request: ({ test: app }) => {
      app.clock.advance(600_000);
      const body = { currentPassword: ownerPassword, newPassword: ownerPassword };
      return { path: "/v1/users/me/password", body };
    },
    status: 204,
    serviceKeyStatus: 404,
  },
  { ...read("/v1/sessions"), serviceKeyStatus: 404 },
  {
    route: "DELETE /v1/sessions/current",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: "/v1/sessions/current",
      cookie: await newOwnerCookie(scene),
    }),
    status: 204,
    serviceKeyStatus: 403,
  },
  {
    route: "DELETE /v1/sessions/:id",
    least: "READ_WRITE",
    request: async (scene) => {
      await newOwnerCookie(scene);
      const { body } = await scene.test.call("GET", "/v1/sessions");
      return { path: `/v1/sessions/${body[0].id}` };
    },
    status: 204,
    isScoped: true,
    serviceKeyStatus: 404,
  },
  read("/v1/api-keys"),
  {
    route: "POST /v1/api-keys",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/api-keys", body: { name: "new", role: "READ_ONLY" } }),
    status: 201,
    // Anybody who writes may make keys of their own, but only an admin makes service keys.
    serviceKeyStatus: 403,
  },
  {
    route: "GET /v1/api-keys/:id",
    least: "READ_ONLY",
    request: async ({ test: app }) => ({
      path: `/v1/api-keys/${(await createKey(app, "READ_ONLY")).id}`,
    }),
    status: 200,
    isScoped: true,
    serviceKeyStatus: 404,
  },
  {
    route: "DELETE /v1/api-keys/:id",
    least: "READ_WRITE",
    request: async ({ test: app }) => ({
      path: `/v1/api-keys/${(await createKey(app, "READ_ONLY")).id}`,
    }),
    status: 204,
    isScoped: true,
    serviceKeyStatus: 404,
  },
  { ...read("/v1/audit-log"), least: "ADMIN" },
  read("/v1/static-ips"),
  read("/v1/static-ips-by-region"),
  read("/v1/static-ips.txt"),
  read("/v1/static-ipv6s"),
  read("/v1/static-ipv6s-by-region"),
  read("/v1/static-ipv6s.txt"),
  read("/v1/runtimes"),
  {
    route: "GET /v1/runtimes/:id",
    least: "READ_ONLY",
    request: () => ({ path: "/v1/runtimes/2025.04" }),
    status: 200,
  },
];

const roleNames = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;

let scene: Scene;
let keys: Record<Role, string>;
let badKeys: Record<"no key" | "bad" | "malformed" | "expired" | "revoked", CallOptions>;

before(async () => {
  const app = await startTestApp();
  const entries = await Promise.all(
    roleNames.map(async (role) => [role, (await createKey(app, role)).key] as const),
  );
  keys = Object.fromEntries(entries) as Record<Role, string>;
  const expiresAt = new Date(app.clock.now().getTime() + 1_000).toISOString();
  const expired = await createKey(app, "OWNER", { expiresAt });
  const revoked = await createKey(app, "OWNER");
  await app.call("GET", "/v1/runtimes", { key: revoked.key });
  await app.call("DELETE", `/v1/api-keys/${revoked.id}`);
  app.clock.advance(2_000);
  scene = { test: app, stranger: await addStranger(app) };
  badKeys = {
    "no key": { key: null },
    bad: { key: "vd_there-is-no-such-key-anywhere" },
    malformed: { key: null, headers: { authorization: "Basic b3duZXI6cGFzc3dvcmQ=" } },
    expired: { key: expired.key },
    revoked: { key: revoked.key },
  };
});

after(() => scene.test.stop());

test("every registered route has a row, and every row a route", () => {
  const registered = listRoutes(scene.test.app).map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual([...registered].sort(), rows.map((row) => row.route).sort());
});

function methodOf(row: Row): string {
  return row.route.split(" ")[0] ?? "";
}

async function countAuditEntries(): Promise<number> {
  let nextId: string | null = null;
  let count = 0;
  do {
    const page = nextId === null ? "" : `&nextId=${nextId}`;
    const { body } = await scene.test.call("GET", `/v1/audit-log?limit=100${page}`);
    count += body.length;
    nextId = body.nextId;
  } while (nextId !== null);
  return count;
}

for (const row of rows) {
  const method = methodOf(row);

  test(`${row.route} serves whoever may call it, and leaves an audit entry when it writes`, async () => {
    const { path, ...options } = await row.request(scene);
    const before = await countAuditEntries();
    const answer = await scene.test.call(method, path, options);
    assert.equal(answer.status, row.status, answer.text);
    assert.ok(answer.headers.get("x-request-id"));
    const isAudited = method !== "GET" && row.isUnaudited !== true;
    assert.equal(await countAuditEntries(), before + (isAudited ? 1 : 0));
  });

  if (row.least === null) {
    test(`${row.route} needs no key`, async () => {
      const { path, ...options } = await row.request(scene);
      const answer = await scene.test.call(method, path, { ...options, key: null });
      assert.equal(answer.status, row.status, answer.text);
    });
    continue;
  }

  const { least } = row;

  test(`${row.route} answers 401 without a good key`, async () => {
    const { path, body } = await row.request(scene);
    for (const [name, bad] of Object.entries(badKeys)) {
      const answer = await scene.test.call(method, path, { body, ...bad });
      assert.equal(answer.status, 401, `${name}: ${answer.text}`);
      assert.deepEqual(answer.body, {
        statusCode: 401,
        error: "Unauthorized",
        message: "Bad Token",
        attributes: {},
      });
    }
  });

  test(`${row.route} asks for ${least} and answers 403 below it`, async () => {
    for (const role of roleNames) {
      const { path, body } = await row.request(scene);
      const answer = await scene.test.call(method, path, { body, key: keys[role] });
      const isEnough = roleNames.indexOf(role) >= roleNames.indexOf(least);
      if (isEnough) {
        const allowed = [row.status, row.serviceKeyStatus ?? row.status];
        assert.ok(allowed.includes(answer.status), `${role}: ${answer.status} ${answer.text}`);
      } else {
        assert.equal(answer.status, 403, `${role}: ${answer.text}`);
        assert.deepEqual(answer.body, {
          statusCode: 403,
          error: "Forbidden",
          message: "Forbidden",
        });
      }
    }
  });

  test(`${row.route} answers 403 to a key that names an account it cannot act for`, async () => {
    const { path, body } = await row.request(scene);
    const account = scene.test.owner.accountId;
    const options = { body, key: scene.stranger.key, account };
    const answer = await scene.test.call(method, path, options);
    assert.equal(answer.status, 403, answer.text);
  });

  if (row.isScoped) {
    test(`${row.route} does not find what belongs to another account`, async () => {
      const { path, body } = await row.request(scene);
      const answer = await scene.test.call(method, path, { body, key: scene.stranger.key });
      // A path that names the account itself is refused before anything is looked for.
      assert.equal(answer.status, row.route.includes(":accountId") ? 403 : 404, answer.text);
    });
  }
}
