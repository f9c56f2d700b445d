import { Type } from "typebox";

export const CssWarningList = Type.Array(
  Type.Object({
    line: Type.Integer({ description: "Line number, starting at 1." }),
    column: Type.Integer({ description: "Column number, starting at 1." }),
    message: Type.String({
      description: "What was removed, and why.",
      examples: ["removed: @import"],
    }),
  }),
  { description: "Parts of the style sheet that were removed, and why." },
);
