import { html, type Markup } from "../html.ts";
import { checkWords, notEnoughData } from "../states.ts";
import { renderSparkline } from "./sparkline.ts";
import {
  type CheckView,
  type DashboardView,
  type IncidentView,
  type PlaceView,
  type ShownStatus,
  type StatsView,
  shownStatuses,
} from "./view.ts";

const units: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/** Spaces with the width of a digit and of a decimal point, for fonts with tabular digits. */
const digitSpace = "\u2007";
const pointSpace = "\u2008";

/** Formats an age such as `3 d 4 h`, `12 min` or `just now`, like the script of the page. */
export function formatAge(ms: number): string {
  const [largest, size] = units.find(([, unitMs]) => ms >= unitMs) ?? ["", 0];
  if (size === 0) return "just now";
  const whole = Math.floor(ms / size);
  const smaller = largest === "d" ? units[1] : largest === "h" ? units[2] : undefined;
  const rest = smaller === undefined ? 0 : Math.floor((ms % size) / smaller[1]);
  return rest === 0 ? `${whole} ${largest}` : `${whole} ${largest} ${rest} ${smaller?.[0]}`;
}

function countChecks(count: number): string {
  return count === 1 ? "1 check" : `${count} checks`;
}

/**
 * Renders how long a state or an incident has lasted. The script of the page keeps this age up to
 * date.
 */
function renderSince(since: Date | null, asOf: Date): Markup {
  if (since === null) return html`<span class="since">no run yet</span>`;
  const age = formatAge(Math.max(0, asOf.getTime() - since.getTime()));
  return html`<time class="since" datetime="${since.toISOString()}">${age}</time>`;
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

/** Lists checks that are failing or degraded. Every page of the dashboard shows this list. */
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

const titled = (title: string | null) => title !== null && html` title="${title}"`;

function renderFigure(column: Column, { day, week }: CheckView): Markup {
  const { key, read, explain } = column;
  return html`<td class="figure figure-${key}"${titled(explain(day))}>${read(day)}<span class="figure-week"${titled(explain(week))}>${read(week)}</span></td>`;
}

function renderPlace(
  view: DashboardView,
  { location, status, day }: PlaceView,
  columns: readonly Column[],
): Markup {
  // A location has no sparkline and no last run, so its name also spans the columns for them.
  const span = view.showRunLinks ? 3 : 2;
  return html`<tr class="place place-${status}"><td class="place-state">${renderIcon(status)} ${nameStatus(status)}</td><th scope="row" class="place-name" colspan="${span}">${location}</th>${columns.map(
    ({ key, read, explain }) =>
      html`<td class="figure figure-${key}"${titled(explain(day))}>${read(day)}</td>`,
  )}</tr>`;
}

function renderPlaces(
  view: DashboardView,
  check: CheckView,
  columns: readonly Column[],
): Markup | false {
  if (!view.isExpanded) return false;
  const all = columns.length + (view.showRunLinks ? 4 : 3);
  if (check.places.length > 0) {
    return html`${check.places.map((place) => renderPlace(view, place, columns))}`;
  }
  return html`<tr class="place"><td class="places-none" colspan="${all}">No location has run it yet.</td></tr>`;
}

function renderNotes(view: DashboardView, { groupName, tags }: CheckView): Markup | null {
  const hasGroup = view.showGroupNames && groupName !== null;
  const hasTags = view.showTags && tags.length > 0;
  if (!hasGroup && !hasTags) return null;
  return html`<span class="check-notes">${hasGroup && html`<span class="check-group">${groupName}</span>`}${hasTags && tags.map((tag) => html`<span class="tag">${tag}</span>`)}</span>`;
}

function renderRunLink({ name, runUrl }: CheckView): Markup {
  return html`<td class="check-run">${runUrl !== null && html`<a class="run-link" href="${runUrl}" rel="noopener" aria-label="last run of ${name}">last run</a>`}</td>`;
}

function renderCheck(view: DashboardView, check: CheckView, columns: readonly Column[]): Markup {
  const { name, status, since } = check;
  return html`<tbody class="check check-${status}"><tr class="check-row"><td class="check-state">${renderIcon(status)}<b class="state-word">${nameStatus(status)}</b>${renderSince(since, view.asOf)}</td><th scope="row" class="check-title"><b class="check-name">${name}</b>${renderNotes(view, check)}</th>${view.showRunLinks && renderRunLink(check)}<td class="check-line">${renderSparkline(check.line)}</td>${columns.map((column) => renderFigure(column, check))}</tr>${renderPlaces(view, check, columns)}</tbody>
`;
}

function renderHeadings(view: DashboardView, columns: readonly Column[]): Markup {
  return html`<colgroup><col class="column-state"><col class="column-name">${view.showRunLinks && html`<col class="column-run">`}<col class="column-line">${columns.map(({ key }) => html`<col class="column-${key}">`)}</colgroup>
<thead><tr class="headings"><th scope="col">State</th><th scope="col">Check</th>${view.showRunLinks && html`<th scope="col"><span class="unseen">Last run</span></th>`}<th scope="col">Response time, 24 h</th>${columns.map(({ title }) => html`<th scope="col" class="heading-figure">${title}<span class="heading-span">24 h / 7 d</span></th>`)}</tr></thead>`;
}

function renderChecks(view: DashboardView): Markup {
  const columns = columnsOf(view);
  return html`<table class="checks">${renderHeadings(view, columns)}
${view.checks.map((check) => renderCheck(view, check, columns))}</table>`;
}

function renderTiles(view: DashboardView): Markup {
  const [availability] = columnsOf(view);
  return html`<ul class="tiles">${view.checks.map(
    (check) =>
      html`<li class="tile check-${check.status}">${renderIcon(check.status)}<b class="check-name">${check.name}</b><span class="tile-state"><b class="state-word">${nameStatus(check.status)}</b> ${renderSince(check.since, view.asOf)}</span>${availability && html`<span class="tile-figure"${titled(availability.explain(check.day))}>${availability.read(check.day)}</span>`}<span class="tile-line">${renderSparkline(check.line)}</span></li>`,
  )}</ul>`;
}

function linkTo(view: DashboardView, page: number, isExpanded = view.isExpanded): string {
  return `?page=${page}${isExpanded ? "&expand=1" : ""}`;
}

function renderFooter(view: DashboardView): Markup {
  const { page, pages } = view;
  const before = page > 1 ? page - 1 : pages;
  const after = page < pages ? page + 1 : 1;
  const number = pages > 1 ? `Page ${page} of ${pages}` : "";
  return html`<nav class="pages" aria-label="Pages">${pages > 1 && html`<a class="page-before" href="${linkTo(view, before)}" rel="prev">Previous</a>`}<span class="page-number">${number}</span>${pages > 1 && html`<a class="page-after" href="${linkTo(view, after)}" rel="next">Next</a>`}<a class="expand" href="${view.isExpanded ? `?page=${page}&expand=0` : linkTo(view, page, true)}">${view.isExpanded ? "Hide locations" : "Show locations"}</a>${view.left > 0 && html`<span class="left-out">${countChecks(view.left)} more do not fit on this dashboard; choose with tags.</span>`}</nav>`;
}

function classOf(view: DashboardView): string {
  return [
    // Pages that were opened before an upgrade of the server look for this CSS class.
    "board",
    `rows-${view.rows}`,
    ...(view.isExpanded ? ["is-expanded"] : []),
    ...(view.paginates ? ["is-paginated"] : []),
    ...(view.incidents?.length ? [`incidents-${view.incidents.length}`] : []),
  ].join(" ");
}

/** Renders the part of a dashboard page that is replaced on every refresh. */
export function renderView(view: DashboardView): Markup {
  return html`<div class="${classOf(view)}" data-as-of="${view.asOf.toISOString()}" data-page="${view.page}" data-pages="${view.pages}" data-shell="${view.shell}">
<section class="summary" aria-label="Summary">${renderCounts(view)}${renderAttention(view)}</section>
${renderIncidents(view)}
${view.checks.length === 0 ? html`<p class="nothing">${view.isChosen ? "No check has the tags of this dashboard." : "No active checks yet."}</p>` : view.isTiled ? renderTiles(view) : renderChecks(view)}
${renderFooter(view)}</div>`;
}

/**
 * Icons of the states. Each icon has its own shape, so that the states differ not only in colour.
 */
const shapes: Readonly<Record<ShownStatus, Markup>> = {
  failing: html`<path class="icon-ground" d="M8 1h8l7 7v8l-7 7H8l-7-7V8z"/><path class="icon-mark" d="M8 8l8 8M16 8l-8 8"/>`,
  degraded: html`<path class="icon-ground" d="M12 1.5 23.5 22H.5z"/><path class="icon-mark" d="M12 9v6M12 18.4v.2"/>`,
  unknown: html`<circle class="icon-ring" cx="12" cy="12" r="9.5"/>`,
  passing: html`<circle class="icon-ground" cx="12" cy="12" r="11"/><path class="icon-mark" d="m7 12.5 3.5 3.5L17 8.5"/>`,
};

/** Renders the shapes of the icons. They are included once per page, and rows refer to them. */
export function renderIconShapes(): Markup {
  return html`<svg class="icon-shapes" aria-hidden="true">${shownStatuses.map(
    (status) => html`<symbol id="icon-${status}" viewBox="0 0 24 24">${shapes[status]}</symbol>`,
  )}</svg>`;
}

function renderIcon(status: ShownStatus): Markup {
  return html`<svg class="icon"><use href="#icon-${status}"/></svg>`;
}

function nameStatus(status: ShownStatus): string {
  return checkWords[status];
}

/** Formats an integer with thousands separators. This is a hundred times as fast as `Intl`. */
function groupThousands(whole: number): string {
  return whole < 1_000 ? `${whole}` : `${whole}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * Formats milliseconds with at most two decimals and without the unit, which is in the column
 * heading. Spaces replace missing decimals, so that the decimal points of a column are aligned.
 */
export function alignMs(ms: number | null): string {
  if (ms === null) return "–";
  if (ms >= 99.95) return groupThousands(Math.round(ms)) + pointSpace + digitSpace.repeat(2);
  if (ms >= 9.995) return ms.toFixed(1) + digitSpace;
  return ms >= 0.005 ? ms.toFixed(2) : "< 0.01";
}

/** Rounds a percentage down to two decimals, so that only a full 100 % is shown as `100.00 %`. */
export function alignPercent(text: string): string {
  if (!text.endsWith("%")) return "–";
  const hundredths = Math.floor(Number(text.slice(0, -1)) * 100 + 1e-6);
  return `${(hundredths / 100).toFixed(2)} %`;
}

interface Column {
  readonly key: string;
  readonly title: string;
  readonly read: (stats: StatsView) => string;
  /** Returns the reason if the column shows a dash; `null` if it shows a value. */
  readonly explain: (stats: StatsView) => string | null;
}

const timeColumn = (
  key: string,
  title: string,
  read: (stats: StatsView) => number | null,
): Column => ({
  key,
  title,
  read: (stats) => alignMs(read(stats)),
  explain: (stats) => (read(stats) === null ? "no response time" : null),
});

const availability: Column = {
  key: "availability",
  title: "Availability",
  read: (stats) => alignPercent(stats.availability),
  explain: (stats) =>
    stats.availability === notEnoughData || !stats.availability.endsWith("%")
      ? stats.availability
      : null,
};

function columnsOf(view: Pick<DashboardView, "showP95" | "showP99">): readonly Column[] {
  return [
    availability,
    timeColumn("average", "Average, ms", ({ avgMs }) => avgMs),
    ...(view.showP95 ? [timeColumn("p95", "P95, ms", ({ p95Ms }) => p95Ms)] : []),
    ...(view.showP99 ? [timeColumn("p99", "P99, ms", ({ p99Ms }) => p99Ms)] : []),
  ];
}
