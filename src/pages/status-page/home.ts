import { html, type Markup } from "../html.ts";
import { renderMarkdown } from "../markdown.ts";
import { type State, serviceWords } from "../states.ts";
import { renderDayBar } from "./day-bar.ts";
import { type IconName, icon } from "./icons.ts";
import { renderIncident } from "./incident.ts";
import { linkToHistory } from "./links.ts";
import type { CardView, Indicator, MaintenanceView, PageView, ServiceView } from "./page-view.ts";
import { type PageLook, renderStatusPageShell } from "./shell.ts";
import { formatDay, renderMoment } from "./time.ts";

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

/** What checks found, until there is an incident. */
function renderSeen({ seen }: ServiceView): Markup | null {
  if (seen === null || seen.since === null) return null;
  const since = renderMoment(seen.since);
  return seen.status === "unknown"
    ? html`<p class="seen">There has been no data since ${since}.</p>`
    : html`<p class="seen">Since ${since}, found by a check. No update has been posted yet.</p>`;
}

function renderService(service: ServiceView): Markup {
  const { state, isUnderMaintenance } = service;
  return html`<li class="service"><div class="line"><b>${service.name}</b>
<span class="marks">${isUnderMaintenance && html`<span class="state maintenance">${icon("maintenance")}Under maintenance</span>`}
<span class="state ${icons[state]}">${icon(icons[state])}${serviceWords[state]}</span></span></div>
${renderSeen(service)}${renderDayBar(service)}
<p class="scale" aria-hidden="true"><span>${service.days.length} days ago</span><span>${service.uptime}</span><span>Today</span></p></li>`;
}

function renderCard({ name, services }: CardView): Markup {
  return html`<section class="card"><h3>${name}</h3>${
    services.length === 0
      ? html`<p class="quiet">No services yet.</p>`
      : html`<ul class="services">${services.map(renderService)}</ul>`
  }</section>`;
}

function renderMaintenance({ name, description, services, ...span }: MaintenanceView): Markup {
  const state = span.isNow ? "In progress" : "Planned";
  return html`<article class="card incident maintenance"><h3>${name}</h3>
<div class="facts"><span class="state maintenance">${icon("maintenance")}${state}</span>
<span>${renderMoment(span.startsAt)} – ${renderMoment(span.endsAt)}</span>
${services.length > 0 && html`<span>Affects ${services.map((service) => service.name).join(", ")}</span>`}</div>
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

/** The current state first, then its reasons, then the past. */
export function renderHomePage(look: PageLook, view: PageView, version?: string): Markup {
  const banner = banners[view.indicator];
  const now = view.maintenance.filter(({ isNow }) => isNow).map(renderMaintenance);
  const later = view.maintenance.filter(({ isNow }) => !isNow).map(renderMaintenance);
  const body = html`<h1 class="banner ${banner.tone}">${icon(banner.icon)}<span>${view.sentence}</span></h1>
${view.description !== null && html`<p class="lead">${view.description}</p>`}
${renderSection(
  "Ongoing incidents",
  view.ongoing.map((incident) => renderIncident(look, incident)),
)}
${renderSection("Maintenance in progress", now)}
${renderSection("Services", view.cards.map(renderCard))}
${renderSection("Planned maintenance", later)}
${renderPast(look, view)}`;
  const robots = view.isPrivate ? ({ robots: "noindex" } as const) : {};
  return renderStatusPageShell(look, {
    title: view.sentence,
    body,
    ...(version !== undefined && { version }),
    ...robots,
  });
}
