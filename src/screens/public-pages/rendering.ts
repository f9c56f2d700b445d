import { renderBadge } from "../../pages/badge.ts";
import { prepareMarkdown } from "../../pages/markdown.ts";
import { renderCalendar, renderFeed } from "../../pages/status-page/feed.ts";
import { renderEmbeddedBanner, renderHomePage } from "../../pages/status-page/home.ts";
import { renderHistoryPage, renderIncidentPage } from "../../pages/status-page/incident.ts";
import type {
  IncidentView,
  Indicator,
  MonthView,
  OutageView,
  PageView,
} from "../../pages/status-page/page-view.ts";
import { createPageLook, type PageLook } from "../../pages/status-page/shell.ts";
import { renderTheme } from "../../pages/status-page/theme.ts";
import {
  type Followed,
  type FollowedTrouble,
  findPostMortem,
  findPublicIncident,
  type Incident,
  listPublicIncidents,
  loadServiceRecords,
  mapFollowed,
  mapOngoingSeverities,
  type Severity,
  severities,
} from "../../response/incidents/index.ts";
import { listPublicMaintenance } from "../../response/maintenance/index.ts";
import { mapPictureHashes, readPageCss } from "../../sites/publishing/index.ts";
import {
  formatPageUrl,
  listServicesOf,
  referToPage,
  type Service,
  type StatusPage,
} from "../../sites/status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import {
  contentTypes,
  type DocumentName,
  hashView,
  nextMonth,
  parseMonth,
  previousMonth,
  type RenderedText,
  startOfMonth,
  toSummary,
} from "./page-document.ts";
import {
  buildPageView,
  dayMs,
  isIndexed,
  maintenanceAheadDays,
  pastDays,
  prepareWords,
  shortenWords,
  toIncidentView,
} from "./page-view.ts";

type Stretch = { status: "degraded" | "failing"; fromMs: number; toMs: number };

const forEver = Number.POSITIVE_INFINITY;

/** Merges overlapping failures of several checks into one outage with the worst status. */
function mergeTroubles(troubles: readonly FollowedTrouble[]): Stretch[] {
  const merged: Stretch[] = [];
  for (const trouble of troubles.toSorted((one, other) => one.startedAtMs - other.startedAtMs)) {
    const { status, startedAtMs: fromMs } = trouble;
    if (status === "unknown") continue;
    const toMs = trouble.endedAtMs ?? forEver;
    const last = merged.at(-1);
    if (last === undefined || fromMs > last.toMs) merged.push({ status, fromMs, toMs });
    else {
      last.toMs = Math.max(last.toMs, toMs);
      if (status === "failing") last.status = status;
    }
  }
  return merged;
}

/** Lists outages that checks found and no incident covers, newest first. */
function listUnreportedOutages(
  services: readonly Service[],
  followed: ReadonlyMap<string, Followed>,
  incidents: readonly Incident[],
): OutageView[] {
  const outages = services.flatMap(({ id, name }) => {
    const reported = incidents.filter((incident) => incident.services.some((one) => one.id === id));
    return mergeTroubles(followed.get(id)?.troubles ?? [])
      .filter(
        ({ fromMs, toMs }) =>
          !reported.some(
            ({ startedAt, resolvedAt }) =>
              startedAt.getTime() <= toMs && (resolvedAt?.getTime() ?? forEver) >= fromMs,
          ),
      )
      .map(({ status, fromMs, toMs }) => ({
        serviceId: id,
        serviceName: name,
        status,
        startedAt: new Date(fromMs),
        endedAt: toMs === forEver ? null : new Date(toMs),
      }));
  });
  const newestMs = ({ startedAt, endedAt }: OutageView) => (endedAt ?? startedAt).getTime();
  return outages.toSorted((one, other) => newestMs(other) - newestMs(one));
}

const maxIncidentsOnPage = 100;
const maxIncidentsInMonth = 200;
const maxIncidentsInFeed = 50;
const feedDays = 365;
/**
 * Tolerance for clock differences. An incident is shown if it starts less than this time after the
 * server's current time.
 */
const aheadMs = 600_000;

type RenderingContext = Pick<PublicPagesContext, "db" | "clock" | "publicUrl">;

/** A page with its address: below this server's URL, on a custom domain, or in a snapshot. */
export interface PagePlace {
  readonly page: StatusPage;
  readonly look: PageLook;
  /** Oldest month in a snapshot; earlier months are not linked. Absent outside snapshots. */
  readonly oldestMonth?: string;
  /** View that all documents of a snapshot share. Absent outside snapshots. */
  readonly view?: PageView;
}

export async function placePage(
  { db, publicUrl }: RenderingContext,
  page: StatusPage,
  basePath: string,
): Promise<PagePlace> {
  const images = await mapPictureHashes(db, referToPage(page.id));
  return { page, look: createPageLook(page, { basePath, images, publicUrl: publicUrl() }) };
}

export function listIncidents(
  { db, clock }: RenderingContext,
  page: StatusPage,
  query: {
    readonly from: Date;
    readonly to?: Date;
    readonly limit: number;
    readonly only?: "ongoing" | "over";
  },
) {
  const serviceIds = listServicesOf(page).map(({ id }) => id);
  const to = query.to ?? new Date(clock.now().getTime() + aheadMs);
  return listPublicIncidents(db, page.accountId, { ...query, to, serviceIds });
}

/** What a page shows of incidents: the incidents, and the worst severity by service id. */
interface Posted {
  readonly incidents: readonly Incident[];
  readonly troubles: ReadonlyMap<string, Severity>;
}

/**
 * Adds a draft incident to the posted incidents. If an incident with the same id is posted, the
 * draft replaces this incident, and `troubles` must not contain it.
 */
function addDraft({ incidents, troubles }: Posted, draft: Incident): Posted {
  const worst = new Map(troubles);
  const rank = (severity: Severity) => severities.indexOf(severity);
  for (const { id } of draft.resolvedAt === null ? draft.services : []) {
    const posted = worst.get(id);
    if (posted === undefined || rank(draft.severity) < rank(posted)) worst.set(id, draft.severity);
  }
  return { incidents: [draft, ...incidents.filter(({ id }) => id !== draft.id)], troubles: worst };
}

/** Loads the view of a page. With a draft, the view shows the page as if the draft were posted. */
export async function loadView(
  context: RenderingContext,
  page: StatusPage,
  draft?: Incident,
): Promise<PageView> {
  const { db } = context;
  const now = context.clock.now();
  const services = listServicesOf(page);
  const from = new Date(now.getTime() - pastDays * dayMs);
  const ahead = new Date(now.getTime() + maintenanceAheadDays * dayMs);
  const serviceIds = services.map(({ id }) => id);
  const to = new Date(now.getTime() + aheadMs);
  const limit = maxIncidentsOnPage;
  const [ongoing, over, troubles, maintenance, records] = await Promise.all([
    listIncidents(context, page, { from, limit, only: "ongoing" }),
    listIncidents(context, page, { from, limit, only: "over" }),
    mapOngoingSeverities(db, page.accountId, { serviceIds, to, exceptId: draft?.id }),
    listPublicMaintenance(db, page.accountId, { from: now, to: ahead }),
    loadServiceRecords(db, page.accountId, { services, days: page.settings.historyDays, now }),
  ]);
  const posted = { incidents: [...ongoing, ...over], troubles };
  const current = draft === undefined ? posted : addDraft(posted, draft);
  const view = buildPageView({ page, ...current, maintenance, ...records, now });
  await prepareWords([...view.ongoing, ...view.pastDays.flatMap((day) => day.incidents)]);
  await prepareMarkdown(view.maintenance.map(({ description }) => description ?? ""));
  return view;
}

/** Converts incidents, shortens their updates, and renders their Markdown in advance. */
async function viewIncidents(
  page: StatusPage,
  incidents: readonly Incident[],
): Promise<readonly IncidentView[]> {
  const views = shortenWords(incidents.map((incident) => toIncidentView(page, incident)));
  await prepareWords(views);
  return views;
}

async function loadMonth(
  context: RenderingContext,
  { page, oldestMonth = "" }: PagePlace,
  month: string,
): Promise<MonthView> {
  const from = startOfMonth(month);
  const next = nextMonth(month);
  const [incidents, earlier] = await Promise.all([
    listIncidents(context, page, { from, to: startOfMonth(next), limit: maxIncidentsInMonth }),
    listIncidents(context, page, { from: new Date(0), to: from, limit: 1 }),
  ]);
  const hasNext = parseMonth(next, context.clock.now()) !== null;
  return {
    month,
    incidents: await viewIncidents(page, incidents),
    previous: earlier.length > 0 && month > oldestMonth ? previousMonth(month) : null,
    next: hasNext ? next : null,
  };
}

const tones: Readonly<Record<Indicator, "good" | "fair" | "bad" | "unknown">> = {
  empty: "unknown",
  none: "good",
  maintenance: "fair",
  unknown: "unknown",
  minor: "fair",
  major: "bad",
  critical: "bad",
};

async function renderFeedOf(
  context: RenderingContext,
  page: StatusPage,
  format: "rss" | "atom" | "json",
): Promise<RenderedText> {
  const from = new Date(context.clock.now().getTime() - feedDays * dayMs);
  const services = listServicesOf(page);
  const [incidents, followed] = await Promise.all([
    listIncidents(context, page, { from, limit: maxIncidentsInFeed }),
    mapFollowed(context.db, page.accountId, { services, from, to: context.clock.now() }),
  ]);
  const outages = listUnreportedOutages(services, followed, incidents).slice(0, maxIncidentsInFeed);
  const changes = [
    ...incidents.flatMap(({ updates }) => updates.map(({ createdAt }) => createdAt)),
    ...outages.map(({ startedAt, endedAt }) => endedAt ?? startedAt),
  ];
  const newestMs = Math.max(...[page.updatedAt ?? page.createdAt, ...changes].map(Number));
  const source = {
    name: page.name,
    description: page.settings.description,
    url: formatPageUrl(context.publicUrl(), page),
    updatedAt: new Date(newestMs),
    incidents: await viewIncidents(page, incidents),
    outages,
  };
  const contentType = contentTypes[format === "json" ? "jsonFeed" : format];
  return { text: renderFeed(source, format), contentType };
}

async function addPostMortem(
  { db }: RenderingContext,
  page: StatusPage,
  incident: IncidentView,
): Promise<IncidentView> {
  const found = await findPostMortem(db, page.accountId, incident.id);
  if (found === null || found.publishedAt === null) return incident;
  const { body, publishedAt } = found;
  await prepareMarkdown([body]);
  return { ...incident, postMortem: { body, publishedAt } };
}

async function renderIncidentOf(
  context: RenderingContext,
  { page, look }: PagePlace,
  id: string | null,
): Promise<RenderedText | null> {
  if (id === null) return null;
  const incident = await findPublicIncident(context.db, page.accountId, id);
  if (incident === null) return null;
  const [found] = await viewIncidents(page, [incident]);
  const view = found && (await addPostMortem(context, page, found));
  // The page of an incident exists only on status pages that show one of its services.
  if (view === undefined || view.services.length === 0) return null;
  return {
    text: renderIncidentPage(look, view, isIndexed(page)).text,
    contentType: contentTypes.html,
  };
}

async function renderHistoryOf(
  context: RenderingContext,
  place: PagePlace,
  requestedMonth: string | null,
): Promise<RenderedText | null> {
  const { page, look } = place;
  const now = context.clock.now();
  const month = parseMonth(requestedMonth ?? now.toISOString().slice(0, 7), now);
  if (month === null) return null;
  const view = await loadMonth(context, place, month);
  return {
    text: renderHistoryPage(look, view, isIndexed(page)).text,
    contentType: contentTypes.html,
  };
}

/** Renders a document that shows the current state of the page. */
async function renderFromView(
  context: RenderingContext,
  { page, look, view: existing }: PagePlace,
  kind: "home" | "summary" | "calendar" | "badge" | "banner",
): Promise<RenderedText> {
  const view = existing ?? (await loadView(context, page));
  const version = hashView(view, page.version);
  const url = formatPageUrl(context.publicUrl(), page);
  switch (kind) {
    case "home":
      return { text: renderHomePage(look, view, version).text, contentType: contentTypes.html };
    case "summary": {
      const summary = toSummary(view, { url, version, asOf: look.snapshotAt });
      return { text: JSON.stringify(summary), contentType: contentTypes.json };
    }
    case "banner": {
      const { text } = renderEmbeddedBanner(look, view, url);
      return { text, contentType: contentTypes.html, isEmbeddable: true };
    }
    case "calendar":
      return { text: renderCalendar({ ...view, url }), contentType: contentTypes.calendar };
    case "badge": {
      const { indicator, sentence: value, name: label } = view;
      const badge = {
        label,
        value,
        tone: tones[indicator],
        style: "flat",
        theme: "default",
      } as const;
      return { text: renderBadge(badge), contentType: contentTypes.svg };
    }
  }
}

async function renderCustomStyle({ settings }: StatusPage): Promise<RenderedText | null> {
  if (settings.customCSS === "") return null;
  const text = await readPageCss({ source: settings.customCSS, scope: "status-page" });
  return { text, contentType: contentTypes.css };
}

/** Renders a document; returns `null` if the page has no such document. */
export function renderDocument(
  context: RenderingContext,
  place: PagePlace,
  name: DocumentName,
): Promise<RenderedText | null> | RenderedText | null {
  switch (name.kind) {
    case "theme":
      return { text: renderTheme(place.look.themeColors), contentType: contentTypes.css };
    case "custom-style":
      return renderCustomStyle(place.page);
    case "feed":
      return renderFeedOf(context, place.page, name.format);
    case "history":
      return renderHistoryOf(context, place, name.month);
    case "incident":
      return renderIncidentOf(context, place, name.id);
    default:
      return renderFromView(context, place, name.kind);
  }
}
