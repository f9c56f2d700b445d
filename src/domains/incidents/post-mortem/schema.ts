import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Filled, OrNull } from "../../../platform/http/schema.ts";
import { maxDescriptionLength } from "../incident.ts";
import type { PostMortem } from "./store.ts";

export const PostMortemBody = Type.Object(
  {
    body: Filled({
      maxLength: maxDescriptionLength,
      description: "The text, in Markdown.",
      examples: ["## What happened\nA certificate expired."],
    }),
    isPublished: Type.Optional(
      Type.Boolean({
        description: "Whether it is public. If omitted, unchanged; a new one is a draft.",
      }),
    ),
  },
  { title: "PostMortemInput" },
);

export const PostMortemSchema = Type.Object(
  {
    body: Type.String({ description: "The text, in Markdown." }),
    author: Type.String({ description: "Name of the last editor.", examples: ["Ada Lovelace"] }),
    publishedAt: Described(OrNull(DateTime), "Time of publication; `null` for a draft."),
    createdAt: Described(DateTime, "Creation time."),
    updatedAt: Described(DateTime, "Time of the last change."),
  },
  { title: "PostMortem" },
);

export const PostMortemAnswer = Type.Object({
  postMortem: Described(OrNull(PostMortemSchema), "The post-mortem; `null` if none was written."),
});

export function toWirePostMortem(one: PostMortem) {
  return {
    body: one.body,
    author: one.author,
    publishedAt: one.publishedAt && formatDateTime(one.publishedAt),
    createdAt: formatDateTime(one.createdAt),
    updatedAt: formatDateTime(one.updatedAt),
  };
}
