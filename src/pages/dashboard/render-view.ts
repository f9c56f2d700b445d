import { html, type Markup } from "../html.ts";
import { formatMs } from "../milliseconds.ts";
import { notEnoughData } from "../states.ts";
import { nameStatus, renderIcon } from "./icons.ts";
import { renderSparkline } from "./sparkline.ts";
import { countChecks, formatAge, formatMoment } from "./text.ts";
import {
  type CheckView,
  type DashboardView,
  type IncidentView,
  type PlaceView,
  type StatsView,
  shownStatuses,
} from "./view.ts";

/** How long something has been so; the page's script keeps it true between two looks. */
function renderSince(since: Date | null, asOf: Date): Markup {
  if (since === null) return html`<span class="since">no run yet</span>`;
  const age = formatAge(Math.max(0, asOf.getTime() - since.getTime()));
  return html`<time class="since" datetime="${since.toISOString()}" title="since ${formatMoment(since)}" data-since>${age}</time>`;
}

function renderCounts({ counts }: DashboardView): Markup {
  const total = shownStatuses.reduce((sum, status) => sum + counts[status], 0);
  if (total === 0) return html`<p class="counts"><span class="count">No checks</span></p>`;
  const shown = shownStatuses.filter((status) => counts[status] > 0);
  if (shown.length === 1 && shown[0] === "passing") {
    const text = total === 1 ? "The check is passing" : `All ${total} checks are passing`;
    return html`<p class="counts"><span class="count count-passing">${renderIcon("passing")}<b>${text}</b></span></p>`;
  }
  return html`<p class="counts">${shown.map(
    (status) =>
      html`<span class="count count-${status}">${renderIcon(status)}<b>${counts[status]}</b> ${nameStatus(status).toLowerCase()}</span>`,
  )}</p>`;
}

/** Failing checks are named on every page, whichever page they are on. */
function renderAttention({ attention, counts, asOf }: DashboardView): Markup {
  const left = counts.failing + counts.degraded - attention.length;
  return html`<ul class="attention">${attention.map(
    ({ name, status, since }) =>
      html`<li class="attention-${status}">${renderIcon(status)}<span class="attention-name">${name}</span> ${renderSince(since, asOf)}</li>`,
  )}${left > 0 && html`<li class="attention-more">and ${left} more</li>`}</ul>`;
}

function renderIncident(incident: IncidentView, asOf: Date): Markup {
  const { name, severity, status, services, latest } = incident;
  return html`<li class="incident incident-${severity.toLowerCase()}">
<p class="incident-head"><span class="incident-severity">${severity.toLowerCase()}</span> <b class="incident-name">${name}</b> <span class="incident-status">${status.toLowerCase()}</span> ${renderSince(incident.startedAt, asOf)}${services.length > 0 && html` <span class="incident-services">${services.join(", ")}</span>`}</p>
<p class="incident-latest">${latest}</p></li>`;
}

function renderIncidents({ incidents, asOf }: DashboardView): Markup | null {
  if (incidents === null || incidents.length === 0) return null;
  return html`<section class="incidents" aria-label="Incidents"><ul>${incidents.map((incident) =>
    renderIncident(incident, asOf),
  )}</ul></section>`;
}

interface Column {
  readonly key: string;
  readonly title: string;
  readonly read: (stats: StatsView) => string;
}

function columnsOf(view: Pick<DashboardView, "showP95" | "showP99">): Column[] {
  return [
    { key: "availability", title: "Availability", read: ({ availability }) => availability },
    { key: "average", title: "Average", read: ({ avgMs }) => formatMs(avgMs) },
    ...(view.showP95
      ? [{ key: "p95", title: "P95", read: ({ p95Ms }: StatsView) => formatMs(p95Ms) }]
      : []),
    ...(view.showP99
      ? [{ key: "p99", title: "P99", read: ({ p99Ms }: StatsView) => formatMs(p99Ms) }]
      : []),
  ];
}

/** Large figures leave no room for words: a tooltip and a screen reader have them. */
function renderValue(value: string): Markup | string {
  if (value !== notEnoughData) return value;
  return html`<span title="${value}">–<span class="unseen"> ${value}</span></span>`;
}

function renderFigure(column: Column, { day, week }: CheckView): Markup {
  return html`<span class="figure figure-${column.key}"><span class="figure-title">${column.title}</span><span class="figure-day"><span class="figure-span">24 h </span>${renderValue(column.read(day))}</span><span class="figure-week"><span class="figure-span">7 d </span>${renderValue(column.read(week))}</span></span>`;
}

function renderPlace(place: PlaceView, columns: readonly Column[]): Markup {
  const { location, status, day } = place;
  return html`<li class="place place-${status}">${renderIcon(status)}<span class="place-name">${location}</span> <span class="place-state">${nameStatus(status).toLowerCase()}</span>${columns.map(
    ({ key, title, read }) =>
      html` <span class="place-figure place-${key}"><span class="figure-title">${title}</span> ${read(day)}</span>`,
  )}</li>`;
}

function renderPlaces(
  view: DashboardView,
  check: CheckView,
  columns: readonly Column[],
): Markup | null {
  if (!view.isExpanded) return null;
  if (check.places.length === 0)
    return html`<p class="places-none">No location has run it yet.</p>`;
  return html`<ul class="places">${check.places.map((place) => renderPlace(place, columns))}</ul>`;
}

function renderNotes(view: DashboardView, { groupName, tags }: CheckView): Markup | null {
  const hasGroup = view.showGroupNames && groupName !== null;
  const hasTags = view.showTags && tags.length > 0;
  if (!hasGroup && !hasTags) return null;
  return html`<span class="check-notes">${hasGroup && html`<span class="check-group">${groupName}</span>`}${hasTags && tags.map((tag) => html`<span class="tag">${tag}</span>`)}</span>`;
}

function renderCheck(view: DashboardView, check: CheckView): Markup {
  const { id, name, status, since, runUrl } = check;
  const columns = columnsOf(view);
  return html`<li class="check check-${status}" data-check="${id}">
<div class="check-row"><span class="check-state">${renderIcon(status)}<span class="check-verdict"><b class="state-word">${nameStatus(status)}</b>${renderSince(since, view.asOf)}</span></span>
<span class="check-title"><b class="check-name" title="${name}">${name}</b>${renderNotes(view, check)}</span>
${view.showRunLinks && html`<span class="check-run">${runUrl !== null && html`<a class="run-link" href="${runUrl}" rel="noopener">last run<span class="unseen"> of ${name}</span></a>`}</span>`}
${renderSparkline(check.hours)}
<span class="figures">${columns.map((column) => renderFigure(column, check))}</span></div>${renderPlaces(view, check, columns)}</li>`;
}

function renderHeadings(view: DashboardView): Markup {
  return html`<div class="headings" aria-hidden="true"><span class="heading-state">State</span><span class="heading-title">Check</span>${view.showRunLinks && html`<span class="heading-run"></span>`}<span class="heading-sparkline">Response time, 24 hours</span><span class="figures">${columnsOf(view).map(({ title }) => html`<span class="heading-figure">${title}<span class="heading-span">, 24 h</span></span>`)}</span></div>`;
}

function linkTo(view: DashboardView, page: number, isExpanded = view.isExpanded): string {
  return `?page=${page}${isExpanded ? "&expand=1" : ""}`;
}

function renderFooter(view: DashboardView): Markup {
  const { page, pages } = view;
  const before = page > 1 ? page - 1 : pages;
  const after = page < pages ? page + 1 : 1;
  return html`<nav class="pages" aria-label="Pages">${
    pages > 1 &&
    html`<a class="page-before" href="${linkTo(view, before)}" rel="prev">Previous</a><span class="page-number">Page ${page} of ${pages}</span><a class="page-after" href="${linkTo(view, after)}" rel="next">Next</a>`
  }<a class="expand" href="${view.isExpanded ? `?page=${page}&expand=0` : linkTo(view, page, true)}">${view.isExpanded ? "Hide locations" : "Show locations"}</a>${view.left > 0 && html`<span class="left-out">${countChecks(view.left)} more do not fit on this dashboard; choose with tags.</span>`}</nav>`;
}

function classOf(view: DashboardView): string {
  const columns = 2 + (view.showP95 ? 1 : 0) + (view.showP99 ? 1 : 0);
  return [
    // Pages that were open before an upgrade look for this class.
    "board",
    `rows-${view.rows}`,
    `columns-${columns}`,
    ...(view.showRunLinks ? ["has-run-links"] : []),
    ...(view.isExpanded ? ["is-expanded"] : []),
    ...(view.paginates ? ["is-paginated"] : []),
    ...(view.incidents?.length ? [`incidents-${view.incidents.length}`] : []),
  ].join(" ");
}

/** The part of the page that is rendered again for every request. */
export function renderView(view: DashboardView): Markup {
  return html`<div class="${classOf(view)}" data-as-of="${view.asOf.toISOString()}" data-page="${view.page}" data-pages="${view.pages}" data-shell="${view.shell}">
<section class="summary" aria-label="Summary">${renderCounts(view)}${renderAttention(view)}</section>
${renderIncidents(view)}
${view.checks.length === 0 ? html`<p class="nothing">${view.isChosen ? "No check has the tags of this dashboard." : "There is no check yet that runs."}</p>` : html`${renderHeadings(view)}<ol class="checks">${view.checks.map((check) => renderCheck(view, check))}</ol>`}
${renderFooter(view)}</div>`;
}
