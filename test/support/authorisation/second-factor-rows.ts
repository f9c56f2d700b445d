import { createHash } from "node:crypto";
import { addMember, signIn } from "../apps/cast.ts";
import { readAppCode } from "../modules/second-factors.ts";
import { SoftwareAuthenticator } from "../modules/software-authenticator.ts";
import { type Row, read, type Scene, type Sent } from "./authorisation-row.ts";

export const passkeyOrigin = "http://localhost:3000";

interface Holder {
  readonly cookie: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

const holders = new WeakMap<Scene, Promise<Holder>>();

async function newHolder({ test: app }: Scene): Promise<Holder> {
  app.clock.advance(600_000);
  const person = await addMember(app, "holder@example.com", { role: "READ_ONLY" });
  return { ...person, cookie: await signIn(app, person.email, person.password) };
}

/**
 * Returns a member without a second factor, after deleting the second factors that earlier rows
 * have set up.
 */
async function getHolder(scene: Scene): Promise<Holder> {
  const holder = holders.get(scene) ?? newHolder(scene);
  holders.set(scene, holder);
  const { userId } = await holder;
  for (const table of ["totp_secrets", "recovery_codes", "passkeys"]) {
    await scene.test.query(`delete from ${table} where user_id = $1`, [userId]);
  }
  // The clock advances, because the number of attempts is limited and a code is valid only one
  // time.
  scene.test.clock.advance(600_000);
  return holder;
}

async function post(scene: Scene, sent: Sent) {
  const { path, ...options } = sent;
  const answer = await scene.test.call("POST", path, options);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

async function beginTotp(scene: Scene): Promise<Sent> {
  const { cookie, password } = await getHolder(scene);
  const begun = await post(scene, { path: "/v1/users/me/totp", cookie, body: { password } });
  const code = readAppCode(scene.test, begun.secret);
  const body = { setUpToken: begun.setUpToken, code };
  return { path: "/v1/users/me/totp/confirm", cookie, body };
}

/**
 * Returns a request that changes the email address. The address alternates between two values, so
 * that every caller can send the request.
 */
async function changeEmail(scene: Scene): Promise<Sent> {
  const { cookie, password } = await getHolder(scene);
  const { test: app } = scene;
  const { body } = await app.call("GET", "/v1/users/me", { cookie });
  const email = body.email === "holder@example.com" ? "moved@example.com" : "holder@example.com";
  const change = { email, currentPassword: password };
  return { path: "/v1/users/me/email", cookie, body: change };
}

const emailToken = "token-of-a-mailed-link-0123456789";

/**
 * Creates the state of a server that has mailed a confirmation link, before the user opens the
 * link.
 */
async function waitForEmail(scene: Scene): Promise<string> {
  const { cookie, userId } = await getHolder(scene);
  await scene.test.query("delete from email_changes where user_id = $1", [userId]);
  await scene.test.query(
    `insert into email_changes (user_id, new_email, token_hash, created_at, expires_at)
      values ($1, 'waiting-' || gen_random_uuid() || '@example.com', $2, now(), 'infinity')`,
    [userId, createHash("sha256").update(emailToken).digest()],
  );
  return cookie;
}

async function addPasskey(scene: Scene): Promise<Sent & { authenticator: SoftwareAuthenticator }> {
  const { cookie, password } = await getHolder(scene);
  const path = "/v1/users/me/passkeys";
  const begun = await post(scene, { path: `${path}/options`, cookie, body: { password } });
  const authenticator = new SoftwareAuthenticator(passkeyOrigin);
  const response = authenticator.create(begun.options);
  const body = { optionsToken: begun.optionsToken, name: "Laptop", response };
  return { path, cookie, body, authenticator };
}

/** Only a session may perform these operations, whatever the role of its user. */
const bySession = { least: "READ_WRITE", serviceKeyStatus: 403 } as const;

const signInRows: readonly Row[] = [
  {
    route: "POST /v1/sessions/second-factor",
    least: null,
    request: async (scene) => {
      const { recoveryCodes } = await post(scene, await beginTotp(scene));
      const { email, password } = await (holders.get(scene) ?? getHolder(scene));
      const first = await post(scene, {
        path: "/v1/sessions",
        key: null,
        body: { email, password },
      });
      const [code] = recoveryCodes;
      const body = { challengeToken: first.challengeToken, method: "RECOVERY_CODE", code };
      return { path: "/v1/sessions/second-factor", body };
    },
    status: 201,
  },
  {
    route: "POST /v1/sessions/passkey/options",
    least: null,
    request: () => ({ path: "/v1/sessions/passkey/options", body: {} }),
    status: 200,
    isUnaudited: true,
  },
  {
    route: "POST /v1/sessions/passkey",
    least: null,
    request: async (scene) => {
      const { authenticator, ...sent } = await addPasskey(scene);
      await post(scene, sent);
      const path = "/v1/sessions/passkey";
      const { optionsToken, options } = await post(scene, {
        path: `${path}/options`,
        key: null,
        body: {},
      });
      return { path, body: { optionsToken, response: authenticator.get(options) } };
    },
    status: 201,
  },
];

/**
 * Identity provider routes. No provider is configured here; `oidc/sign-in.test.ts` configures one.
 */
const oidcRows: readonly Row[] = ["", "/callback"].map((end) => ({
  route: `GET /sign-in/oidc${end}`,
  least: null,
  request: () => ({ path: `/sign-in/oidc${end}?again=1` }),
  status: 404,
}));

export const secondFactorRows: readonly Row[] = [
  ...oidcRows,
  ...signInRows,
  { ...read("/v1/users/me/second-factors"), serviceKeyStatus: 404 },
  {
    route: "POST /v1/users/me/totp",
    ...bySession,
    request: async (scene) => {
      const { cookie, password } = await getHolder(scene);
      return { path: "/v1/users/me/totp", cookie, body: { password } };
    },
    status: 200,
    // Nothing is stored until the user confirms a code.
    isUnaudited: true,
  },
  { route: "POST /v1/users/me/totp/confirm", ...bySession, request: beginTotp, status: 201 },
  ...["totp/remove", "recovery-codes"].map((name) => ({
    route: `POST /v1/users/me/${name}`,
    ...bySession,
    request: async (scene: Scene) => {
      const begun = await beginTotp(scene);
      await post(scene, begun);
      const { password } = await (holders.get(scene) ?? getHolder(scene));
      return { path: `/v1/users/me/${name}`, cookie: begun.cookie ?? "", body: { password } };
    },
    status: name === "totp/remove" ? 204 : 201,
  })),
  { route: "PUT /v1/users/me/email", ...bySession, request: changeEmail, status: 200 },
  {
    route: "POST /v1/users/me/email/confirm",
    ...bySession,
    request: async (scene) => {
      const path = "/v1/users/me/email/confirm";
      return { path, cookie: await waitForEmail(scene), body: { token: emailToken } };
    },
    status: 200,
  },
  {
    route: "DELETE /v1/users/me/email/pending",
    ...bySession,
    request: async (scene) => {
      return { path: "/v1/users/me/email/pending", cookie: await waitForEmail(scene) };
    },
    status: 204,
  },
  { ...read("/v1/users/me/passkeys"), serviceKeyStatus: 404 },
  {
    route: "POST /v1/users/me/passkeys/options",
    ...bySession,
    request: async (scene) => {
      const { cookie, password } = await getHolder(scene);
      return { path: "/v1/users/me/passkeys/options", cookie, body: { password } };
    },
    status: 200,
    isUnaudited: true,
  },
  {
    route: "POST /v1/users/me/passkeys",
    ...bySession,
    request: async (scene) => {
      const { authenticator: _authenticator, ...sent } = await addPasskey(scene);
      return sent;
    },
    status: 201,
  },
  {
    route: "PATCH /v1/users/me/passkeys/:id",
    ...bySession,
    request: async (scene) => {
      const { authenticator: _authenticator, ...sent } = await addPasskey(scene);
      const { id } = await post(scene, sent);
      const path = `/v1/users/me/passkeys/${id}`;
      return { path, cookie: sent.cookie ?? "", body: { name: "Phone" } };
    },
    status: 200,
  },
  {
    route: "POST /v1/users/me/passkeys/:id/remove",
    ...bySession,
    request: async (scene) => {
      const { authenticator: _authenticator, ...sent } = await addPasskey(scene);
      const { id } = await post(scene, sent);
      const { password } = await (holders.get(scene) ?? getHolder(scene));
      const path = `/v1/users/me/passkeys/${id}/remove`;
      return { path, cookie: sent.cookie ?? "", body: { password } };
    },
    status: 204,
  },
];
