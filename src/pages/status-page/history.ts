import { html, type Markup } from "../html.ts";
import { renderFacts } from "./incident.ts";
import { linkToHistory, linkToIncident } from "./links.ts";
import type { IncidentView, MonthView } from "./page-view.ts";
import { type PageLook, renderStatusPageShell } from "./shell.ts";
import { formatMonth } from "./time.ts";

function renderEntry(look: PageLook, incident: IncidentView): Markup {
  const tone = incident.resolvedAt === null ? "outage" : "over";
  return html`<article class="card incident ${tone}">
<h2><a href="${linkToIncident(look, incident.id)}">${incident.name}</a></h2>
${renderFacts(incident)}</article>`;
}

/** Renders the incidents of one month, newest first. */
export function renderHistoryPage(look: PageLook, view: MonthView, isPrivate: boolean): Markup {
  const { month, incidents, previous, next } = view;
  const name = formatMonth(month);
  const link = (to: string | null, rel: string, arrow: (words: string) => string) =>
    to === null
      ? html`<span></span>`
      : html`<a rel="${rel}" href="${linkToHistory(look, to)}">${arrow(formatMonth(to))}</a>`;
  const body = html`<h1 class="plain">Incidents of ${name}</h1>
${incidents.length === 0 && html`<p class="quiet">No incidents were reported in this month.</p>`}
${incidents.map((incident) => renderEntry(look, incident))}
<nav class="months" aria-label="Months">${link(previous, "prev", (words) => `← ${words}`)}
${link(next, "next", (words) => `${words} →`)}</nav>`;
  const robots = isPrivate ? ({ robots: "noindex" } as const) : {};
  return renderStatusPageShell(look, { title: `Incidents of ${name}`, body, ...robots });
}
