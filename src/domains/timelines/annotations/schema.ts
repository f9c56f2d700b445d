import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CreatedAt,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  PageQuery,
} from "../../../platform/http/schema.ts";
import { type Annotation, annotationTypes } from "./annotation.ts";

const Tag = Type.String({ minLength: 1, maxLength: 255 });

const shared = {
  type: Described(
    OneOf(annotationTypes),
    "NOTE for general information; DEPLOYMENT for a new version that went live.",
    "DEPLOYMENT",
  ),
  text: Type.String({
    description: "The text shown at the mark.",
    examples: ["shop 4.2.0"],
    minLength: 1,
    maxLength: 500,
  }),
};

export const AnnotationBody = Type.Object(
  {
    ...shared,
    url: Described(
      Type.Optional(OrNull(Type.String({ maxLength: 2_048 }))),
      "An http or https URL with details, such as the release; `null` for none.",
      "https://ci.example.com/runs/7",
    ),
    at: Described(
      Type.Optional(DateTime),
      "When it happened, at most one day ahead and 800 days ago; by default now.",
    ),
    checkId: Described(
      Type.Optional(OrNull(Guid)),
      "The only check whose chart shows it; `null` if `tags` select the checks.",
      null,
    ),
    tags: Type.Optional(
      Type.Array(Tag, {
        description:
          "Shown by checks with one of these tags, their own or their group's. Without tags and " +
          "`checkId`, every check of the account shows it.",
        examples: [["shop"]],
        maxItems: 20,
      }),
    ),
  },
  { title: "AnnotationInput" },
);

export const AnnotationSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    ...shared,
    url: Described(
      OrNull(Type.String()),
      "A URL with details; `null` if there is none.",
      "https://ci.example.com/runs/7",
    ),
    at: Described(DateTime, "When it happened."),
    checkId: Described(OrNull(Guid), "The only check that it applies to; `null` if several.", null),
    tags: Type.Array(Type.String(), { description: "Tags of the checks that it applies to." }),
    author: Type.String({
      description: "Name of the person or API key that added it, at that time.",
      examples: ["ci"],
    }),
    created_at: CreatedAt,
  },
  { title: "Annotation" },
);

export const AnnotationList = Type.Array(AnnotationSchema);
export const AnnotationParams = Type.Object({ id: Described(Guid, "The annotation's id.") });
export const AnnotationsQuerySchema = Type.Object({
  ...PageQuery,
  from: Described(Type.Optional(DateTime), "Only annotations at this time or later."),
  to: Described(Type.Optional(DateTime), "Only annotations before this time."),
  checkId: Described(Type.Optional(Guid), "Only annotations of this check alone."),
});

export function toWireAnnotation(annotation: Annotation) {
  const { id, type, text, url, at, checkId, tags, author, createdAt } = annotation;
  return {
    id,
    type,
    text,
    url,
    at: formatDateTime(at),
    checkId,
    tags: [...tags],
    author,
    created_at: formatDateTime(createdAt),
  };
}
