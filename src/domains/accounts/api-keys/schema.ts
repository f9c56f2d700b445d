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
      "Whether the key belongs to a user or to the account.",
    ),
    role: Described(
      Type.Optional(OneOf(roles)),
      "Role of the key. Default: the caller's role, at most `READ_WRITE`.",
    ),
    expiresAt: Described(
      Type.Optional(OrNull(DateTime)),
      "Expiry time; `null` if the key never expires.",
    ),
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
  type: Described(OneOf(apiKeyTypes), "Whether the key belongs to a user or to the account."),
  userId: Described(OrNull(Guid), "Owner of the key; `null` for a service key."),
  role: Described(OneOf(roles), "Role of the key."),
  maskedKey: Type.String({
    description: "The key, masked except for its last characters.",
    examples: ["…4f2a"],
  }),
  created_at: Described(DateTime, "Creation time."),
  expiresAt: Described(OrNull(DateTime), "Expiry time; `null` if the key never expires."),
  lastUsedAt: Described(OrNull(DateTime), "Time of the last use; `null` if never used."),
  lastUsedAddress: Described(
    OrNull(Type.String()),
    "IP address of the last use; `null` if never used or unknown.",
    "192.0.2.7",
  ),
};

export const ApiKeySchema = Type.Object(shown, { title: "ApiKey" });
export const CreatedApiKeySchema = Type.Object(
  {
    ...shown,
    rawKey: Type.String({ description: "The key. It is never shown again." }),
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
