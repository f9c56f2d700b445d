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
    description: "How many entries to show.",
  }),
  nextId: Type.Optional(
    Matching("^[1-9][0-9]{0,17}$", "must be `nextId` of the page before", {
      description: "Where to go on: `nextId` of the page before.",
    }),
  ),
  from: Described(Type.Optional(DateTime), "Only changes at this moment or later."),
  to: Described(Type.Optional(DateTime), "Only changes before this moment."),
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
    from: Described(Status, "The status before."),
    to: Described(Status, "The status after."),
    at: Described(DateTime, "When the run was due that brought the change."),
    until: Described(OrNull(DateTime), "When the next change came; null: none has yet."),
    resultId: Described(Guid, "The result of that run. Results are kept for a shorter time."),
    explanation: Type.String({
      description: "Why, for people; empty where it is not known any more.",
      examples: ["60 % of the packets were lost, at or above the limit of 20 %."],
    }),
    reasons: Described(
      OrNull(Reasons),
      "Why, by name, with the figures; null: not known any more.",
    ),
    decision: Described(
      OrNull(
        Type.Object({
          rule: Described(
            OneOf(["newest-run-decides", "worst-location-decides"]),
            "Which rule applied.",
          ),
          votes: Type.Array(
            Type.Object({
              location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
              verdict: Described(Status, "What it said."),
              resultId: Described(Guid, "The result's id."),
              at: Described(DateTime, "When that run was due."),
            }),
            { description: "What each location had said last." },
          ),
        }),
      ),
      "What was known when it was decided; null for changes from before it was kept.",
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
