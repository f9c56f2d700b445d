import { Type } from "typebox";
import { formatDate } from "../../../platform/dates.ts";
import { Guid, OrNull } from "../../../platform/http/schema.ts";
import { maskPageKey, type PageKey, type ShownPageKey } from "./page-key.ts";

export const PageParams = Type.Object({ statusPageId: Guid });
export const PageKeyParams = Type.Object({ statusPageId: Guid, keyId: Guid });

const shown = {
  id: Guid,
  maskedKey: Type.String(),
  created_at: Type.String({ format: "date" }),
  updated_at: OrNull(Type.String({ format: "date" })),
};

export const PageKeySchema = Type.Object(shown);
export const PageKeyList = Type.Array(PageKeySchema);
export const ShownPageKeySchema = Type.Object({
  ...shown,
  rawKey: Type.String({ description: "The key itself. It is never shown again." }),
});

export function toWirePageKey(key: PageKey) {
  return {
    id: key.id,
    maskedKey: maskPageKey(key),
    created_at: formatDate(key.createdAt),
    updated_at: key.updatedAt && formatDate(key.updatedAt),
  };
}

export function toWireShownPageKey(key: ShownPageKey) {
  return { ...toWirePageKey(key), rawKey: key.rawKey };
}
