import { countOf } from "../../kinds/sentences.ts";
import { type Fields, getAt, getFlag, getList, getNumber, getText } from "../../parts/fields.ts";

/** Summarises the collapsed settings: "no group, no tags, active". */
export function describeMore(values: Fields): string {
  const tags = getAt(values, "tags");
  const count = Array.isArray(tags) ? tags.length : 0;
  const variables = getList(values, "environmentVariables").length;
  const family =
    getText(values, "request.ipFamily") || getText(values, "request.sslConfig.ipFamily");
  return [
    getNumber(values, "groupId") === null ? "no group" : "in a group",
    count === 0 ? "no tags" : countOf(count, "tag"),
    ...(family === "" ? [] : [family]),
    ...(variables === 0 ? [] : [countOf(variables, "variable")]),
    getFlag(values, "activated") ? "active" : "not active",
    ...(getFlag(values, "muted") ? ["muted"] : []),
    ...(getFlag(values, "shouldFail") ? ["upside down"] : []),
  ].join(", ");
}
