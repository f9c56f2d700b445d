import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { imageRoles, type PageImageState } from "./image-store.ts";

export const ImageParams = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 63 }),
  role: OneOf(imageRoles),
});
export const ImageQuery = Type.Object({
  v: Type.Optional(Type.String({ maxLength: 64, description: "The picture's hash." })),
  key: Type.Optional(Type.String({ maxLength: 64, description: "A private page's key." })),
});

export const ImagesParams = Type.Object({ statusPageId: Guid });
export const ImageStateList = Type.Array(
  Type.Object({
    role: OneOf(imageRoles),
    hash: OrNull(Type.String({ description: "Null while there is nothing to show." })),
    fault: OrNull(Type.String({ description: "Why the last attempt to fetch it failed." })),
    fetchedAt: OrNull(DateTime),
    nextAttemptAt: OrNull(DateTime),
  }),
);

export function toWireImageState(image: PageImageState) {
  const { role, hash, fault, fetchedAt, nextAttemptAt } = image;
  return {
    role,
    hash,
    fault,
    fetchedAt: fetchedAt && formatDateTime(fetchedAt),
    nextAttemptAt: nextAttemptAt && formatDateTime(nextAttemptAt),
  };
}
