import { Type } from "typebox";
import { Described, ObjectOrNull, OrNull, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { oidcStartPath } from "../oidc/oidc.ts";
import { findRelyingParty } from "../passkeys/relying-party.ts";

const SignInWaysSchema = Type.Object(
  {
    password: Type.Boolean({ description: "With an email address and a password." }),
    passwordReset: Type.Boolean({
      description: "Whether a link for a forgotten password can be mailed.",
    }),
    passkey: Type.Object(
      {
        isUsable: Type.Boolean({
          description: "Whether browsers allow passkeys at the address of this request.",
        }),
        reason: Described(OrNull(Type.String()), "Why they do not; null: they do.", null),
      },
      { description: "With a passkey, without a password." },
    ),
    oidc: Described(
      ObjectOrNull(
        Type.Object({
          name: Type.String({
            description: "How people know the provider.",
            examples: ["Example ID"],
          }),
          path: Type.String({
            description: "Where a browser goes; `return` in its query is where it comes back to.",
            examples: ["/sign-in/oidc"],
          }),
        }),
      ),
      "With an OpenID provider; null: none is set up.",
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
        summary: "Read how people can sign in here",
        description:
          "Needs no key. It depends on the server's settings, and for passkeys on the address " +
          "that was asked.",
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
