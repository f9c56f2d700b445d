import { Type } from "typebox";
import { allKinds, gatherFields } from "../../../kinds/index.ts";
import { schemasOf } from "../../../kinds/tool-fields.ts";
import { count, type DataOf, figure, listOf, shape, text, time } from "../tool.ts";
import { CheckId, CheckType, CountsSchema } from "./check-data.ts";

const figureFields = {
  runs: CountsSchema,
  availabilityPercent: figure("from 0 to 100; null without verdicts"),
  ...gatherFields(({ agent }) => schemasOf(agent.figureFields)),
  latencyMs: shape(
    {
      avg: figure("average"),
      p50: figure("median"),
      p95: figure("95th percentile"),
      p99: figure("99th percentile"),
      max: figure("slowest"),
    },
    allKinds.map(({ agent }) => agent.hints.samples).join(", or "),
  ),
};
export const FiguresSchema = shape(figureFields);
export type Figures = DataOf<typeof FiguresSchema>;

export const CheckFiguresSchema = shape({
  checkId: CheckId,
  checkType: CheckType,
  name: text(),
  tags: listOf(text(), "including those of its group"),
  ...figureFields,
  byLocation: Type.Optional(
    listOf(
      shape({ location: text(), ...figureFields }),
      "only with byLocation, for the first 20 checks",
    ),
  ),
});
export type CheckFigures = DataOf<typeof CheckFiguresSchema>;

const chosen = {
  total: count("number of matching checks; at most 200 are included"),
  notFound: listOf(text(), "requested ids that do not exist in the account"),
};

export const GetStatisticsSchema = shape({
  from: time("start of the data used: whole hours, or days if long ago"),
  to: time("end of the data used"),
  checks: listOf(CheckFiguresSchema, "in the order of checkIds, else of creation"),
  ...chosen,
});
export type GetStatisticsData = DataOf<typeof GetStatisticsSchema>;

export const CompareWindowsSchema = shape({
  from: time("start of the data used"),
  to: time("end of the data used"),
  previousFrom: time("start of the earlier data used"),
  previousTo: time("end of the earlier data used"),
  checks: listOf(
    shape({
      checkId: CheckId,
      checkType: CheckType,
      name: text(),
      now: FiguresSchema,
      before: FiguresSchema,
      change: shape(
        {
          availabilityPercent: figure("difference in percentage points"),
          ...gatherFields(({ agent }) => schemasOf(agent.figureFields)),
          latencyAvgMs: figure("difference of the averages"),
          latencyP95Ms: figure("difference of the 95th percentiles"),
        },
        "now minus before; null if either is missing",
      ),
    }),
    "in the order of checkIds, else of creation",
  ),
  ...chosen,
});
export type CompareWindowsData = DataOf<typeof CompareWindowsSchema>;
