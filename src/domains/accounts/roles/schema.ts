import { Type } from "typebox";
import { Described, OneOf } from "../../../platform/http/schema.ts";
import { type Role, roles } from "../role.ts";
import type { OperationRoles } from "./role-table.ts";

const descriptions: Readonly<Record<Role, string>> = {
  READ_ONLY: "Sees everything but the audit log, and changes only what is their own.",
  READ_RUN: "Also runs checks now, tests channels and acknowledges alerts.",
  READ_WRITE: "Also creates, changes and deletes checks, channels, pages and incidents.",
  ADMIN: "Also changes members, invites, all API keys and the account, and reads the audit log.",
  OWNER: "Everything, also who else is an owner.",
};

export const RoleTable = Type.Object(
  {
    roles: Type.Array(
      Type.Object({
        role: Described(OneOf(roles), "The role."),
        description: Type.String({ description: "What it is for, in one sentence." }),
      }),
      { description: "From the least to the most. A role may do what every role before it may." },
    ),
    operations: Type.Array(
      Type.Object(
        {
          operationId: Type.String({
            description: "The operation's id in this document.",
            examples: ["createApiKey"],
          }),
          summary: Type.String({ description: "What it does.", examples: ["Rename an API key"] }),
          tag: Type.String({ description: "The heading it is under.", examples: ["API keys"] }),
          method: Type.String({ description: "The HTTP method.", examples: ["POST"] }),
          path: Type.String({ description: "The address.", examples: ["/v1/api-keys"] }),
          leastRole: Described(OneOf(roles), "The least role of a person who may."),
          leastKeyRole: Described(OneOf(roles), "The least role of an API key that may."),
        },
        { title: "RoleOperation" },
      ),
      { description: "Every operation that asks who is calling, in the order of the reference." },
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
