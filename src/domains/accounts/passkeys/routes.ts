import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { presentSession, readSessionOrigin } from "../sessions/opened-session.ts";
import { CreatedSessionSchema } from "../sessions/schema.ts";
import { listOwnPasskeys, removePasskey, renamePasskey } from "./actions.ts";
import { beginRegistration, finishRegistration } from "./registration.ts";
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
import { beginPasskeySignIn, signInByPasskey } from "./sign-in.ts";

const tags = ["Second factors"];
const config = { access: "self", isOpenWithoutSecondFactor: true } as const;
const needsName =
  "Browsers tie a passkey to a host name: it works at https addresses and at `localhost`, never at " +
  "an IP address such as 127.0.0.1. Where it cannot work the answer is 409 and says why.";

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
        summary: "Delete a passkey; it no longer signs you in",
        description:
          "Needs a session that is younger than 15 minutes, or your password or a code. With the " +
          "last second factor the recovery codes go too.",
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
        summary: "Begin to add a passkey",
        description: `Needs a session that is younger than 15 minutes, or your password or a code. ${needsName}`,
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
        summary: "Add a passkey: the answer of the browser, and a name",
        description:
          "It signs you in without a password, and is asked for after one. The first second " +
          "factor comes with recovery codes.",
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
        summary: "Sign in by a passkey: what to ask the browser for",
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
        summary: "Sign in by a passkey: the answer of the browser",
        description: "Without a challenge token it takes the place of the password.",
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
