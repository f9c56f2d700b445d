import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Guid,
  Name,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { roles } from "../role.ts";
import { type ApiKey, apiKeyTypes, maskKey } from "./api-key.ts";

export const ApiKeyParams = Type.Object({ id: Guid });
export const ApiKeyQuery = Type.Object(CursorQuery);

export const ApiKeyBody = Type.Object({
  name: Name,
  type: Type.Optional(OneOf(apiKeyTypes)),
  role: Type.Optional(OneOf(roles)),
  expiresAt: Type.Optional(OrNull(DateTime)),
});

const shown = {
  id: Guid,
  name: Type.String(),
  type: OneOf(apiKeyTypes),
  userId: OrNull(Guid),
  role: OneOf(roles),
  maskedKey: Type.String(),
  created_at: DateTime,
  expiresAt: OrNull(DateTime),
  lastUsedAt: OrNull(DateTime),
};

export const ApiKeySchema = Type.Object(shown);
export const CreatedApiKeySchema = Type.Object({
  ...shown,
  rawKey: Type.String({ description: "The key itself. It is never shown again." }),
});
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
  };
}

export function fromWireApiKey(body: Type.Static<typeof ApiKeyBody>) {
  return { ...body, expiresAt: body.expiresAt ? new Date(body.expiresAt) : null };
}
