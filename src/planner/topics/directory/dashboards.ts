import { callTool, type Plan } from "../../plan.ts";
import type { ListDashboardsData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import type { Situation } from "../situation.ts";

type Dashboard = ListDashboardsData["dashboards"][number];

const maxListed = 20;

function describeDashboard(dashboard: Dashboard): string {
  const { name, address, isPrivate, tags, needsAllTags, showsIncidents } = dashboard;
  const access = isPrivate ? "private, viewers need a key" : "public";
  const list = writeList(tags.map((tag) => quote(tag)));
  const which = tags.length < 2 ? "the tag" : needsAllTags ? "all of the tags" : "one of the tags";
  const shows = tags.length === 0 ? "shows all checks" : `shows checks with ${which} ${list}`;
  const more = showsIncidents ? " and incidents" : "";
  return `${quote(name)} ${shows}${more}; ${access}, at ${address}`;
}

/** Lists dashboards with their content, URL and access. */
export function* planDashboards(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const found = yield* callTool("list_dashboards", {});
  if (found === null) return;
  const ids = intent.subject.things.filter(({ kind }) => kind === "dashboard").map(({ id }) => id);
  const { dashboards } = found.data;
  const shown =
    ids.length === 0 ? dashboards : dashboards.filter((one) => ids.includes(one.dashboardId));
  if (shown.length === 0) {
    answer.line("There are no dashboards.");
    return;
  }
  if (ids.length === 0) answer.line(`${writeCount(shown.length, "dashboard")}:`);
  for (const dashboard of shown.slice(0, maxListed)) {
    const mark = ids.length === 0 ? "- " : "";
    const cited = answer.cite(found, dashboard.dashboardId);
    answer.line(`${mark}${describeDashboard(dashboard)}${cited}`);
  }
  if (shown.length > maxListed) answer.line(`And ${shown.length - maxListed} more.`);
}
