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
      "The status page to change; omitted fields keep its values. Omit it to preview a new page.",
    ),
  },
  { title: "StatusPagePreviewInput" },
);

export const StatusPagePreviewSchema = Type.Object(
  {
    ...PreviewSchema.properties,
    themeColors: Type.Object(
      {
        light: Described(PaletteSchema, "Colours of the light theme."),
        dark: Described(PaletteSchema, "Colours of the dark theme."),
      },
      { description: "The resulting colours: custom, derived or default." },
    ),
    contrastWarnings: Type.Array(ContrastWarningSchema, {
      description: "Colour pairs with less contrast than WCAG level AA requires.",
    }),
    cssWarnings: CssWarningList,
  },
  { title: "StatusPagePreview" },
);
