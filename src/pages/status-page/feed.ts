import { Feed } from "feed";
import { renderEvents } from "../calendar.ts";
import { escapeHtml, formatDateTime, html, Markup } from "../html.ts";
import { renderMarkdownAsText } from "../markdown.ts";
import { serviceWords } from "../states.ts";
import { colors, fontFamily } from "../tokens.ts";
import { renderWords, severityWords, statusWords } from "./incident.ts";
import {
  type IncidentView,
  listNames,
  type MaintenanceView,
  type OutageView,
} from "./page-view.ts";

/** Characters that XML does not allow: control characters, lone surrogates and non-characters. */
const unfitForXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const maxUpdates = 50;
/**
 * Marks the positions at which a CDATA section is split. `fitForXml` removes this character from
 * every input.
 */
const cut = "\uffff";

/** Replaces each character that XML does not allow with U+FFFD. */
export function fitForXml(text: string): string {
  return text.replaceAll(unfitForXml, "\ufffd");
}

interface FeedSource {
  readonly name: string;
  readonly description: string | null;
  /** Full URL of the status page, which ends with a slash. */
  readonly url: string;
  readonly updatedAt: Date;
  /** Incidents of the page, newest first. */
  readonly incidents: readonly IncidentView[];
  /** Outages found by checks and not covered by an incident. */
  readonly outages: readonly OutageView[];
}

export type FeedFormat = "rss" | "atom" | "json";

/** Returns the incidents with the newest updates, each incident with all of its updates. */
function chooseIncidents(incidents: readonly IncidentView[]): readonly IncidentView[] {
  const updates = incidents.flatMap((incident) =>
    incident.updates.map(({ at }) => ({ incident, atMs: at.getTime() })),
  );
  const newest = updates.toSorted((one, other) => other.atMs - one.atMs).slice(0, maxUpdates);
  return [...new Set(newest.map(({ incident }) => incident))];
}

function renderContent({ severity, services, updates }: IncidentView): Markup {
  return html`<p>${severityWords[severity]} incident${
    services.length > 0 && html`, affects ${listNames(services)}`
  }.</p>${updates
    .slice(0, maxUpdates)
    .map(
      (update) =>
        html`<p><strong>${statusWords[update.status]}</strong> – ${formatDateTime(update.at)}</p>${renderWords(update)}`,
    )}`;
}

/** Escapes `&amp;` a second time, because the library treats `&amp;` as already escaped. */
function typed(text: string): string {
  return fitForXml(text).replaceAll("&amp;", "&amp;amp;");
}

/** Adds a split mark to every `]]>` in a text, because the library splits only the first one. */
function section(text: string): string {
  return fitForXml(text).replaceAll("]]>", `]]${cut}>`);
}

/** Formats a title, which is HTML in Atom and plain text in RSS and JSON. */
function formatTitle(title: string, format: FeedFormat): string {
  if (format === "json") return title;
  return format === "atom" ? escapeHtml(fitForXml(title)) : section(title);
}

function addIncident(
  feed: Feed,
  incident: IncidentView,
  { url, format }: { readonly url: string; readonly format: FeedFormat },
): void {
  const newest = incident.updates[0];
  const content = renderContent(incident).text;
  feed.addItem({
    title: formatTitle(`${incident.name} – ${statusWords[incident.status]}`, format),
    id: `urn:uuid:${incident.id}`,
    // RSS readers show an id only once, so each update has its own id. Atom does not need this,
    // because its entries contain the time of the last update.
    ...(format === "rss" && { guid: `${incident.id}/${newest?.id ?? ""}` }),
    link: `${url}incidents/${incident.id}`,
    date: newest?.at ?? incident.startedAt,
    ...(format !== "rss" && { published: incident.startedAt }),
    content: format === "json" ? content : section(content),
  });
}

function describeOutage({ status, startedAt, endedAt }: OutageView): Markup {
  const words = serviceWords[status];
  return endedAt === null
    ? html`<p>${words} since ${formatDateTime(startedAt)}, found by a check.</p>`
    : html`<p>${words} from ${formatDateTime(startedAt)} to ${formatDateTime(endedAt)}, found by a check.</p>`;
}

function addOutage(
  feed: Feed,
  outage: OutageView,
  { url, format }: { readonly url: string; readonly format: FeedFormat },
): void {
  const { serviceId, serviceName, status, startedAt, endedAt } = outage;
  const title = `${serviceName} – ${endedAt === null ? serviceWords[status] : "Operational again"}`;
  const id = `urn:uuid:${serviceId}#${startedAt.getTime()}`;
  feed.addItem({
    title: formatTitle(title, format),
    id,
    ...(format === "rss" && { guid: `${id}/${endedAt === null ? "began" : "ended"}` }),
    link: url,
    date: endedAt ?? startedAt,
    ...(format !== "rss" && { published: startedAt }),
    content: format === "json" ? describeOutage(outage).text : section(describeOutage(outage).text),
  });
}

/** Adds incidents and outages as one list of items, newest first. */
function addItems(feed: Feed, source: FeedSource, format: FeedFormat): void {
  const place = { url: source.url, format };
  const items = [
    ...chooseIncidents(source.incidents).map((incident) => ({
      atMs: (incident.updates[0]?.at ?? incident.startedAt).getTime(),
      add: () => addIncident(feed, incident, place),
    })),
    ...source.outages.map((outage) => ({
      atMs: (outage.endedAt ?? outage.startedAt).getTime(),
      add: () => addOutage(feed, outage, place),
    })),
  ];
  const newest = items.toSorted((one, other) => other.atMs - one.atMs).slice(0, maxUpdates);
  for (const { add } of newest) add();
}

/** Converts a JSON feed from version 1, which the library writes, to version 1.1. */
function toNewerJsonFeed(text: string): string {
  const { version: _old, author, ...rest } = JSON.parse(text);
  const version = "https://jsonfeed.org/version/1.1";
  return JSON.stringify({ version, language: "en", authors: [author], ...rest }, null, 4);
}

/**
 * Renders a feed with one entry per incident or outage. Escapes all text as the format requires.
 */
export function renderFeed(source: FeedSource, format: FeedFormat): string {
  const { url, updatedAt } = source;
  const write = format === "json" ? (text: string) => text : typed;
  const feed = new Feed({
    id: url,
    title: write(source.name),
    description: write(source.description ?? `Incidents of ${source.name}`),
    link: url,
    updated: updatedAt,
    generator: false,
    feedLinks: { rss: `${url}feed.rss`, atom: `${url}feed.atom`, json: `${url}feed.json` },
    author: { name: write(source.name) },
  });
  addItems(feed, source, format);
  if (format === "json") return toNewerJsonFeed(feed.json1());
  const text = format === "rss" ? feed.rss2() : feed.atom1();
  return text.replaceAll(cut, "]]><![CDATA[");
}

/** An entry of a JSON feed that `renderFeed` has created. */
interface FeedEntry {
  readonly title: string;
  readonly content_html: string;
  readonly date_modified: string;
}

/** Renders a preview of a feed entry. Real feed readers use their own styles. */
export function renderFeedEntry(
  entry: FeedEntry,
  feedName: string,
  scheme: "light" | "dark",
): Markup {
  const { ground, ink, muted, accent } = colors[scheme];
  const content = new Markup(entry.content_html);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${entry.title}</title>
<style>:root{color-scheme:${scheme}}
body{margin:0;padding:20px;background:${ground};color:${ink};overflow-wrap:anywhere}
body{font:15px/1.5 ${new Markup(fontFamily)}}h1{margin:0;font-size:20px;line-height:1.3}
a{color:${accent}}.from{margin:0 0 16px;color:${muted}}img{max-width:100%}pre{overflow:auto}
</style></head>
<body><h1>${entry.title}</h1>
<p class="from">${feedName} · ${formatDateTime(new Date(entry.date_modified))}</p>
${content}</body></html>`;
}

interface CalendarSource {
  readonly name: string;
  /** Full URL of the status page, which ends with a slash. */
  readonly url: string;
  readonly maintenance: readonly MaintenanceView[];
}

function describe({ description, services }: MaintenanceView): string {
  const affected = listNames(services);
  const words = [
    description === null ? null : renderMarkdownAsText(description),
    affected === "" ? null : `Affects ${affected}`,
  ];
  return words.filter((part) => part !== null).join("\n\n");
}

/** Renders planned maintenance as a calendar to which calendar programs can subscribe. */
export function renderCalendar({ name, url, maintenance }: CalendarSource): string {
  return renderEvents({
    product: "Status page",
    name: `${name}: maintenance`,
    source: `${url}maintenance.ics`,
    events: maintenance.map((plan) => ({
      id: plan.id,
      sequence: plan.sequence,
      changedAt: plan.changedAt,
      startsAt: plan.startsAt,
      endsAt: plan.endsAt,
      name: plan.name,
      description: describe(plan),
      url,
    })),
  });
}
