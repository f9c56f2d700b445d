import { createSecret, hashSecret } from "../../../src/platform/secrets.ts";
import { ownerPassword } from "../apps/app.ts";
import { addMember, createKey, signIn } from "../apps/cast.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

const here = ({ test: { owner } }: Scene) => `/v1/accounts/${owner.accountId}`;
const mail = () => `${crypto.randomUUID()}@example.com`;

async function newMember(scene: Scene): Promise<string> {
  // The clock advances, because joining an account counts as a password attempt and the number of
  // attempts is limited.
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

async function newLink({ test: app }: Scene, purpose: "SIGN_IN" | "RESET"): Promise<string> {
  // A reset deletes the keys of its user, and the rows use the key of the owner.
  const { email } =
    purpose === "SIGN_IN" ? app.owner : await addMember(app, mail(), { role: "READ_ONLY" });
  const token = createSecret();
  const expiresAt = new Date(app.clock.nowMs() + 60_000);
  await app.query(
    `insert into sign_in_links (token_hash, user_id, purpose, created_at, expires_at)
     select $1, id, $2, $3, $3 from users where email = $4`,
    [hashSecret(token), purpose, expiresAt, email],
  );
  return token;
}

/** Creates a user who is invited to another account. */
async function newJoiner({ test: app }: Scene): Promise<{ cookie: string; token: string }> {
  app.clock.advance(600_000);
  const person = await addMember(app, mail(), { role: "READ_WRITE" });
  const account = await app.call("POST", "/v1/accounts", { body: { name: "Joined" } });
  const invite = await app.call("POST", `/v1/accounts/${account.body.id}/invites`, {
    body: { email: person.email, role: "READ_ONLY" },
  });
  return { cookie: await signIn(app, person.email, person.password), token: invite.body.token };
}

function pathRows(prefix: string, path: (scene: Scene) => string): Row[] {
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

export const accountRows: readonly Row[] = [
  { route: "GET /healthz", least: null, request: () => ({ path: "/healthz" }), status: 200 },
  { route: "GET /readyz", least: null, request: () => ({ path: "/readyz" }), status: 200 },
  { route: "GET /metrics", least: null, request: () => ({ path: "/metrics" }), status: 200 },
  {
    route: "GET /openapi.json",
    least: null,
    request: () => ({ path: "/openapi.json" }),
    status: 200,
  },
  { route: "GET /plain.css", least: null, request: () => ({ path: "/plain.css" }), status: 200 },
  { route: "GET /docs/api", least: null, request: () => ({ path: "/docs/api" }), status: 200 },
  {
    route: "GET /docs/api/:page",
    least: null,
    request: () => ({ path: "/docs/api/checks" }),
    status: 200,
  },
  {
    route: "GET /docs/pictures/:picture",
    least: null,
    request: () => ({ path: "/docs/pictures/now.png" }),
    status: 200,
  },
  ...["/docs", "/docs/docs.css", "/docs/try-it.js"].map((path) => ({
    route: `GET ${path}`,
    least: null,
    request: () => ({ path }),
    status: 200,
  })),
  {
    route: "GET /docs/:guide",
    least: null,
    request: () => ({ path: "/docs/alerts" }),
    status: 200,
  },
  {
    route: "GET /docs/decisions/:guide",
    least: null,
    request: () => ({ path: "/docs/decisions/0063-cost-of-a-run" }),
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
    auditEntries: 2,
  },
  {
    route: "POST /v1/invites/view",
    least: null,
    request: async (scene) => {
      const { token } = await newInvite(scene);
      return { path: "/v1/invites/view", body: { token } };
    },
    status: 200,
    isUnaudited: true,
  },
  {
    route: "POST /v1/invites/join",
    least: "READ_WRITE",
    request: async (scene) => {
      const { cookie, token } = await newJoiner(scene);
      return { path: "/v1/invites/join", cookie, body: { token } };
    },
    status: 201,
    serviceKeyStatus: 403,
    // The entry is in the audit log of the joined account, not of the tested account.
    isUnaudited: true,
  },
  {
    route: "GET /v1/sign-in-ways",
    least: null,
    request: () => ({ path: "/v1/sign-in-ways" }),
    status: 200,
  },
  {
    route: "POST /v1/sessions/link",
    least: null,
    request: async (scene) => {
      const token = await newLink(scene, "SIGN_IN");
      return { path: "/v1/sessions/link", body: { token } };
    },
    status: 201,
  },
  {
    route: "POST /v1/password-resets",
    least: null,
    // The request is rejected, because the server of these tests sends no mail.
    request: () => ({ path: "/v1/password-resets", body: { email: "owner@example.com" } }),
    status: 409,
    isUnaudited: true,
  },
  {
    route: "POST /v1/password-resets/answer",
    least: null,
    request: async (scene) => {
      const token = await newLink(scene, "RESET");
      return { path: "/v1/password-resets/answer", body: { token, newPassword: ownerPassword } };
    },
    status: 201,
    auditEntries: 2,
  },
  read("/v1/accounts"),
  {
    route: "POST /v1/accounts",
    least: "OWNER",
    request: () => ({ path: "/v1/accounts", body: { name: "Another" } }),
    status: 201,
    serviceKeyStatus: 403,
    // The entry is in the audit log of the created account, not of the tested account.
    isUnaudited: true,
  },
  ...pathRows("/v1/accounts/me", () => "/v1/accounts/me"),
  ...pathRows("/v1/accounts/:accountId", here),
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
    route: "DELETE /v1/sessions",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/sessions" }),
    status: 204,
    serviceKeyStatus: 404,
  },
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
    // Any member with write access may create personal keys, but only an admin may create service
    // keys.
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
  {
    route: "PATCH /v1/api-keys/:id",
    least: "READ_WRITE",
    request: async ({ test: app }) => ({
      path: `/v1/api-keys/${(await createKey(app, "READ_ONLY")).id}`,
      body: { name: "renamed" },
    }),
    status: 200,
    isScoped: true,
    serviceKeyStatus: 404,
  },
  { ...read("/v1/audit-log"), least: "ADMIN" },
  { ...read("/v1/audit-log/facets"), least: "ADMIN" },
  { ...read("/v1/audit-log/export"), least: "ADMIN", isAudited: true },
  read("/v1/roles"),
  read("/v1/about"),
  read("/v1/servers"),
  read("/v1/locations"),
  read("/v1/location-records"),
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
  // This runtime cannot be installed. Only permitted callers receive the error about this.
  {
    route: "POST /v1/runtimes/:id/install",
    least: "ADMIN",
    request: () => ({ path: "/v1/runtimes/2022.10/install" }),
    status: 409,
    isUnaudited: true,
  },
];
