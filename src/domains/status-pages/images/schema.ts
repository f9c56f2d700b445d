import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { imageRoles, type PageImageState } from "../../sites/index.ts";

export const ImageParams = Type.Object({
  url: Type.String({ description: "The page's address.", minLength: 1, maxLength: 63 }),
  role: Described(OneOf(imageRoles), "Which picture."),
});
export const ImageQuery = Type.Object({
  v: Type.Optional(Type.String({ maxLength: 64, description: "The picture's hash." })),
  key: Type.Optional(Type.String({ maxLength: 64, description: "Key of a private page." })),
});

export const ImagesParams = Type.Object({ statusPageId: Described(Guid, "The status page's id.") });
export const ImageStateList = Type.Array(
  Type.Object({
    role: Described(OneOf(imageRoles), "Which picture.", "logo"),
    hash: OrNull(Type.String({ description: "Hash of the image; `null` if there is none." })),
    fault: OrNull(
      Type.String({ description: "Why the last fetch failed; `null` if it succeeded." }),
    ),
    fetchedAt: Described(OrNull(DateTime), "Time of the last fetch; `null` if never fetched."),
    nextAttemptAt: Described(
      OrNull(DateTime),
      "Time of the next attempt; `null` if there is none.",
    ),
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
