import { Type } from "typebox";

export const CssWarningList = Type.Array(
  Type.Object({
    line: Type.Integer({ description: "The line, from 1." }),
    column: Type.Integer({ description: "The column, from 1." }),
    message: Type.String({
      description: "What was left out, and why.",
      examples: ["left out: @import"],
    }),
  }),
  { description: "What was left out of the styles, and why." },
);
