import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
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
import {
  CreatedPasskeySchema,
  PasskeyChange,
  PasskeyList,
  PasskeyOptionsSchema,
  PasskeyParams,
  PasskeySchema,
  PasskeySignInBody,
  PasskeySignInOptionsBody,
  ProofBody,
  RegistrationBody,
  toWireOptions,
  toWirePasskey,
} from "./schema.ts";

const tags = ["Second factors"];
const config = { access: "self", isOpenWithoutSecondFactor: true } as const;
const needsName =
  "A passkey is bound to a host name. It works at https addresses and `localhost`, but not at IP " +
  "addresses such as 127.0.0.1. If passkeys are not supported here, the response is 409 with " +
  "the reason.";

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
