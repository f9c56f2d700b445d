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
