import { answers, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { presentSession, readSessionOrigin } from "../sessions/actions.ts";
import { CreatedSessionSchema } from "../sessions/session.ts";
import {
  beginTotp,
  confirmTotp,
  getOwnFactors,
  removeTotp,
  renewRecoveryCodes,
  signInByCode,
} from "./actions.ts";
import {
  CodeAnswerBody,
  OwnFactorsSchema,
  ProofBody,
  RecoveryCodesSchema,
  TotpConfirmation,
  TotpSetUpSchema,
  toWireFactors,
  toWireSetUp,
} from "./schema.ts";

const tags = ["Second factors"];
/**
 * Options of routes that also accept users whose account requires a second factor that they have
 * not set up yet.
 */
const config = { access: "self", isOpenWithoutSecondFactor: true } as const;

export function addSecondFactorRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/sessions/second-factor",
    {
      config: { access: "public" },
      schema: {
        tags: ["Sessions"],
        operationId: "createSessionBySecondFactor",
        summary: "Finish signing in with a code",
        description:
          "For a sign-in that returned 202 with a challenge token. A code works once. Repeated " +
          "wrong codes are rate limited; the challenge stays valid.",
        body: CodeAnswerBody,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers({ 201: CreatedSessionSchema }, "invalidRequest", "badCode"),
      },
    },
    async (request, reply) => {
      const opened = await signInByCode(context, request.body, readSessionOrigin(request));
      return reply.code(201).send(presentSession(context, reply, opened));
    },
  );
  server.get(
    "/v1/users/me/second-factors",
    {
      config: { ...config, access: "read" },
      schema: {
        tags,
        operationId: "getSecondFactors",
        summary: "Get your second factors",
        description: "Includes whether passkeys are supported at this address and, if not, why.",
        response: answers({ 200: OwnFactorsSchema }, "notFound"),
      },
    },
    async ({ caller, host }) => toWireFactors(await getOwnFactors(context, caller, host)),
  );
  addTotpRoutes(server, context);
  server.post(
    "/v1/users/me/recovery-codes",
    {
      config,
      schema: {
        tags,
        operationId: "renewRecoveryCodes",
        summary: "Replace your recovery codes",
        description:
          "Creates ten codes; the old ones stop working. Each replaces a second factor once. " +
          "They are shown only in this response. Needs a session, and your password or a code of " +
          "your app.",
        body: ProofBody,
        response: answers({ 201: RecoveryCodesSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const codes = await renewRecoveryCodes(context, caller, body);
      return reply.code(201).send({ recoveryCodes: [...codes] });
    },
  );
}

function addTotpRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/users/me/totp",
    {
      config,
      schema: {
        tags,
        operationId: "beginTotp",
        summary: "Start setting up an authenticator app",
        description:
          "Nothing changes until the first code is confirmed. Needs a session younger than 15 " +
          "minutes, or your password.",
        body: ProofBody,
        response: answers({ 200: TotpSetUpSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }) => toWireSetUp(await beginTotp(context, caller, body)),
  );
  server.post(
    "/v1/users/me/totp/confirm",
    {
      config,
      schema: {
        tags,
        operationId: "confirmTotp",
        summary: "Finish setting up an authenticator app",
        description:
          "From now on, signing in needs a code. The response shows ten recovery codes once; " +
          "store them safely.",
        body: TotpConfirmation,
        response: answers({ 201: RecoveryCodesSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const codes = await confirmTotp(context, caller, body);
      return reply.code(201).send({ recoveryCodes: [...codes] });
    },
  );
  server.post(
    "/v1/users/me/totp/remove",
    {
      config,
      schema: {
        tags,
        operationId: "removeTotp",
        summary: "Remove the authenticator app",
        description:
          "Needs a session, and your password or a code of your app. Removing the last second " +
          "factor also deletes the recovery codes.",
        body: ProofBody,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      await removeTotp(context, caller, body);
      return reply.code(204).send(null);
    },
  );
}
