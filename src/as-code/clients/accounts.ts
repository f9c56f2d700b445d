import { Type } from "typebox";
import {
  type AccountsContext,
  accountPaths,
  type Caller,
  getAccount,
  getSelf,
  listOwnAccounts,
} from "../../access/accounts/index.ts";
import { publicLocations } from "../../checks/locations/index.ts";
import { defaultRuntime } from "../../checks/runtimes/index.ts";
import { answers, Described, Guid, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";

const tags = ["Existing clients"];

/**
 * Feature flags that are reported to clients. `EXTENDED_RESPONSE_TIME_LIMITS` means that the server
 * allows higher response time limits than the client knows. The client then leaves the validation
 * of these limits to the server.
 */
const features = ["EXTENDED_RESPONSE_TIME_LIMITS"];
const plan = { plan: "SELF_HOSTED", planDisplayName: "Self-hosted (no plan limits)" };

const planFields = {
  plan: Type.String({ description: "Always SELF_HOSTED.", examples: [plan.plan] }),
  planDisplayName: Type.String({
    description: "Display name of the plan.",
    examples: [plan.planDisplayName],
  }),
};
const Addons = Type.Object({}, { description: "Always empty: there is nothing to buy." });

const ClientAccount = Type.Object(
  {
    id: Described(Guid, "The account's id."),
    name: Type.String({ description: "Its name.", examples: ["Acme"] }),
    runtimeId: Type.String({
      description: "The runtime of checks that name none.",
      examples: [defaultRuntime.name],
    }),
    ...planFields,
    addons: Addons,
    features: Type.Array(Type.String(), {
      description: "What the server does although older versions of the client do not expect it.",
      examples: [features],
    }),
  },
  { title: "ClientAccount" },
);

const ClientUser = Type.Object(
  {
    id: Described(OrNull(Guid), "The user's id; `null` for a service key."),
    name: Type.String({
      description: "Name or email address of the user, or the label of a service key.",
      examples: ["Ada"],
    }),
  },
  { title: "ClientUser" },
);

const Entitlements = Type.Object(
  {
    ...planFields,
    addons: Addons,
    locations: Type.Object(
      {
        all: Type.Array(
          Type.Object({
            id: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
            name: Type.String({ description: "Its name.", examples: ["Frankfurt"] }),
            available: Type.Boolean({ description: "Always true." }),
          }),
          { description: "The public locations." },
        ),
        maxPerCheck: Type.Integer({
          description: "Maximum number of locations per check.",
          examples: [22],
        }),
      },
      { description: "Locations that checks may use." },
    ),
    entitlements: Type.Array(Type.Object({}), {
      description: "Always empty: this server has no plans, so nothing depends on one.",
      examples: [[]],
    }),
  },
  { title: "Entitlements" },
);

function toClientAccount({ id, name }: { readonly id: string; readonly name: string }) {
  return { id, name, runtimeId: defaultRuntime.name, ...plan, addons: {}, features };
}

function listEntitlements() {
  const all = Object.entries(publicLocations).map(([id, name]) => ({ id, name, available: true }));
  return { ...plan, addons: {}, locations: { all, maxPerCheck: all.length }, entitlements: [] };
}

async function describeCaller(context: AccountsContext, caller: Caller) {
  if (caller.userId === null) return { id: null, name: caller.label };
  const { id, name, email } = await getSelf(context, caller);
  return { id, name: name ?? email };
}

export function addClientAccountRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/next/accounts",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listClientAccounts",
        summary: "List your accounts, for the command line",
        description: "The accounts of `GET /v1/accounts`, for `login` and `switch`.",
        response: answers({ 200: Type.Array(ClientAccount) }),
      },
    },
    async ({ caller }) => (await listOwnAccounts(context, caller)).map(toClientAccount),
  );
  server.get(
    "/next/accounts/:accountId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getClientAccount",
        summary: "Get an account, for the command line",
        description: "The first request of most commands. It verifies the key.",
        params: Type.Object({ accountId: Described(Guid, "The account's id.") }),
        response: answers({ 200: ClientAccount }, "notFound"),
      },
    },
    async ({ caller }) => toClientAccount(await getAccount(context, caller)),
  );
  server.get(
    "/next/users/me",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getClientUser",
        summary: "Get your user, for the command line",
        description: "For `whoami`.",
        response: answers({ 200: ClientUser }),
      },
    },
    ({ caller }) => describeCaller(context, caller),
  );
  for (const { prefix, named, which, own } of accountPaths) {
    server.get(
      `${prefix}/entitlements`,
      {
        config: { access: "read" },
        schema: {
          tags,
          operationId: `get${own}Entitlements`,
          summary: `Get what the account may use${which}`,
          description: "This server has no plans: every account may use everything.",
          params: named,
          response: answers({ 200: Entitlements }),
        },
      },
      async () => listEntitlements(),
    );
  }
}
