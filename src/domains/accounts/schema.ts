import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, Name, OrNull } from "../../platform/http/schema.ts";
import type { Account } from "./account.ts";
import { type Role, roles } from "./role.ts";

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
          "Whether members who sign in need a second factor. Only an owner may change it, and " +
          "one who is a person must have one themselves.",
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
        "Whether members who sign in need a second factor: who has none may only set one up. API " +
        "keys are not concerned.",
      examples: [false],
    }),
    plan: Type.String({ description: "Always SELF_HOSTED.", examples: ["SELF_HOSTED"] }),
    planDisplayName: Type.String({ description: "The plan in words.", examples: ["Self-hosted"] }),
    role: Type.Enum([...roles], {
      type: "string",
      description: "What the caller may do in it.",
      examples: ["READ_WRITE"],
    }),
    created_at: Described(DateTime, "When it was created."),
    updated_at: Described(OrNull(DateTime), "When it was last changed; null: never."),
  },
  { title: "Account" },
);
export const AccountList = Type.Array(AccountSchema);

export function toWireAccount(account: Account, role: Role) {
  return {
    id: account.id,
    name: account.name,
    requiresSecondFactor: account.requiresSecondFactor,
    // Clients of the hosted service read a plan; here everything is included.
    plan: "SELF_HOSTED",
    planDisplayName: "Self-hosted",
    role,
    created_at: formatDateTime(account.createdAt),
    updated_at: account.updatedAt && formatDateTime(account.updatedAt),
  };
}
