import { Type } from "typebox";
import type { Preview } from "./preview.ts";

const examples = ["/previews/9Qf3v8c1s0b7k2d4x6y5n1m3/"];

export const PreviewSchema = Type.Object(
  {
    light: Type.String({
      description: "Where the document is, below the address of this server, as it looks on light.",
      examples,
    }),
    dark: Type.String({
      description: "The same on dark.",
      examples: examples.map((path) => `${path}dark`),
    }),
    expiresAt: Type.String({
      format: "date-time",
      description: "When it is deleted, or earlier when newer previews take its place.",
    }),
  },
  {
    title: "Preview",
    description: "A document to look at. Whoever knows the address sees it; nothing is saved.",
  },
);

export function toWirePreview({ light, dark, expiresAt }: Preview) {
  return { light, dark, expiresAt: expiresAt.toISOString() };
}
