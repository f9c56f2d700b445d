import { formatDuration } from "../../platform/text/time.ts";
import { formatDay, html, type Markup, renderRelativeTime, renderTime } from "../html.ts";
import { renderMarkdown } from "../markdown.ts";
import { findWorst, type State, serviceWords } from "../states.ts";
import { renderIncident } from "./incident.ts";
import {
  type CardView,
  type DayView,
  type Indicator,
  listNames,
  type MaintenanceView,
  type PageView,
  type ServiceView,
} from "./page-view.ts";
import {
  type IconName,
  icon,
  linkToHistory,
  type PageLook,
  renderStatusPageShell,
  sprite,
} from "./shell.ts";
import { bannerStyle } from "./static-files.ts";

/**
 * Maximum number of services for which all cards are expanded. With more services, cards without
 * problems are collapsed.
 */
const maxUnfoldedServices = 8;

/** Number of services above which the page offers a search by service name. */
const maxUnsearchedServices = 20;

/** Maximum length of a service name beside its state. A longer name gets its own line. */
const maxNameBeside = 48;

/**
 * Security policy of the embedded banner. Any site may frame it, because it has no script, no form
 * and only one link.
 */
export const bannerSecurityPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

/** Interval at which browsers reload the embedded banner. It has no script that could update it. */
const reloadSeconds = 60;

const step = 5;
const width = 3.4;
const height = 28;
/**
 * Maximum number of days with problems that are described to screen readers. Further days are only
 * counted.
 */
const maxSpokenDays = 10;
/**
 * Number of days shown on a narrow screen, where each day must be wide enough to see and to tap.
 * `page.css` has the same number.
 */
const daysOnPhone = 30;
/**
 * Maximum number of days that are drawn with gaps. With more days, a gap is narrower than a pixel.
 */
const maxSeparateDays = 120;

/** Colour and icon of the banner for each state of the whole page. */
const banners: Readonly<Record<Indicator, { tone: string; icon: IconName }>> = {
  empty: { tone: "none", icon: "none" },
  none: { tone: "ok", icon: "ok" },
  maintenance: { tone: "maintenance", icon: "maintenance" },
  unknown: { tone: "none", icon: "none" },
  minor: { tone: "degraded", icon: "degraded" },
  major: { tone: "partial", icon: "outage" },
  critical: { tone: "outage", icon: "outage" },
};

const icons: Readonly<Record<State, IconName>> = {
  passing: "ok",
  unknown: "none",
  degraded: "degraded",
  failing: "outage",
};

/** Renders a problem that checks report although no open incident describes it. */
function renderSeen({ seen }: ServiceView): Markup | null {
  if (seen === null || seen.since === null) return null;
  const since = renderRelativeTime(seen.since);
  if (seen.status === "unknown") {
    return html`<p class="seen">There has been no data since ${since}.</p>`;
  }
  const words = seen.isAfterIncident
    ? "The incident was resolved, and a check still finds a problem."
    : "No update has been posted yet.";
  return html`<p class="seen">Since ${since}, found by a check. ${words}</p>`;
}

type Described = Pick<CardView, "description">;

function renderDescription({ description }: Described): Markup | null {
  return description === null ? null : html`<p class="about">${description}</p>`;
}

function renderService(service: ServiceView): Markup {
  const { state, isUnderMaintenance } = service;
  const isLong = service.name.length > maxNameBeside;
  return html`<li class="service${isLong && " long"}"><b>${service.name}</b>
<span class="marks">${isUnderMaintenance && html`<span class="state maintenance">${icon("maintenance")}Under maintenance</span>`}
<span class="state ${icons[state]}">${icon(icons[state])}${serviceWords[state]}</span></span>
${renderDescription(service)}${renderSeen(service)}${service.showsHistory && html`${renderDayBar(service)}${renderUptime(service)}`}</li>`;
}

const isWell = ({ state, isUnderMaintenance }: ServiceView) =>
  state === "passing" && !isUnderMaintenance;

/** Renders the worst state of a card's services and how many services are in this state. */
function renderCardState(services: readonly ServiceView[]): Markup {
  const worst = findWorst(services.map(({ state }) => state)) ?? "passing";
  const count = services.filter(({ state }) => state === worst).length;
  const isPart = worst !== "passing" && services.length > 1;
  const words = `${serviceWords[worst]}${isPart ? ` (${count} of ${services.length})` : ""}`;
  const isMaintained = services.some(({ isUnderMaintenance }) => isUnderMaintenance);
  return html`<span class="marks">${isMaintained && html`<span class="state maintenance">${icon("maintenance")}Under maintenance</span>`}
<span class="state ${icons[worst]}">${icon(icons[worst])}${words}</span></span>`;
}

/**
 * Renders a card. The card is expanded if a service has a problem or if the page has few services.
 */
function renderCard(card: CardView, isFoldable: boolean): Markup {
  const { name, services } = card;
  if (services.length === 0) {
    return html`<section class="card"><h3>${name}</h3><p class="quiet">No services yet.</p></section>`;
  }
  const isOpen = !(isFoldable && services.every(isWell));
  const count = services.length === 1 ? "1 service" : `${services.length} services`;
  const names = services.map((service) => service.name).join(", ");
  const hasHistory = services.some(({ showsHistory }) => showsHistory);
  return html`<details class="card services"${isOpen && html` open`}><summary><h3>${name}</h3><span class="count">${count}</span>${renderCardState(services)}<span class="names" aria-hidden="true">${names}</span></summary>
${renderDescription(card)}<ul>${services.map(renderService)}</ul>${hasHistory && renderScale(services[0]?.days.length ?? 0)}</details>`;
}

/** Search field for services. It is hidden until the script has made it work. */
const search = html`<p class="search" hidden><label>Search services <input type="search" autocomplete="off"></label><span class="none" role="status"></span></p>`;

function renderCards(cards: readonly CardView[]): readonly Markup[] {
  const count = cards.reduce((sum, { services }) => sum + services.length, 0);
  const rendered = cards.map((card) => renderCard(card, count > maxUnfoldedServices));
  return count > maxUnsearchedServices ? [search, ...rendered] : rendered;
}

function renderMaintenance({ name, description, services, ...span }: MaintenanceView): Markup {
  const state = span.isNow ? "In progress" : "Planned";
  const starts = span.isNow ? renderTime(span.startsAt) : renderRelativeTime(span.startsAt);
  const ends = span.isNow ? renderRelativeTime(span.endsAt) : renderTime(span.endsAt);
  return html`<article class="card incident maintenance"><h3>${name}</h3>
<div class="facts"><span class="state maintenance">${icon("maintenance")}${state}</span>
<span>${starts} – ${ends}</span>
${services.length > 0 && html`<span>Affects ${listNames(services)}</span>`}</div>
${description !== null && html`<div class="words">${renderMarkdown(description)}</div>`}</article>`;
}

function renderPast(look: PageLook, { pastDays, pastDayCount }: PageView): Markup {
  const days = pastDays.map(
    ({
      date,
      incidents,
    }) => html`<h3 class="date"><time datetime="${date}">${formatDay(new Date(`${date}T00:00:00Z`))}</time></h3>
${incidents.map((incident) => renderIncident(look, incident))}`,
  );
  const calm =
    days.length === 0
      ? `No past incidents in the last ${pastDayCount} days.`
      : `No others in the last ${pastDayCount} days.`;
  return html`<section><h2>Past incidents</h2>${days}
<p class="quiet">${calm} <a href="${linkToHistory(look)}">Incident history</a></p></section>`;
}

function renderSection(title: string, parts: readonly Markup[]): Markup | null {
  return parts.length === 0 ? null : html`<section><h2>${title}</h2>${parts}</section>`;
}

/** Renders the home page: the current state, the reasons for this state, and past incidents. */
export function renderHomePage(look: PageLook, view: PageView, version?: string): Markup {
  const banner = banners[view.indicator];
  const now = view.maintenance.filter(({ isNow }) => isNow).map(renderMaintenance);
  const later = view.maintenance.filter(({ isNow }) => !isNow).map(renderMaintenance);
  const body = html`<h1 class="banner ${banner.tone}">${icon(banner.icon)}<span>${view.sentence}</span></h1>
<p class="updated">Last updated ${renderRelativeTime(view.updatedAt)}<span class="checked"></span></p>
${view.description !== null && html`<p class="lead">${view.description}</p>`}
${renderSection(
  "Ongoing incidents",
  view.ongoing.map((incident) => renderIncident(look, incident)),
)}
${renderSection("Maintenance in progress", now)}
${renderSection("Services", renderCards(view.cards))}
${renderSection("Planned maintenance", later)}
${renderPast(look, view)}`;
  const robots = view.isIndexed ? {} : ({ robots: "noindex" } as const);
  return renderStatusPageShell(look, {
    title: view.sentence,
    body,
    ...(version !== undefined && { version }),
    ...robots,
  });
}

/** Renders the state of the page in one line, which other sites can embed in an iframe. */
export function renderEmbeddedBanner(look: PageLook, view: PageView, url: string): Markup {
  const { basePath } = look;
  const { tone, icon: name } = banners[view.indicator];
  return html`<!doctype html>
<html lang="en" data-theme="${look.defaultTheme.toLowerCase()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${reloadSeconds}">
<title>${view.name}: ${view.sentence}</title>
<link rel="stylesheet" href="${basePath}banner.css?v=${bannerStyle.hash}">
</head>
<body>${sprite}
<a class="${tone}" href="${url}" target="_blank" rel="noopener">${icon(name)}<span><b>${view.sentence}</b> · ${view.name}</span></a>
</body>
</html>`;
}

const isCalm = ({ kind }: DayView) => kind === "ok" || kind === "none";
const listBadDays = (days: readonly DayView[]) => days.filter((day) => !isCalm(day)).toReversed();

function describeDay(day: DayView): string {
  const parts = [
    day.failingMs > 0 ? `${formatDuration(day.failingMs, "min")} outage` : null,
    day.degradedMs > 0 ? `${formatDuration(day.degradedMs, "min")} degraded` : null,
  ];
  const words = parts.filter((part) => part !== null).join(", ");
  return `${formatDay(new Date(`${day.date}T00:00:00Z`))}: ${words}`;
}

function describeDays({ days, uptime }: ServiceView): string {
  const bad = listBadDays(days);
  const described = bad.slice(0, maxSpokenDays).map(describeDay);
  const more =
    bad.length > described.length ? [`and ${bad.length - described.length} more days`] : [];
  const trouble = bad.length === 0 ? [] : [...described, ...more];
  return [`Last ${days.length} days: ${uptime}`, ...trouble].join("; ");
}

/**
 * Yields the range of days that each SVG element shows. Consecutive days without problems share an
 * element.
 */
function* listRuns(days: readonly DayView[]): Generator<{ from: number; to: number }> {
  let from = 0;
  for (let to = 1; to <= days.length; to += 1) {
    const first = days[from];
    const next = days[to];
    if (first !== undefined && next?.kind === first.kind && isCalm(first)) continue;
    yield { from, to };
    from = to;
  }
}

/** Renders one SVG for all days of a service. Each day with problems has its own element. */
export function renderDayBar(service: ServiceView): Markup {
  const { days } = service;
  const isDense = days.length > maxSeparateDays;
  const dayWidth = isDense ? step : width;
  const parts = [...listRuns(days)].map(({ from, to }) => {
    const day = days[from];
    if (day === undefined) return null;
    const x = from * step;
    if (isCalm(day)) {
      const span = html`<rect x="${x}" width="${(to - from) * step}" height="${height}"`;
      return isDense
        ? html`${span} class="${day.kind}"/>`
        : html`${span} fill="url(#d-${day.kind})"/>`;
    }
    return html`<rect x="${x}" width="${dayWidth}" height="${height}" rx="${isDense ? 0 : 1.2}" class="${day.kind}"><title>${describeDay(day)}</title></rect>`;
  });
  return html`<div class="bar"><svg class="days d${days.length}" viewBox="0 0 ${days.length * step - (step - dayWidth)} ${height}" preserveAspectRatio="none" data-from="${days[0]?.date ?? ""}" role="img" aria-label="${describeDays(service)}">${parts}</svg></div>`;
}

/**
 * Renders the uptime. If there were days with problems, visitors can open a list of these days,
 * even in a browser without JavaScript.
 */
export function renderUptime({ days, uptime }: ServiceView): Markup {
  const bad = listBadDays(days);
  if (bad.length === 0) return html`<span class="uptime">${uptime}</span>`;
  const count = bad.length === 1 ? "1 day" : `${bad.length} days`;
  return html`<details class="uptime"><summary>${uptime}<span class="unseen">, ${count} with trouble</span></summary><ul>${bad.map((day) => html`<li>${describeDay(day)}</li>`)}</ul></details>`;
}

/** Renders the time scale below the bars of a card. */
function renderScale(days: number): Markup {
  const near = Math.min(days, daysOnPhone);
  return html`<p class="scale" aria-hidden="true"><span class="from"><span class="far">${days} days ago</span><span class="near">${near} days ago</span></span><span class="to">Today</span><span class="over"><span class="near">uptime </span>over ${days} days</span></p>`;
}
