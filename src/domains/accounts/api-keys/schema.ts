import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  Name,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { roles } from "../role.ts";
import { type ApiKey, apiKeyTypes, maskKey } from "./api-key.ts";

export const ApiKeyParams = Type.Object({ id: Described(Guid, "The key's id.") });
export const ApiKeyQuery = Type.Object(CursorQuery);

export const ApiKeyBody = Type.Object(
  {
    name: Described(Name, "Its name.", "CI"),
    type: Described(
      Type.Optional(OneOf(apiKeyTypes)),
      "Whose it is: a user's own, or the account's.",
    ),
    role: Described(
      Type.Optional(OneOf(roles)),
      "What it may do; by default as much as the caller.",
    ),
    expiresAt: Described(Type.Optional(OrNull(DateTime)), "When it stops working; null: never."),
  },
  { title: "ApiKeyInput" },
);

export const ApiKeyChange = Type.Object(
  { name: Described(Name, "Its name.", "CI") },
  { title: "ApiKeyChange" },
);

const shown = {
  id: Described(Guid, "Its id."),
  name: Type.String({ description: "Its name.", examples: ["CI"] }),
  type: Described(OneOf(apiKeyTypes), "Whose it is: a user's own, or the account's."),
  userId: Described(OrNull(Guid), "Whose key it is; null: the account's."),
  role: Described(OneOf(roles), "What it may do."),
  maskedKey: Type.String({
    description: "The key, masked except for its end.",
    examples: ["…4f2a"],
  }),
  created_at: Described(DateTime, "When it was created."),
  expiresAt: Described(OrNull(DateTime), "When it stops working; null: never."),
  lastUsedAt: Described(OrNull(DateTime), "When it was last used; null: never."),
  lastUsedAddress: Described(
    OrNull(Type.String()),
    "The address it was last used from; null: never used, or not known.",
    "192.0.2.7",
  ),
};

export const ApiKeySchema = Type.Object(shown, { title: "ApiKey" });
export const CreatedApiKeySchema = Type.Object(
  {
    ...shown,
    rawKey: Type.String({ description: "The key itself. It is never shown again." }),
  },
  { title: "CreatedApiKey" },
);
export const ApiKeyPage = CursorPage(ApiKeySchema);

export function toWireApiKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    type: key.type,
    userId: key.userId,
    role: key.role,
    maskedKey: maskKey(key.lastFour),
    created_at: formatDateTime(key.createdAt),
    expiresAt: key.expiresAt && formatDateTime(key.expiresAt),
    lastUsedAt: key.lastUsedAt && formatDateTime(key.lastUsedAt),
    lastUsedAddress: key.lastUsedAddress,
  };
}

export function fromWireApiKey(body: Type.Static<typeof ApiKeyBody>) {
  return { ...body, expiresAt: body.expiresAt ? new Date(body.expiresAt) : null };
}
