import { Type } from "typebox";
import { PreviewSchema } from "../../previews/index.ts";
import { CssWarningList } from "../../sites/index.ts";
import { DashboardChange } from "../schema.ts";

const { keys: _keys, ...settings } = DashboardChange.properties;

export const DashboardPreviewBody = Type.Object(
  {
    ...settings,
    dashboardId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 260,
        description:
          "The dashboard to change; omitted fields keep its values. Omit it to preview a new one.",
        examples: ["x7k2m9qa"],
      }),
    ),
  },
  { title: "DashboardPreviewInput" },
);

export const DashboardPreviewSchema = Type.Object(
  {
    ...PreviewSchema.properties,
    cssWarnings: CssWarningList,
    checkCount: Type.Integer({
      description: "Number of checks on all its pages.",
      examples: [12],
    }),
  },
  { title: "DashboardPreview" },
);
