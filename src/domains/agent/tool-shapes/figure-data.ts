import { Type } from "typebox";
import { allKinds, gatherFields } from "../../../kinds/index.ts";
import { CheckId, CheckType, CountsSchema } from "./check-data.ts";
import { count, type DataOf, figure, listOf, moment, shape, text } from "./shape.ts";

const figureFields = {
  runs: CountsSchema,
  availabilityPercent: figure("from 0 to 100; null when no run reached a verdict"),
  ...gatherFields(({ tools }) => tools.figureFields),
  latencyMs: shape(
    {
      avg: figure("average"),
      p50: figure("median"),
      p95: figure("95th percentile"),
      p99: figure("99th percentile"),
      max: figure("slowest"),
    },
    allKinds.map(({ tools }) => tools.hints.samples).join(", or "),
  ),
};
export const FiguresSchema = shape(figureFields);
export type Figures = DataOf<typeof FiguresSchema>;

export const CheckFiguresSchema = shape({
  checkId: CheckId,
  checkType: CheckType,
  name: text(),
  tags: listOf(text(), "those of its group included"),
  ...figureFields,
  byLocation: Type.Optional(
    listOf(
      shape({ location: text(), ...figureFields }),
      "with byLocation only, and then for the first 20 checks",
    ),
  ),
});
export type CheckFigures = DataOf<typeof CheckFiguresSchema>;

const chosen = {
  total: count("how many checks match; at most 200 are added up"),
  notFound: listOf(text(), "ids that were asked for and are none of the account's"),
};

export const GetStatisticsSchema = shape({
  from: moment("what was really added up: whole hours, or days long ago"),
  to: moment("what was really added up"),
  checks: listOf(CheckFiguresSchema, "in the order of checkIds, else as they were made"),
  ...chosen,
});
export type GetStatisticsData = DataOf<typeof GetStatisticsSchema>;

export const CompareWindowsSchema = shape({
  from: moment("what was really added up"),
  to: moment("what was really added up"),
  previousFrom: moment("what was really added up"),
  previousTo: moment("what was really added up"),
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
          ...gatherFields(({ tools }) => tools.figureFields),
          latencyAvgMs: figure("difference of the averages"),
          latencyP95Ms: figure("difference of the 95th percentiles"),
        },
        "now minus before, null where either is missing",
      ),
    }),
    "in the order of checkIds, else as they were made",
  ),
  ...chosen,
});
export type CompareWindowsData = DataOf<typeof CompareWindowsSchema>;
