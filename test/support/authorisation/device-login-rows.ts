import { randomBytes, randomUUID } from "node:crypto";
import { createUserCode } from "../../../src/access/accounts/device-logins/device-login.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

/**
 * Stores a device login directly in the database, because a device may start only a few logins per
 * minute.
 */
async function newLogin({ test: app }: Scene): Promise<string> {
  const code = createUserCode();
  const at = app.clock.now();
  await app.query(
    `insert into device_logins (id, device_hash, user_code, client, address, created_at, expires_at,
      interval_seconds) values ($1, $2, $3, 'test', '192.0.2.1', $4, $5, 5)`,
    [randomUUID(), randomBytes(32), code, at, new Date(at.getTime() + 600_000)],
  );
  return code;
}

const answerRow = (verb: "approve" | "deny"): Row => ({
  route: `POST /v1/device-logins/:userCode/${verb}`,
  least: "READ_WRITE",
  request: async (scene) => ({ path: `/v1/device-logins/${await newLogin(scene)}/${verb}` }),
  status: 204,
  serviceKeyStatus: 400,
});

export const deviceLoginRows: readonly Row[] = [
  {
    route: "POST /oauth/device/code",
    least: null,
    request: () => ({ path: "/oauth/device/code", body: { client_id: "cli" } }),
    status: 200,
    isUnaudited: true,
  },
  {
    route: "POST /oauth/token",
    least: null,
    request: () => ({
      path: "/oauth/token",
      body: {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: "unknown",
      },
    }),
    status: 400,
    isUnaudited: true,
  },
  { ...read("/users/me"), serviceKeyStatus: 404 },
  {
    route: "POST /users/me/api-keys",
    least: "READ_WRITE",
    request: () => ({ path: "/users/me/api-keys?name=laptop" }),
    status: 201,
    serviceKeyStatus: 400,
  },
  {
    route: "GET /v1/device-logins/:userCode",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/device-logins/${await newLogin(scene)}` }),
    status: 200,
  },
  answerRow("approve"),
  answerRow("deny"),
];
