import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Name,
  Nothing,
  publicAnswers,
} from "../../../platform/http/schema.ts";
import { addScope, type HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { getSelf } from "../users/actions.ts";
import {
  answerDeviceLogin,
  createDeviceKey,
  DeviceLoginLimits,
  getDeviceLogin,
  type PolledLogin,
  pollDeviceLogin,
  startDeviceLogin,
} from "./actions.ts";
import { type DeviceLogin, formatUserCode, lifetimeSeconds } from "./device-login.ts";

const tags = ["Existing clients"];
const grantType = "urn:ietf:params:oauth:grant-type:device_code";

const DeviceCodeBody = Type.Object(
  {
    client_id: Type.String({ maxLength: 200, description: "Not used." }),
    scope: Type.Optional(Type.String({ maxLength: 200, description: "Not used." })),
  },
  { title: "DeviceCodeInput" },
);
const DeviceCodeAnswer = Type.Object(
  {
    device_code: Type.String({ description: "Secret of the device." }),
    user_code: Type.String({ description: "What the user enters.", examples: ["BCDF-GHJK"] }),
    verification_uri: Type.String({ description: "Where the user enters it." }),
    verification_uri_complete: Type.String({ description: "The same with the code filled in." }),
    expires_in: Type.Integer({ description: "Seconds until it expires.", examples: [600] }),
    interval: Type.Integer({ description: "Seconds between two polls.", examples: [5] }),
  },
  { title: "DeviceCode" },
);

const TokenBody = Type.Object(
  {
    grant_type: Type.Literal(grantType, { description: "Always the grant of a device code." }),
    device_code: Type.String({ maxLength: 200, description: "Secret of the device." }),
    client_id: Type.Optional(Type.String({ maxLength: 200, description: "Not used." })),
  },
  { title: "DeviceTokenInput" },
);
const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: "An API key that works until the login expires." }),
    id_token: Type.String({ description: "Unsigned JWT with the name of the user." }),
    token_type: Type.String({ description: "Always Bearer.", examples: ["Bearer"] }),
    expires_in: Type.Integer({ description: "Seconds until it expires.", examples: [540] }),
  },
  { title: "DeviceToken" },
);
const TokenError = Type.Object(
  {
    error: Type.String({
      description:
        "`authorization_pending`, `slow_down`, `access_denied`, `expired_token` or `invalid_grant`.",
      examples: ["authorization_pending"],
    }),
  },
  { title: "DeviceTokenError" },
);

const UserCodeParams = Type.Object({
  userCode: Type.String({
    maxLength: 20,
    description: "The code that the device shows; case, spaces and hyphens are ignored.",
    examples: ["BCDF-GHJK"],
  }),
});
const DeviceLoginSchema = Type.Object(
  {
    userCode: Type.String({ description: "Its code.", examples: ["BCDF-GHJK"] }),
    client: Type.String({ description: "User agent of the device.", examples: ["axios/1.21.1"] }),
    address: Type.String({ description: "IP address of the device.", examples: ["192.0.2.7"] }),
    createdAt: CreatedAt,
    expiresAt: Described(DateTime, "When it expires."),
  },
  { title: "DeviceLogin" },
);

const ClientSelf = Type.Object(
  {
    id: Type.String({ description: "The user's id." }),
    name: Type.String({ description: "Name or email address.", examples: ["Ada"] }),
    email: Type.String({ description: "Email address.", examples: ["ada@example.com"] }),
  },
  { title: "DeviceUser" },
);
const KeyAnswer = Type.Object(
  {
    key: Type.String({ description: "The API key, shown once.", examples: ["vd_…"] }),
    name: Type.String({ description: "Its name.", examples: ["CLI User Key (laptop)"] }),
  },
  { title: "DeviceKey" },
);

const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * Writes an unsigned ID token, from which the client reads the user's name without verifying it.
 * This server never accepts the token.
 */
function writeIdToken(issuer: string, granted: Extract<PolledLogin, { kind: "granted" }>): string {
  const { user, expiresAt } = granted;
  const exp = Math.floor(expiresAt.getTime() / 1_000);
  const claims = { iss: issuer, sub: user.id, name: user.name ?? user.email, email: user.email };
  return `${encodePart({ alg: "none", typ: "JWT" })}.${encodePart({ ...claims, exp })}.`;
}

/** Adds the OAuth routes that a device calls without an API key. Their bodies are form fields. */
function addOauthRoutes(
  scope: HttpServer,
  context: AccountsContext,
  limits: DeviceLoginLimits,
): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: 4_096 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  scope.post(
    "/oauth/device/code",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "startDeviceLogin",
        summary: "Start the sign-in of a command line",
        description: "RFC 8628. The user confirms the code in the web application.",
        body: DeviceCodeBody,
        response: publicAnswers({ 200: DeviceCodeAnswer }, "invalidRequest"),
      },
    },
    async ({ ip, headers }) => {
      const device = { client: headers["user-agent"] ?? "", address: ip };
      const login = await startDeviceLogin(context, limits, device);
      const url = `${context.publicUrl()}/device`;
      const userCode = formatUserCode(login.userCode);
      return {
        device_code: login.deviceCode,
        user_code: userCode,
        verification_uri: url,
        verification_uri_complete: `${url}?code=${userCode}`,
        expires_in: lifetimeSeconds,
        interval: login.intervalSeconds,
      };
    },
  );
  scope.post(
    "/oauth/token",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "pollDeviceLogin",
        summary: "Poll the sign-in of a command line",
        description:
          "Answers 400 with an `error` of RFC 8628 until the user has confirmed the code.",
        body: TokenBody,
        response: { ...publicAnswers({ 200: TokenAnswer }), 400: TokenError },
      },
    },
    async ({ body }, reply) => {
      reply.header("cache-control", "no-store");
      const polled = await pollDeviceLogin(context, body.device_code);
      if (polled.kind !== "granted") return reply.code(400).send({ error: polled.error });
      const leftMs = polled.expiresAt.getTime() - context.clock.nowMs();
      return reply.code(200).send({
        access_token: polled.key,
        id_token: writeIdToken(context.publicUrl(), polled),
        token_type: "Bearer",
        expires_in: Math.floor(leftMs / 1_000),
      });
    },
  );
}

/** Adds the routes that a device calls with the temporary API key of its login. */
function addDeviceRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/users/me",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getDeviceUser",
        summary: "Get your user, for the sign-in of the command line",
        description: "A service key has no user and receives 404.",
        response: answers({ 200: ClientSelf }, "notFound"),
      },
    },
    async ({ caller }) => {
      const { id, name, email } = await getSelf(context, caller);
      return { id, name: name ?? email, email };
    },
  );
  server.post(
    "/users/me/api-keys",
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createDeviceKey",
        summary: "Create an API key, for the sign-in of the command line",
        description: "The same as `POST /v1/api-keys` with the type USER.",
        querystring: Type.Object({ name: Described(Name, "Its name.", "CLI User Key (laptop)") }),
        response: answers({ 201: KeyAnswer }, "conflict"),
      },
    },
    async ({ caller, query }, reply) => {
      const { rawKey, name } = await createDeviceKey(context, caller, query.name);
      return reply.code(201).send({ key: rawKey, name });
    },
  );
}

function toWireLogin({ userCode, client, address, createdAt, expiresAt }: DeviceLogin) {
  return {
    ...{ userCode: formatUserCode(userCode), client, address },
    createdAt: formatDateTime(createdAt),
    expiresAt: formatDateTime(expiresAt),
  };
}

/** Adds the routes for signing in on a command line, which the user confirms in the browser. */
export function addDeviceLoginRoutes(server: HttpServer, context: AccountsContext): void {
  const limits = new DeviceLoginLimits(context);
  addScope(server, (scope) => addOauthRoutes(scope, context, limits));
  addDeviceRoutes(server, context);
  server.get(
    "/v1/device-logins/:userCode",
    {
      config: { access: "self" },
      schema: {
        tags: ["Sessions"],
        operationId: "getDeviceLogin",
        summary: "Get the device that waits under a code",
        description: "Answers 429 after ten wrong codes within a minute.",
        params: UserCodeParams,
        response: answers({ 200: DeviceLoginSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireLogin(await getDeviceLogin(context, limits, caller, params.userCode)),
  );
  for (const isApproved of [true, false]) {
    server.post(
      isApproved ? "/v1/device-logins/:userCode/approve" : "/v1/device-logins/:userCode/deny",
      {
        config: { access: "self" },
        schema: {
          tags: ["Sessions"],
          operationId: isApproved ? "approveDeviceLogin" : "denyDeviceLogin",
          summary: isApproved ? "Sign a device in" : "Reject a device that wants to sign in",
          description: isApproved
            ? "The device receives an API key of the caller that works until the login expires, " +
              "and creates its own key with it."
            : "The device stops waiting.",
          params: UserCodeParams,
          response: answers({ 204: Nothing }, "notFound", "conflict"),
        },
      },
      async ({ caller, params }, reply) => {
        await answerDeviceLogin(context, limits, caller, { ...params, isApproved });
        return reply.code(204).send(null);
      },
    );
  }
}
