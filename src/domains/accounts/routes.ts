import { Type } from "typebox";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { changeAccount, createAccount, getAccount, listOwnAccounts } from "./actions.ts";
import { addApiKeyRoutes } from "./api-keys/routes.ts";
import { addAuditRoutes } from "./audit/routes.ts";
import type { AccountsContext } from "./context.ts";
import { addInviteAnswerRoutes, addMemberRoutes } from "./members/routes.ts";
import { addOidcRoutes } from "./oidc/routes.ts";
import { addPasskeyRoutes } from "./passkeys/routes.ts";
import { addPasswordResetRoutes } from "./password-resets/routes.ts";
import { addRoleRoutes } from "./roles/routes.ts";
import { AccountBody, AccountChange, AccountList, AccountSchema, toWireAccount } from "./schema.ts";
import { addSecondFactorRoutes } from "./second-factors/routes.ts";
import { addSessionRoutes } from "./sessions/routes.ts";
import { addSignInWaysRoute } from "./sessions/ways-route.ts";
import { addSignInLinkRoutes } from "./sign-in-links/routes.ts";
import { addUserRoutes } from "./users/routes.ts";

const tags = ["Accounts"];

/** An account is named as `me`, the one of the key or header, or by its id. */
export const accountPaths = [
  { prefix: "/v1/accounts/me", named: Type.Object({}), which: "", own: "Own" },
  {
    prefix: "/v1/accounts/:accountId",
    named: Type.Object({ accountId: Described(Guid, "The account's id.") }),
    which: ", by account id",
    own: "",
  },
] as const;

/** The first room to add its routes: the table of roles collects those of every other. */
export function addAccountRoutes(server: HttpServer, context: AccountsContext): void {
  addRoleRoutes(server);
  server.get(
    "/v1/accounts",
    {
      config: { access: "read", isOpenWithoutSecondFactor: true },
      schema: {
        tags,
        operationId: "listAccounts",
        summary: "List the accounts the key may act for",
        description:
          "The key's own account, and for a user's key or session every account that the user is a " +
          "member of, with the role there. Name one in `x-service-account` to act for it.",
        response: answers({ 200: AccountList }),
      },
    },
    async ({ caller }) =>
      (await listOwnAccounts(context, caller)).map((account) =>
        toWireAccount(account, caller.roleIn(account.id) ?? caller.role),
      ),
  );
  server.post(
    "/v1/accounts",
    {
      config: { access: "owner" },
      schema: {
        tags,
        operationId: "createAccount",
        summary: "Create a further account and own it",
        description: "Whoever calls becomes the owner of the new account.",
        body: AccountBody,
        response: answers({ 201: AccountSchema }),
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(toWireAccount(await createAccount(context, caller, body), "OWNER")),
  );
  for (const { prefix, named, which, own } of accountPaths) {
    server.get(
      prefix,
      {
        config: { access: "read", isOpenWithoutSecondFactor: true },
        schema: {
          tags,
          operationId: `get${own}Account`,
          summary: `Read the account${which}`,
          description:
            "Its name and plan. Without an id it is the account of the key, or the one " +
            "that `x-service-account` names.",
          params: named,
          response: answers({ 200: AccountSchema }, "notFound"),
        },
      },
      async ({ caller }) => toWireAccount(await getAccount(context, caller), caller.role),
    );
    server.patch(
      prefix,
      {
        config: { access: "admin" },
        schema: {
          tags,
          operationId: `update${own}Account`,
          summary: `Change the account${which}`,
          description: "A field that is left out stays as it is.",
          params: named,
          body: AccountChange,
          response: answers({ 200: AccountSchema }, "notFound", "conflict"),
        },
      },
      async ({ caller, body }) =>
        toWireAccount(await changeAccount(context, caller, body), caller.role),
    );
    addMemberRoutes(server, context, { prefix, named, which, own });
  }
  addInviteAnswerRoutes(server, context);
  addUserRoutes(server, context);
  addSessionRoutes(server, context);
  addSecondFactorRoutes(server, context);
  addPasskeyRoutes(server, context);
  addSignInLinkRoutes(server, context);
  addPasswordResetRoutes(server, context);
  addSignInWaysRoute(server, context);
  addOidcRoutes(server, context);
  addApiKeyRoutes(server, context);
  addAuditRoutes(server, context);
}
