import { callTool, type Plan } from "../../plan.ts";
import type { ListDashboardsData, ListStatusPagesData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import type { Situation } from "../situation.ts";
import { scopesOf } from "./scopes.ts";

type Dashboard = ListDashboardsData["dashboards"][number];

const maxDashboards = 20;

function describeDashboard(dashboard: Dashboard): string {
  const { name, address, isPrivate, tags, needsAllTags, showsIncidents } = dashboard;
  const access = isPrivate ? "private, viewers need a key" : "public";
  const list = writeList(tags.map((tag) => quote(tag)));
  const which = tags.length < 2 ? "the tag" : needsAllTags ? "all of the tags" : "one of the tags";
  const shows = tags.length === 0 ? "shows all checks" : `shows checks with ${which} ${list}`;
  const more = showsIncidents ? " and incidents" : "";
  return `${quote(name)} ${shows}${more}; ${access}, at ${address}`;
}

/** Lists dashboards with their content, URL and visibility. */
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
  for (const dashboard of shown.slice(0, maxDashboards)) {
    const mark = ids.length === 0 ? "- " : "";
    const cited = answer.cite(found, dashboard.dashboardId);
    answer.line(`${mark}${describeDashboard(dashboard)}${cited}`);
  }
  if (shown.length > maxDashboards) answer.line(`And ${shown.length - maxDashboards} more.`);
}

type Page = ListStatusPagesData["pages"][number];

const maxListed = 10;

/**
 * Lists status pages with their content and URL. If a service is named, answers which pages show
 * it.
 */
export function* planPages(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const found = yield* callTool("list_status_pages", {});
  if (found === null) return;
  const { pages } = found.data;
  if (pages.length === 0) {
    answer.line("There are no status pages.");
    return;
  }
  const named = intent.subject.things.filter(({ kind }) => kind === "page");
  const isNamed = ({ pageId }: Page) => named.some(({ id }) => id === pageId);
  const services = listServiceNames(situation);
  if (services.length > 0) {
    for (const service of services) {
      const on = pages.filter((page) => listServices(page).includes(service));
      const names = on.map(
        ({ name, isPrivate }) => `${quote(name)}${isPrivate ? " (private)" : ""}`,
      );
      const cited = answer.cite(found, ...on.map(({ pageId }) => pageId));
      const shows = on.length === 1 ? "shows" : "show";
      answer.line(
        on.length === 0
          ? `No status page shows ${quote(service)}.`
          : `${writeList(names)} ${shows} ${quote(service)}.${cited}`,
      );
    }
    for (const page of pages.filter(isNamed)) {
      answer.line(`${describePage(page)}${answer.cite(found, page.pageId)}`);
    }
    return;
  }
  const asksPublic = /\bpublic\b/.test(intent.canonical) && named.length === 0;
  const shown = pages.filter((page) =>
    named.length > 0 ? isNamed(page) : !(asksPublic && page.isPrivate),
  );
  if (shown.length > 1) answer.line(`${writeCount(shown.length, "status page")}:`);
  for (const page of shown.slice(0, maxListed)) {
    const cited = answer.cite(found, page.pageId);
    answer.line(`${shown.length > 1 ? "- " : ""}${describePage(page)}${cited}`);
    if (shown.length > 1) continue;
    for (const { name, services: own } of page.cards) {
      answer.item(`${quote(name)}: ${writeList(own.map((one) => quote(one)))}.`);
    }
  }
}

/** Returns the names of the named services, or of the services that contain the named checks. */
function listServiceNames(situation: Situation): string[] {
  const { intent, vocabulary } = situation;
  const named = scopesOf(situation).filter(({ kind }) => kind === "service");
  const { checks, things } = intent.subject;
  if (named.length > 0 || things.length > 0) return named.map(({ name }) => name);
  return vocabulary.things
    .filter(
      ({ kind, checkIds }) =>
        kind === "service" && checks.some(({ checkId }) => checkIds.includes(checkId)),
    )
    .map(({ name }) => name);
}

function listServices({ cards }: Page): string[] {
  return cards.flatMap(({ services }) => services);
}

function describePage(page: Page): string {
  const { name, address, isPrivate, incidents } = page;
  const open = incidents.map((one) => `${quote(one.name)} (${one.severity.toLowerCase()})`);
  const state =
    open.length === 0
      ? "shows no open incident"
      : `shows ${writeCount(open.length, "open incident")}: ${writeList(open)}`;
  const access = isPrivate ? "private, visitors need a key" : "public";
  const count = listServices(page).length;
  return `${quote(name)} ${state}; ${access}, ${writeCount(count, "service")}, at ${address}`;
}
