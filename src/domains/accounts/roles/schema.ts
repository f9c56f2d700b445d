import { Type } from "typebox";
import { Described, OneOf } from "../../../platform/http/schema.ts";
import { type Role, roles } from "../role.ts";
import type { OperationRoles } from "./role-table.ts";

const descriptions: Readonly<Record<Role, string>> = {
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
    roles: roles.map((role) => ({ role, description: descriptions[role] })),
    operations: operations.map(({ access: _access, ...shown }) => shown),
  };
}
