import { Type } from "typebox";
import { publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";

const SignInWaysSchema = Type.Object(
  {
    password: Type.Boolean({ description: "With an email address and a password." }),
    passwordReset: Type.Boolean({
      description: "Whether a link for a forgotten password can be mailed.",
    }),
  },
  { title: "SignInWays" },
);

export function addSignInWaysRoute(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/v1/sign-in-ways",
    {
      config: { access: "public" },
      schema: {
        tags: ["Sessions"],
        operationId: "getSignInWays",
        summary: "Read how people can sign in here",
        description: "Needs no key. It depends on the server's settings alone.",
        response: publicAnswers({ 200: SignInWaysSchema }),
      },
    },
    async () => ({ password: true, passwordReset: context.mailer !== null }),
  );
}
