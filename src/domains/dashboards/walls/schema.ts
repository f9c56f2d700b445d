import { Type } from "typebox";

export const WallParams = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) });
export const PictureParams = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  role: Type.Enum(["logo", "favicon"], { type: "string" }),
});

export const WallQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 10_000, default: 1 }),
  expand: Type.Optional(Type.Enum(["0", "1"], { type: "string" })),
  key: Type.Optional(Type.String({ maxLength: 200 })),
});
export type WallQuery = Type.Static<typeof WallQuery>;

export const KeyQuery = Type.Object({ key: Type.Optional(Type.String({ maxLength: 200 })) });

/** What the form of a private dashboard sends. */
export function readForm(body: unknown): string {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : "";
  return new URLSearchParams(text).get("key") ?? "";
}
