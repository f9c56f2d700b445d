import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Guid, Name, OrNull } from "../../platform/http/schema.ts";
import type { Account } from "./account.ts";

export const AccountBody = Type.Object({ name: Name });
export const AccountChange = Type.Object({ name: Type.Optional(Name) });

export const AccountSchema = Type.Object({
  id: Guid,
  name: Type.String(),
  plan: Type.String(),
  planDisplayName: Type.String(),
  created_at: DateTime,
  updated_at: OrNull(DateTime),
});
export const AccountList = Type.Array(AccountSchema);

export function toWireAccount(account: Account) {
  return {
    id: account.id,
    name: account.name,
    // Clients of the hosted service read a plan; here everything is included.
    plan: "SELF_HOSTED",
    planDisplayName: "Self-hosted",
    created_at: formatDateTime(account.createdAt),
    updated_at: account.updatedAt && formatDateTime(account.updatedAt),
  };
}
