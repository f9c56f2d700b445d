import { Type } from "typebox";
import { Described, Email, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { SignInChallengeSchema, toWireChallenge } from "../second-factors/schema.ts";
import { challengeUser } from "../second-factors/sign-in.ts";
import { openSession, presentSession, readSessionOrigin } from "../sessions/opened-session.ts";
import { CreatedSessionSchema } from "../sessions/schema.ts";
import { Password } from "../users/schema.ts";
import { signInByLink } from "./actions.ts";
import { requestReset, resetPassword } from "./password-resets.ts";

const LinkToken = Type.String({
  minLength: 20,
  maxLength: 200,
  description: "Token of the link: the value after `=`.",
  examples: ["q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPzA1eGiCoBvE"],
});

const tags = ["Sessions"];

const ResetRequest = Type.Object(
  { email: Described(Email, "The email address.", "ada@example.com") },
  { title: "PasswordResetInput" },
);

const ResetAnswer = Type.Object(
  { token: LinkToken, newPassword: Password },
  { title: "PasswordResetAnswer" },
);

const LinkBody = Type.Object({ token: LinkToken }, { title: "SignInLink" });

export function addSignInLinkRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/sessions/link",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "createSessionByLink",
        summary: "Sign in with a one-time link",
        description:
          "The response sets a session cookie. The first start prints a link, and `vedette " +
          "sign-in-link` creates another. It works once and expires after an hour. For an hour, " +
          "the session may set a password without the current one.",
        body: LinkBody,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers({ 201: CreatedSessionSchema }, "invalidRequest", "notFound"),
      },
    },
    async (request, reply) => {
      const opened = await signInByLink(context, request.body.token, readSessionOrigin(request));
      return reply.code(201).send(presentSession(context, reply, opened));
    },
  );
}

export function addPasswordResetRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/password-resets",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "createPasswordReset",
        summary: "Mail a password reset link",
        description:
          "The response is the same whether or not the address exists. The link works once and " +
          "expires after an hour. 409 if the server cannot send mail.",
        body: ResetRequest,
        response: publicAnswers({ 204: Nothing }, "invalidRequest", "conflict"),
      },
    },
    async ({ body, ip }, reply) => {
      requestReset(context, { email: body.email, address: ip });
      return reply.code(204).send(null);
    },
  );
  server.post(
    "/v1/password-resets/answer",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "answerPasswordReset",
        summary: "Reset the password with the token of a mailed link, and sign in",
        description:
          "Ends every session of the user; the response sets the cookie of a new one. A user " +
          "with a second factor receives 202, as when signing in. A rejected password does not " +
          "consume the link.",
        body: ResetAnswer,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers(
          { 201: CreatedSessionSchema, 202: SignInChallengeSchema },
          "invalidRequest",
          "notFound",
        ),
      },
    },
    async (request, reply) => {
      const origin = readSessionOrigin(request);
      const user = await resetPassword(context, request.body, origin);
      const proven = { user, way: "RESET" as const, host: request.host };
      const challenge = await challengeUser(context, proven);
      if (challenge !== null) return reply.code(202).send(toWireChallenge(challenge));
      const opened = await openSession(context, user, { ...origin, way: "RESET" });
      return reply.code(201).send(presentSession(context, reply, opened));
    },
  );
}
