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
  isAlerted: Type.Boolean({ description: "True: it has an open alert." }),
  isAcknowledged: Type.Boolean({ description: "True: somebody acknowledged its open alert." }),
});

export const TroubleGroupList = Type.Array(
  Type.Object(
    {
      key: Type.String({
        description: "Identifies the group; empty: the checks without one.",
        examples: ["connection-failed ECONNREFUSED"],
      }),
      label: Described(
        OrNull(Type.String()),
        "The cause in a sentence, or the name of the group, tag or location; null: none.",
        "The connection was refused.",
      ),
      failing: Type.Integer({ description: "How many checks are failing.", examples: [54] }),
      degraded: Type.Integer({ description: "How many checks are degraded.", examples: [0] }),
      unacknowledged: Type.Integer({
        description: "How many have an open alert that nobody acknowledged.",
        examples: [54],
      }),
      since: Described(DateTime, "When the first of them began."),
      checks: Type.Array(GroupedCheckSchema, { description: "The checks, the newest first." }),
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
