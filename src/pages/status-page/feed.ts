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

interface Entry {
  /** URI that stays the same. */
  readonly id: string;
  /** Differs for each change, because RSS readers show an id only once. */
  readonly guid: string;
  readonly url: string;
  readonly title: string;
  readonly content: Markup;
  readonly startedAt: Date;
  readonly updatedAt: Date;
}

function describeIncident(incident: IncidentView, url: string): Entry {
  const { id, name, status, startedAt } = incident;
  const [newest] = incident.updates;
  return {
    id: `urn:uuid:${id}`,
    guid: `${id}/${newest?.id ?? ""}`,
    url: `${url}incidents/${id}`,
    title: `${name} – ${statusWords[status]}`,
    content: renderContent(incident),
    startedAt,
    updatedAt: newest?.at ?? startedAt,
  };
}

function describeOutage(outage: OutageView, url: string): Entry {
  const { serviceId, serviceName, status, startedAt, endedAt } = outage;
  const words = serviceWords[status];
  const id = `urn:uuid:${serviceId}#${startedAt.getTime()}`;
  return {
    id,
    guid: `${id}/${endedAt === null ? "began" : "ended"}`,
    url,
    title: `${serviceName} – ${endedAt === null ? words : "Operational again"}`,
    content:
      endedAt === null
        ? html`<p>${words} since ${formatDateTime(startedAt)}, found by a check.</p>`
        : html`<p>${words} from ${formatDateTime(startedAt)} to ${formatDateTime(endedAt)}, found by a check.</p>`,
    startedAt,
    updatedAt: endedAt ?? startedAt,
  };
}

/** Lists incidents and outages, newest first. */
function listEntries({ url, incidents, outages }: FeedSource): readonly Entry[] {
  const entries = [
    ...chooseIncidents(incidents).map((incident) => describeIncident(incident, url)),
    ...outages.map((outage) => describeOutage(outage, url)),
  ];
  const newestFirst = (one: Entry, other: Entry) =>
    other.updatedAt.getTime() - one.updatedAt.getTime();
  return entries.toSorted(newestFirst).slice(0, maxUpdates);
}

function writeRss(source: FeedSource, description: string, entries: readonly Entry[]): Markup {
  const { name, url, updatedAt } = source;
  const items = entries.map(
    (entry) => html`
<item>
<title>${entry.title}</title>
<link>${entry.url}</link>
<guid isPermaLink="false">${entry.guid}</guid>
<pubDate>${entry.updatedAt.toUTCString()}</pubDate>
<content:encoded>${entry.content.text}</content:encoded>
</item>`,
  );
  return html`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${name}</title>
<link>${url}</link>
<description>${description}</description>
<lastBuildDate>${updatedAt.toUTCString()}</lastBuildDate>
<atom:link href="${url}feed.rss" rel="self" type="application/rss+xml"/>${items}
</channel>
</rss>`;
}

/** Titles and contents of Atom are HTML as text: their markup is escaped once more. */
function writeAtom(source: FeedSource, description: string, entries: readonly Entry[]): Markup {
  const { name, url, updatedAt } = source;
  const items = entries.map(
    (entry) => html`
<entry>
<title type="html">${escapeHtml(entry.title)}</title>
<id>${entry.id}</id>
<link href="${entry.url}"/>
<updated>${entry.updatedAt.toISOString()}</updated>
<content type="html">${entry.content.text}</content>
<published>${entry.startedAt.toISOString()}</published>
</entry>`,
  );
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${url}</id>
<title>${name}</title>
<updated>${updatedAt.toISOString()}</updated>
<author><name>${name}</name></author>
<link rel="alternate" href="${url}"/>
<link rel="self" href="${url}feed.atom"/>
<subtitle>${description}</subtitle>${items}
</feed>`;
}

function writeJson(source: FeedSource, description: string, entries: readonly Entry[]): string {
  const { name, url } = source;
  const items = entries.map((entry) => ({
    id: entry.id,
    content_html: entry.content.text,
    url: entry.url,
    title: entry.title,
    date_modified: entry.updatedAt.toISOString(),
    date_published: entry.startedAt.toISOString(),
  }));
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    language: "en",
    authors: [{ name }],
    title: name,
    home_page_url: url,
    feed_url: `${url}feed.json`,
    description,
    items,
  };
  return JSON.stringify(feed, null, 4);
}

/** Renders a feed with one entry per incident or outage. */
export function renderFeed(source: FeedSource, format: FeedFormat): string {
  const entries = listEntries(source);
  const description = source.description ?? `Incidents of ${source.name}`;
  if (format === "json") return writeJson(source, description, entries);
  const write = format === "rss" ? writeRss : writeAtom;
  // XML needs no escape of apostrophes, and some readers do not know numeric ones.
  return fitForXml(write(source, description, entries).text).replaceAll("&#39;", "'");
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
