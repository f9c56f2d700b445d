import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, Name, OneOf, OrNull } from "../../platform/http/schema.ts";
import { type OperationRoles, type Role, roles } from "./role.ts";
import type { Account } from "./store.ts";

export const AccountBody = Type.Object(
  { name: Described(Name, "Its name.", "Acme") },
  { title: "AccountInput" },
);
export const AccountChange = Type.Object(
  {
    name: Described(Type.Optional(Name), "Its name.", "Acme"),
    requiresSecondFactor: Type.Optional(
      Type.Boolean({
        description:
          "Whether members must have a second factor to sign in. Only an owner can change it; an " +
          "owner who enables it must have a second factor.",
        examples: [true],
      }),
    ),
  },
  { title: "AccountChange" },
);

export const AccountSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Acme"] }),
    requiresSecondFactor: Type.Boolean({
      description:
        "Whether members must have a second factor to sign in. A member without one can only set " +
        "one up. API keys are not affected.",
      examples: [false],
    }),
    plan: Type.String({ description: "Always SELF_HOSTED.", examples: ["SELF_HOSTED"] }),
    planDisplayName: Type.String({
      description: "Display name of the plan.",
      examples: ["Self-hosted"],
    }),
    role: Type.Enum([...roles], {
      type: "string",
      description: "Role of the caller in the account.",
      examples: ["READ_WRITE"],
    }),
    created_at: Described(DateTime, "Creation time."),
    updated_at: Described(OrNull(DateTime), "Time of the last change; `null` if never changed."),
  },
  { title: "Account" },
);
export const AccountList = Type.Array(AccountSchema);

export function toWireAccount(account: Account, role: Role) {
  return {
    id: account.id,
    name: account.name,
    requiresSecondFactor: account.requiresSecondFactor,
    // Clients of the hosted service expect a plan.
    plan: "SELF_HOSTED",
    planDisplayName: "Self-hosted",
    role,
    created_at: formatDateTime(account.createdAt),
    updated_at: account.updatedAt && formatDateTime(account.updatedAt),
  };
}

const roleDescriptions: Readonly<Record<Role, string>> = {
  READ_ONLY:
    "Views everything except the audit log. Changes only their own user, keys and sessions.",
  READ_RUN: "Also runs checks, tests channels and acknowledges alerts.",
  READ_WRITE: "Also creates, changes and deletes checks, channels, pages and incidents.",
  ADMIN: "Also manages members, invites, all API keys and the account, and reads the audit log.",
  OWNER: "Also manages the owners of the account.",
};

export const RoleTable = Type.Object(
  {
    roles: Type.Array(
      Type.Object({
        role: Described(OneOf(roles), "The role."),
        description: Type.String({ description: "Summary of the role." }),
      }),
      {
        description:
          "Ordered from least to most powerful. Each role includes the permissions of those " +
          "before it.",
      },
    ),
    operations: Type.Array(
      Type.Object(
        {
          operationId: Type.String({
            description: "The operation's id in this document.",
            examples: ["createApiKey"],
          }),
          summary: Type.String({ description: "What it does.", examples: ["Rename an API key"] }),
          tag: Type.String({ description: "Tag of the operation.", examples: ["API keys"] }),
          method: Type.String({ description: "The HTTP method.", examples: ["POST"] }),
          path: Type.String({ description: "The address.", examples: ["/v1/api-keys"] }),
          leastRole: Described(OneOf(roles), "Lowest role of a user that may call it."),
          leastKeyRole: Described(OneOf(roles), "Lowest role of an API key that may call it."),
        },
        { title: "RoleOperation" },
      ),
      { description: "Every operation that needs authentication, in the order of the reference." },
    ),
  },
  { title: "RoleTable" },
);

export function toWireRoleTable(operations: readonly OperationRoles[]) {
  return {
    roles: roles.map((role) => ({ role, description: roleDescriptions[role] })),
    operations: operations.map(({ access: _access, ...shown }) => shown),
  };
}
