import { Type } from "typebox";
import { publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { presentSession, readSessionOrigin } from "../sessions/opened-session.ts";
import { CreatedSessionSchema } from "../sessions/schema.ts";
import { signInByLink } from "./actions.ts";

export const LinkToken = Type.String({
  minLength: 20,
  maxLength: 200,
  description: "Token of the link: the value after `=`.",
  examples: ["q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPzA1eGiCoBvE"],
});
const LinkBody = Type.Object({ token: LinkToken }, { title: "SignInLink" });

export function addSignInLinkRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/sessions/link",
    {
      config: { access: "public" },
      schema: {
        tags: ["Sessions"],
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
