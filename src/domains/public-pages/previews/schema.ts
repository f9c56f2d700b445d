import { Type } from "typebox";
import { Described, Guid } from "../../../platform/http/schema.ts";
import { PreviewSchema } from "../../previews/index.ts";
import { CssWarningList } from "../../sites/index.ts";
import { ContrastWarningSchema, PaletteSchema, StatusPageBody } from "../../status-pages/index.ts";

export const StatusPagePreviewBody = Type.Object(
  {
    ...StatusPageBody.properties,
    id: Described(
      Type.Optional(Guid),
      "The status page that is changed; what is absent is as it has it. Absent: a new page.",
    ),
  },
  { title: "StatusPagePreviewInput" },
);

export const StatusPagePreviewSchema = Type.Object(
  {
    ...PreviewSchema.properties,
    themeColors: Type.Object(
      {
        light: Described(PaletteSchema, "The colours on light."),
        dark: Described(PaletteSchema, "The colours on dark."),
      },
      { description: "The colours that are shown: its own, or the usual ones." },
    ),
    contrastWarnings: Type.Array(ContrastWarningSchema, {
      description: "Pairs of colours with less contrast than level AA of WCAG requires.",
    }),
    cssWarnings: CssWarningList,
  },
  { title: "StatusPagePreview" },
);
