import { Type } from "typebox";
import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { PageKey, ShownPageKey } from "../../sites/index.ts";

export const PageParams = Type.Object({ statusPageId: Described(Guid, "The status page's id.") });
export const PageKeyParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  keyId: Described(Guid, "The key's id."),
});

const shown = {
  id: Described(Guid, "Its id."),
  maskedKey: Type.String({
    description: "The key, masked except for its last characters.",
    examples: ["…4f2a"],
  }),
  created_at: Type.String({ description: "Date of creation, in UTC.", format: "date" }),
  updated_at: Described(
    OrNull(Type.String({ format: "date" })),
    "Date of the last change, in UTC; `null` if never changed.",
  ),
  lastUsedAt: Described(
    OrNull(DateTime),
    "Time of the last use, to the minute; `null` if never used.",
  ),
};

export const PageKeySchema = Type.Object(shown, { title: "StatusPageKey" });
export const PageKeyList = Type.Array(PageKeySchema);
export const ShownPageKeySchema = Type.Object(
  {
    ...shown,
    rawKey: Type.String({ description: "The key. It is never shown again." }),
  },
  { title: "CreatedStatusPageKey" },
);

export function toWirePageKey(key: PageKey) {
  return {
    id: key.id,
    maskedKey: key.maskedKey,
    created_at: formatDate(key.createdAt),
    updated_at: key.updatedAt && formatDate(key.updatedAt),
    lastUsedAt: key.lastUsedAt && formatDateTime(key.lastUsedAt),
  };
}

export function toWireShownPageKey(key: ShownPageKey) {
  return { ...toWirePageKey(key), rawKey: key.rawKey };
}
