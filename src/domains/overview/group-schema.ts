import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { groupings, type TroubleGroup } from "./trouble-groups.ts";

export const TroubleGroupQuery = Type.Object({
  by: Type.Enum([...groupings], {
    type: "string",
    description: "What the checks are grouped by.",
    default: "cause",
  }),
});

const GroupedCheckSchema = Type.Object({
  checkId: Described(Guid, "The check's id."),
  name: Type.String({ description: "The check's name.", examples: ["db-1.fra"] }),
  status: Described(OneOf(["failing", "degraded"]), "Its state."),
  since: Described(DateTime, "Since when."),
  isAlerted: Type.Boolean({ description: "True if it has an open alert." }),
  isAcknowledged: Type.Boolean({ description: "True if its open alert is acknowledged." }),
});

export const TroubleGroupList = Type.Array(
  Type.Object(
    {
      key: Type.String({
        description: "Identifies the group; empty for checks without one.",
        examples: ["connection-failed ECONNREFUSED"],
      }),
      label: Described(
        OrNull(Type.String()),
        "The cause in a sentence, or the name of the group, tag or location; `null` for none.",
        "The connection was refused.",
      ),
      failing: Type.Integer({ description: "Number of failing checks.", examples: [54] }),
      degraded: Type.Integer({ description: "Number of degraded checks.", examples: [0] }),
      unacknowledged: Type.Integer({
        description: "Number of checks with an unacknowledged open alert.",
        examples: [54],
      }),
      since: Described(DateTime, "When the first problem of the group began."),
      checks: Type.Array(GroupedCheckSchema, { description: "The checks, newest problem first." }),
    },
    { title: "TroubleGroup" },
  ),
);

export function toWireTroubleGroup({ key, label, checks }: TroubleGroup) {
  const count = (status: "failing" | "degraded") =>
    checks.filter((check) => check.status === status).length;
  const firstMs = Math.min(...checks.map(({ since }) => since.getTime()));
  const open = checks.filter(({ isAlerted, isAcknowledged }) => isAlerted && !isAcknowledged);
  return {
    key,
    label,
    failing: count("failing"),
    degraded: count("degraded"),
    unacknowledged: open.length,
    since: formatDateTime(new Date(firstMs)),
    checks: checks.map(({ checkId, name, status, since, isAlerted, isAcknowledged }) => ({
      ...{ checkId, name, status, isAlerted, isAcknowledged },
      since: formatDateTime(since),
    })),
  };
}
