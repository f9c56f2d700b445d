import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Filled,
  Guid,
  Matching,
  Nothing,
  OrNull,
  publicAnswers,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { ChallengeToken, ProofBody } from "../second-factors/schema.ts";
import type { Passkey } from "../second-factors/second-factor.ts";
import { presentSession, readSessionOrigin } from "../sessions/actions.ts";
import { CreatedSessionSchema } from "../sessions/session.ts";
import {
  beginPasskeySignIn,
  beginRegistration,
  finishRegistration,
  listOwnPasskeys,
  removePasskey,
  renamePasskey,
  signInByPasskey,
} from "./actions.ts";

const tags = ["Second factors"];
const config = { access: "self", isOpenWithoutSecondFactor: true } as const;
const needsName =
  "A passkey is bound to a host name. It works at https addresses and `localhost`, but not at IP " +
  "addresses such as 127.0.0.1. If passkeys are not supported here, the response is 409 with " +
  "the reason.";

const exampleToken = "q2o0mE1v…";
const PasskeyName = Filled({ maxLength: 100 });
const Encoded = (maxLength: number) =>
  Matching("^[A-Za-z0-9_-]+$", "must be base64url", { minLength: 1, maxLength });
const CredentialId = Encoded(1_400);

const PasskeyParams = Type.Object({ id: Described(Guid, "The passkey's id.") });

const PasskeySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "The name you gave it.", examples: ["Laptop"] }),
    host: Type.String({
      description: "Host name the passkey was created for. It works on no other host.",
      examples: ["status.example.com"],
    }),
    isSynced: Type.Boolean({
      description: "Whether the passkey is synced to your other devices.",
      examples: [true],
    }),
    created_at: Described(DateTime, "Creation time."),
    lastUsedAt: Described(
      OrNull(DateTime),
      "Time of the last sign-in with it; `null` if never used.",
    ),
  },
  { title: "Passkey" },
);
const PasskeyList = Type.Array(PasskeySchema);

/** Options for the browser, a JSON object that Web Authentication level 3 defines. */
const OptionsForBrowser = Type.Object({}, { additionalProperties: true });

const PasskeyOptionsSchema = Type.Object(
  {
    optionsToken: Type.String({
      description: "Send it with the browser's response.",
      examples: [exampleToken],
    }),
    expiresAt: Described(DateTime, "Expiry time. The token works once."),
    options: Described(
      OptionsForBrowser,
      "Input for `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` in the browser.",
      { challenge: "pnZ7…", rpId: "status.example.com" },
    ),
  },
  { title: "PasskeyOptions" },
);

const PasskeySignInOptionsBody = Type.Object(
  {
    challengeToken: Described(
      Type.Optional(ChallengeToken),
      "Challenge token of a sign-in whose first factor is verified. Omit it to sign in with the " +
        "passkey alone.",
      exampleToken,
    ),
  },
  { title: "PasskeySignInOptionsInput" },
);

const wholeAnswer = {
  id: Described(CredentialId, "The credential's id.", "dGhpcyBpcyBpdA"),
  rawId: Described(CredentialId, "The same.", "dGhpcyBpcyBpdA"),
  type: Type.Literal("public-key", { description: "Always `public-key`." }),
  clientExtensionResults: Type.Object(
    {},
    { additionalProperties: true, description: "Results of WebAuthn extensions.", examples: [{}] },
  ),
};

const RegistrationBody = Type.Object(
  {
    optionsToken: Described(ChallengeToken, "Token returned with the options.", exampleToken),
    name: Described(PasskeyName, "Name of the passkey.", "Laptop"),
    response: Type.Object(
      {
        ...wholeAnswer,
        response: Type.Object(
          {
            clientDataJSON: Described(Encoded(8_192), "What the browser signed.", "eyJ0eXBlIjoi"),
            attestationObject: Described(Encoded(65_536), "The new public key.", "o2NmbXRkbm9u"),
            transports: Type.Optional(
              Type.Array(Type.String({ maxLength: 32 }), {
                maxItems: 10,
                description: "Transports of the authenticator.",
                examples: [["internal"]],
              }),
            ),
          },
          { description: "Response of the authenticator." },
        ),
      },
      { description: "`toJSON()` of what `navigator.credentials.create` returned." },
    ),
  },
  { title: "PasskeyInput" },
);

const PasskeySignInBody = Type.Object(
  {
    optionsToken: Described(ChallengeToken, "Token returned with the options.", exampleToken),
    challengeToken: Described(
      Type.Optional(ChallengeToken),
      "Challenge token that the options were requested with, if any.",
      exampleToken,
    ),
    response: Type.Object(
      {
        ...wholeAnswer,
        response: Type.Object(
          {
            clientDataJSON: Described(Encoded(8_192), "What the browser signed.", "eyJ0eXBlIjoi"),
            authenticatorData: Described(Encoded(8_192), "Flags and counter.", "SZYN5YgOjGh0"),
            signature: Described(Encoded(8_192), "The signature.", "MEUCIQDx"),
            userHandle: Described(
              Type.Optional(Type.String({ maxLength: 200 })),
              "User handle stored by the authenticator.",
              "MDE4",
            ),
          },
          { description: "Response of the authenticator." },
        ),
      },
      { description: "`toJSON()` of what `navigator.credentials.get` returned." },
    ),
  },
  { title: "PasskeySignIn" },
);

const CreatedPasskeySchema = Type.Object(
  {
    ...PasskeySchema.properties,
    recoveryCodes: Described(
      OrNull(Type.Array(Type.String())),
      "Ten recovery codes, returned only with your first second factor; otherwise `null`.",
      null,
    ),
  },
  { title: "CreatedPasskey" },
);
const PasskeyChange = Type.Object(
  { name: Described(PasskeyName, "Name of the passkey.", "Old laptop") },
  { title: "PasskeyChange" },
);

function toWirePasskey(passkey: Passkey) {
  return {
    id: passkey.id,
    name: passkey.name,
    host: passkey.host,
    isSynced: passkey.isSynced,
    created_at: formatDateTime(passkey.createdAt),
    lastUsedAt: passkey.lastUsedAt && formatDateTime(passkey.lastUsedAt),
  };
}

/** Converts issued options to the plain JSON object that the schema describes. */
function toWireOptions(issued: {
  readonly token: string;
  readonly expiresAt: Date;
  readonly options: object;
}) {
  const { token, expiresAt, options } = issued;
  return {
    optionsToken: token,
    expiresAt: formatDateTime(expiresAt),
    options: { ...options } as Record<string, unknown>,
  };
}

export function addPasskeyRoutes(server: HttpServer, context: AccountsContext): void {
  addPasskeySignInRoutes(server, context);
  addRegistrationRoutes(server, context);
  server.get(
    "/v1/users/me/passkeys",
    {
      config: { ...config, access: "read" },
      schema: {
        tags,
        operationId: "listPasskeys",
        summary: "List your passkeys",
        description: "At most twenty, oldest first.",
        response: answers({ 200: PasskeyList }, "notFound"),
      },
    },
    async ({ caller }) => (await listOwnPasskeys(context, caller)).map(toWirePasskey),
  );
  server.patch(
    "/v1/users/me/passkeys/:id",
    {
      config,
      schema: {
        tags,
        operationId: "updatePasskey",
        summary: "Rename a passkey",
        description: "Needs a session.",
        params: PasskeyParams,
        body: PasskeyChange,
        response: answers({ 200: PasskeySchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) =>
      toWirePasskey(await renamePasskey(context, caller, { id: params.id, name: body.name })),
  );
  server.post(
    "/v1/users/me/passkeys/:id/remove",
    {
      config,
      schema: {
        tags,
        operationId: "removePasskey",
        summary: "Delete a passkey",
        description:
          "Needs a session younger than 15 minutes, your password, or a code. Deleting the last " +
          "second factor also deletes the recovery codes.",
        params: PasskeyParams,
        body: ProofBody,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params, body }, reply) => {
      await removePasskey(context, caller, { id: params.id, proof: body });
      return reply.code(204).send(null);
    },
  );
}

function addRegistrationRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/users/me/passkeys/options",
    {
      config,
      schema: {
        tags,
        operationId: "beginPasskey",
        summary: "Start adding a passkey",
        description: `Needs a session younger than 15 minutes, your password, or a code. ${needsName}`,
        body: ProofBody,
        response: answers({ 200: PasskeyOptionsSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body, host }) =>
      toWireOptions(await beginRegistration(context, caller, { host, proof: body })),
  );
  server.post(
    "/v1/users/me/passkeys",
    {
      config,
      schema: {
        tags,
        operationId: "createPasskey",
        summary: "Finish adding a passkey",
        description:
          "A passkey signs you in without a password, and serves as the second factor after one. " +
          "If it is your first second factor, the response contains recovery codes.",
        body: RegistrationBody,
        response: answers({ 201: CreatedPasskeySchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body, host }, reply) => {
      const registered = await finishRegistration(context, caller, { ...body, host });
      const { passkey, recoveryCodes } = registered;
      return reply
        .code(201)
        .send({ ...toWirePasskey(passkey), recoveryCodes: recoveryCodes && [...recoveryCodes] });
    },
  );
}

function addPasskeySignInRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/sessions/passkey/options",
    {
      config: { access: "public" },
      schema: {
        tags: ["Sessions"],
        operationId: "beginPasskeySignIn",
        summary: "Start signing in with a passkey",
        description: needsName,
        body: PasskeySignInOptionsBody,
        response: publicAnswers(
          { 200: PasskeyOptionsSchema },
          "invalidRequest",
          "badChallenge",
          "conflict",
        ),
      },
    },
    async ({ body, host }) => {
      const { challengeToken } = body;
      return toWireOptions(await beginPasskeySignIn(context, { host, challengeToken }));
    },
  );
  server.post(
    "/v1/sessions/passkey",
    {
      config: { access: "public" },
      schema: {
        tags: ["Sessions"],
        operationId: "createSessionByPasskey",
        summary: "Finish signing in with a passkey",
        description: "Without a challenge token, the passkey replaces the password.",
        body: PasskeySignInBody,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers(
          { 201: CreatedSessionSchema },
          "invalidRequest",
          "badPasskey",
          "conflict",
        ),
      },
    },
    async (request, reply) => {
      const answer = { ...request.body, host: request.host };
      const opened = await signInByPasskey(context, answer, readSessionOrigin(request));
      return reply.code(201).send(presentSession(context, reply, opened));
    },
  );
}
