import { formatDuration } from "../../platform/text/time.ts";
import { formatMonth, html, type Markup, renderRelativeTime, renderTime } from "../html.ts";
import { renderMarkdown } from "../markdown.ts";
import type { IncidentView, MonthView, Severity, UpdateStatus, UpdateView } from "./page-view.ts";
import { listNames } from "./page-view.ts";
import {
  type IconName,
  icon,
  linkToHistory,
  linkToIncident,
  type PageLook,
  renderStatusPageShell,
} from "./shell.ts";

/**
 * Maximum number of updates that an incident in a list shows. The page of the incident shows all.
 */
const maxShownUpdates = 12;
/**
 * Number of updates shown expanded: one value for ongoing incidents, one for resolved incidents.
 */
const openUpdates = { ongoing: 3, over: 1 } as const;

export const severityWords: Readonly<Record<Severity, string>> = {
  CRITICAL: "Critical",
  MAJOR: "Major",
  MEDIUM: "Medium",
  MINOR: "Minor",
};
export const statusWords: Readonly<Record<UpdateStatus, string>> = {
  INVESTIGATING: "Investigating",
  IDENTIFIED: "Identified",
  MONITORING: "Monitoring",
  RESOLVED: "Resolved",
};

function toneOf(severity: Severity): IconName {
  return severity === "CRITICAL" || severity === "MAJOR" ? "outage" : "degraded";
}

export function renderWords({ description, isCut }: UpdateView): Markup {
  return isCut ? html`<p>${description}</p>` : renderMarkdown(description);
}

function renderUpdate(update: UpdateView): Markup {
  const { status, at } = update;
  return html`<li><p class="when"><b>${statusWords[status]}</b> · ${renderRelativeTime(at)}</p>
<div class="words">${renderWords(update)}</div></li>`;
}

function renderFacts({ severity, services, startedAt, resolvedAt }: IncidentView): Markup {
  const tone = resolvedAt === null ? toneOf(severity) : "ok";
  const state = resolvedAt === null ? `${severityWords[severity]} incident` : "Resolved";
  const span =
    resolvedAt === null
      ? html`Since ${renderRelativeTime(startedAt)}`
      : html`${renderTime(startedAt)}, lasted ${formatDuration(resolvedAt.getTime() - startedAt.getTime(), "min")}`;
  return html`<div class="facts"><span class="state ${tone}">${icon(tone)}${state}</span>
<span>${span}</span>${
    services.length > 0 && html`<span>Affects ${listNames(services)}</span>`
  }</div>`;
}

function renderEarlier(updates: readonly UpdateView[]): Markup | null {
  if (updates.length === 0) return null;
  const count = updates.length === 1 ? "1 earlier update" : `${updates.length} earlier updates`;
  return html`<details class="earlier"><summary>${count}</summary><ol class="updates">${updates.map(renderUpdate)}</ol></details>`;
}

/** Renders an incident as an item of a list. Its name links to the page of the incident. */
export function renderIncident(look: PageLook, incident: IncidentView): Markup {
  const { id, name, updates, severity, resolvedAt } = incident;
  const shown = updates.slice(0, maxShownUpdates);
  const link = linkToIncident(look, id);
  const open = openUpdates[resolvedAt === null ? "ongoing" : "over"];
  return html`<article class="card incident ${resolvedAt === null ? toneOf(severity) : "over"}">
<h3><a href="${link}">${name}</a></h3>
${renderFacts(incident)}
<ol class="updates">${shown.slice(0, open).map(renderUpdate)}</ol>
${renderEarlier(shown.slice(open))}${shown.length < updates.length && html`<p><a href="${link}">${updates.length - shown.length} older updates</a></p>`}
</article>`;
}

function renderPostMortem({ postMortem }: IncidentView): Markup | null {
  if (postMortem === undefined) return null;
  return html`<section class="card post-mortem" id="post-mortem"><h2>Post-mortem</h2>
<p class="when quiet">Published ${renderTime(postMortem.publishedAt)}</p>
<div class="words">${renderMarkdown(postMortem.body)}</div></section>`;
}

export function renderIncidentPage(
  look: PageLook,
  incident: IncidentView,
  isIndexed: boolean,
): Markup {
  const { name, updates, severity, resolvedAt } = incident;
  const body = html`<h1 class="plain">${name}</h1>
<div class="card incident ${resolvedAt === null ? toneOf(severity) : "over"}">${renderFacts(incident)}
<h2 class="unseen">Updates</h2>
<ol class="updates">${updates.map(renderUpdate)}</ol></div>
${renderPostMortem(incident)}
<p><a href="${linkToHistory(look)}">All incidents</a></p>`;
  return renderStatusPageShell(look, { title: name, body, ...(!isIndexed && noindex) });
}

const noindex = { robots: "noindex" } as const;

function renderEntry(look: PageLook, incident: IncidentView): Markup {
  const tone = incident.resolvedAt === null ? "outage" : "over";
  return html`<article class="card incident ${tone}">
<h2><a href="${linkToIncident(look, incident.id)}">${incident.name}</a></h2>
${renderFacts(incident)}</article>`;
}

/** Renders the incidents of one month, newest first. */
export function renderHistoryPage(look: PageLook, view: MonthView, isIndexed: boolean): Markup {
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
  const robots = isIndexed ? {} : noindex;
  return renderStatusPageShell(look, { title: `Incidents of ${name}`, body, ...robots });
}
