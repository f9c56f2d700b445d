import { Type } from "typebox";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  AccountBody,
  AccountChange,
  AccountList,
  AccountSchema,
  changeAccount,
  createAccount,
  getAccount,
  listOwnAccounts,
  RoleTable,
  toWireAccount,
  toWireRoleTable,
} from "./accounts.ts";
import { addApiKeyRoutes } from "./api-keys/api-keys.ts";
import { addAuditRoutes } from "./audit/audit-log.ts";
import { addRoles, type OperationRoles } from "./caller.ts";
import type { AccountsContext } from "./context.ts";
import { addDeviceLoginRoutes } from "./device-logins/routes.ts";
import { addInviteAnswerRoutes, addMemberRoutes } from "./members/routes.ts";
import { addOidcRoutes } from "./oidc/oidc-sign-in.ts";
import { addPasskeyRoutes } from "./passkeys/routes.ts";
import { addSecondFactorRoutes } from "./second-factors/routes.ts";
import { addSessionRoutes, addSignInWaysRoute } from "./sessions/routes.ts";
import { addPasswordResetRoutes, addSignInLinkRoutes } from "./sign-in-links/sign-in-links.ts";
import { addUserRoutes } from "./users/routes.ts";

const tags = ["Accounts"];

/** URL prefixes of account routes: `me` for the credential's own account, or an account id. */
export const accountPaths = [
  { prefix: "/v1/accounts/me", named: Type.Object({}), which: "", own: "Own" },
  {
    prefix: "/v1/accounts/:accountId",
    named: Type.Object({ accountId: Described(Guid, "The account's id.") }),
    which: ", by account id",
    own: "",
  },
] as const;

/**
 * Adds the account routes. Must be called before any other module adds routes, because the list of
 * roles per operation contains only routes that are added later.
 */
export function addAccountRoutes(server: HttpServer, context: AccountsContext): void {
  addRoleRoutes(server);
  server.get(
    "/v1/accounts",
    {
      config: { access: "read", isOpenWithoutSecondFactor: true },
      schema: {
        tags,
        operationId: "listAccounts",
        summary: "List your accounts",
        description:
          "The account of the key. For a user's key or session, every account the user is a " +
          "member of, with their role. Send an id as `x-service-account` to act for that " +
          "account.",
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
        summary: "Create another account",
        description: "The caller becomes its owner.",
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
          summary: `Get the account${which}`,
          description:
            "Name and plan. Without an id, the account of the key, or the one named in " +
            "`x-service-account`.",
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
          description: "Omitted fields keep their value.",
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
  addDeviceLoginRoutes(server, context);
  addPasswordResetRoutes(server, context);
  addSignInWaysRoute(server, context);
  addOidcRoutes(server, context);
  addApiKeyRoutes(server, context);
  addAuditRoutes(server, context);
}

/**
 * Collects the access level of every operation that is not public. Must be called before any other
 * route is added.
 */
function addRoleRoutes(server: HttpServer): void {
  const operations: OperationRoles[] = [];
  server.addHook("onRoute", ({ method, url, schema, config }) => {
    const { access } = config ?? {};
    const { operationId, summary, tags } = schema ?? {};
    const isShown = schema?.hide !== true && method !== "HEAD";
    if (!isShown || access === undefined || access === "public") return;
    if (operationId === undefined || summary === undefined) return;
    const path = url.replaceAll(/:(\w+)/g, "{$1}");
    const [tag = ""] = tags ?? [];
    operations.push(addRoles({ operationId, summary, tag, method: String(method), path, access }));
  });
  server.get(
    "/v1/roles",
    {
      config: { access: "read" },
      schema: {
        tags: ["Members"],
        operationId: "listRoles",
        summary: "List the roles and their permissions",
        description:
          "Every operation of this server with the lowest role that may call it, computed from " +
          "the rules that authorise requests.",
        response: answers({ 200: RoleTable }),
      },
    },
    async () => toWireRoleTable(operations),
  );
}
