import { Type } from "typebox";
import { Described, ObjectOrNull, OrNull, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { oidcStartPath } from "../oidc/oidc.ts";
import { findRelyingParty } from "../passkeys/relying-party.ts";

const SignInWaysSchema = Type.Object(
  {
    password: Type.Boolean({
      description: "Whether users can sign in with email address and password.",
    }),
    passwordReset: Type.Boolean({
      description: "Whether the server can mail password reset links.",
    }),
    passkey: Type.Object(
      {
        isUsable: Type.Boolean({
          description: "Whether passkeys are supported at the address of this request.",
        }),
        reason: Described(
          OrNull(Type.String()),
          "Why passkeys are not supported; `null` if they are.",
          null,
        ),
      },
      { description: "Sign-in with a passkey instead of a password." },
    ),
    oidc: Described(
      ObjectOrNull(
        Type.Object({
          name: Type.String({
            description: "Display name of the provider.",
            examples: ["Example ID"],
          }),
          path: Type.String({
            description:
              "URL that starts the sign-in. The `return` query parameter is the path to return to.",
            examples: ["/sign-in/oidc"],
          }),
        }),
      ),
      "Sign-in with an OpenID provider; `null` if none is configured.",
    ),
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
        summary: "List the available sign-in methods",
        description:
          "Needs no key. Depends on the server's settings and, for passkeys, on the address of " +
          "the request.",
        response: publicAnswers({ 200: SignInWaysSchema }),
      },
    },
    async ({ host }) => {
      const party = findRelyingParty(context.configuredUrl, host);
      const { oidc } = context;
      return {
        password: true,
        passwordReset: context.mailer !== null,
        passkey: {
          isUsable: party.kind === "usable",
          reason: party.kind === "usable" ? null : party.reason,
        },
        oidc: oidc && { name: oidc.settings.name, path: oidcStartPath },
      };
    },
  );
}
