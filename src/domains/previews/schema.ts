import { Type } from "typebox";
import type { Preview } from "./preview.ts";

const examples = ["/previews/9Qf3v8c1s0b7k2d4x6y5n1m3/"];

export const PreviewSchema = Type.Object(
  {
    light: Type.String({
      description: "Path of the document in light mode.",
      examples,
    }),
    dark: Type.String({
      description: "Path of the document in dark mode.",
      examples: examples.map((path) => `${path}dark`),
    }),
    expiresAt: Type.String({
      format: "date-time",
      description: "When it is deleted; earlier if newer previews replace it.",
    }),
  },
  {
    title: "Preview",
    description: "A preview of a document. Anyone who knows the URL can view it; nothing is saved.",
  },
);

export function toWirePreview({ light, dark, expiresAt }: Preview) {
  return { light, dark, expiresAt: expiresAt.toISOString() };
}
