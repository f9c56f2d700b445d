import { Type } from "typebox";

export const ViewParams = Type.Object({
  name: Type.String({ description: "The dashboard's id or name.", minLength: 1, maxLength: 100 }),
});
export const PictureParams = Type.Object({
  name: Type.String({ description: "The dashboard's id or name.", minLength: 1, maxLength: 100 }),
  role: Type.Enum(["logo", "favicon"], { description: "Which picture.", type: "string" }),
});

export const ViewQuery = Type.Object({
  page: Type.Integer({
    description: "Page number, from 1; 0 is the same as 1.",
    minimum: 1,
    maximum: 10_000,
    default: 1,
  }),
  expand: Type.Optional(
    Type.Enum(["0", "1"], {
      description: "Whether each check shows its locations.",
      type: "string",
    }),
  ),
  key: Type.Optional(Type.String({ description: "Key of a private dashboard.", maxLength: 200 })),
});
export type ViewQuery = Type.Static<typeof ViewQuery>;

export const KeyQuery = Type.Object({
  key: Type.Optional(Type.String({ description: "Key of a private dashboard.", maxLength: 200 })),
});

/** Reads the key from the form of a private dashboard. */
export function readForm(body: unknown): string {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : "";
  return new URLSearchParams(text).get("key") ?? "";
}
