import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  DateTime,
  Described,
  Guid,
  Matching,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { ExplainedChange } from "./history.ts";

export const HistoryParams = Type.Object({ checkId: Described(Guid, "The check's id.") });

export const HistoryQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: "Maximum number of entries to return.",
  }),
  nextId: Type.Optional(
    Matching("^[1-9][0-9]{0,17}$", "must be `nextId` of the previous page", {
      description: "Cursor: `nextId` of the previous page.",
    }),
  ),
  from: Described(Type.Optional(DateTime), "Only changes at or after this time."),
  to: Described(Type.Optional(DateTime), "Only changes before this time."),
});

export const Status = OneOf(["passing", "degraded", "failing", "unknown"]);

const Reasons = Type.Array(
  Type.Object(
    { name: Type.String({ description: "The reason.", examples: ["all-within-limits"] }) },
    { additionalProperties: true },
  ),
);

export const StateChangeSchema = Type.Object(
  {
    id: Type.String({ description: "Its id.", examples: ["4711"] }),
    from: Described(Status, "The previous status."),
    to: Described(Status, "The new status."),
    at: Described(DateTime, "Due time of the run that caused the change."),
    until: Described(OrNull(DateTime), "When the next change happened; `null` if none has."),
    resultId: Described(Guid, "The result of that run, which may no longer be stored."),
    explanation: Type.String({
      description: "Explanation in words; empty if no longer known.",
      examples: ["60 % of the packets were lost, at or above the limit of 20 %."],
    }),
    reasons: Described(
      OrNull(Reasons),
      "Reasons by name, with figures; `null` if no longer known.",
    ),
    decision: Described(
      OrNull(
        Type.Object({
          rule: Described(
            OneOf(["newest-run-decides", "worst-location-decides"]),
            "The rule that applied.",
          ),
          votes: Type.Array(
            Type.Object({
              location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
              verdict: Described(Status, "Verdict of the location."),
              resultId: Described(Guid, "The result's id."),
              at: Described(DateTime, "Due time of that run."),
            }),
            { description: "The last verdict of each location." },
          ),
        }),
      ),
      "Basis of the decision; `null` for changes stored before the field existed.",
    ),
  },
  { title: "StateChange" },
);
export const StateChangePage = CursorPage(StateChangeSchema);

export function toWireChange(change: ExplainedChange) {
  const { id, from, to, at, until, resultId, explanation, reasons, decision } = change;
  return {
    id,
    from,
    to,
    at: formatDateTime(at),
    until: until && formatDateTime(until),
    resultId,
    explanation,
    reasons: reasons === null ? null : reasons.map((reason) => ({ ...reason })),
    decision: decision && {
      rule: decision.rule,
      votes: decision.votes.map(({ atMs, ...vote }) => ({
        ...vote,
        at: formatDateTime(new Date(atMs)),
      })),
    },
  };
}
