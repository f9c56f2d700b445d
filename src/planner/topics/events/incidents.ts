import { callTool, type Found, type Plan } from "../../plan.ts";
import { writeOffer } from "../../reading/conversation.ts";
import type { KnownThing } from "../../reading/vocabulary.ts";
import type { IncidentBrief, ListIncidentsData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "../../wording.ts";
import { duringWindow, type Situation, spanOf } from "../situation.ts";

const maxListed = 10;
const maxUpdates = 6;

const severities: Readonly<Record<IncidentBrief["severity"], string>> = {
  CRITICAL: "critical",
  MAJOR: "major",
  MEDIUM: "medium",
  MINOR: "minor",
};

/** Lists the incidents that match the question. */
export function* planIncidents(situation: Situation): Plan<void> {
  const { intent, answer, nowMs } = situation;
  const { window } = intent;
  const pages = yield* findPages(situation);
  const [service] = pages === null ? servicesOf(situation) : [];
  const about =
    pages?.about ?? (service === undefined ? "" : ` of the service ${quote(service.name)}`);
  if (intent.subject.checks.length > 0 && service === undefined) {
    answer.line("No service stands behind that, so no incident is about it. All incidents:");
  }
  const found = yield* callTool("list_incidents", {
    ...(service === undefined ? {} : { serviceId: service.id }),
    ...(intent.wantsOpen ? { status: "ongoing" } : {}),
    ...(window === null ? {} : spanOf(window)),
  });
  if (found === null) return;
  const isShown = ({ services }: IncidentBrief) =>
    pages === null || services.some((name) => pages.services.has(name));
  const inWindow = found.data.incidents
    .filter(isShown)
    .filter(
      ({ startedAt, resolvedAt }) =>
        window === null ||
        (Date.parse(startedAt) < window.toMs &&
          Date.parse(resolvedAt ?? startedAt) >= window.fromMs) ||
        (resolvedAt === null && Date.parse(startedAt) < window.toMs),
    );
  const open = inWindow.filter(({ resolvedAt }) => resolvedAt === null);
  const shown = intent.wantsOpen ? open : inWindow;
  const when = window === null ? "" : ` ${duringWindow(window)}`;
  const more = found.data.isTruncated ? " or more" : "";
  if (shown.length === 0) {
    const what = intent.wantsOpen
      ? `No incident${about} is open`
      : `There are no incidents${about}${when}`;
    answer.line(`${what}.`);
    return;
  }
  answer.line(
    intent.wantsOpen
      ? `${writeCount(open.length, "incident")}${about} open now:`
      : `${writeCount(inWindow.length, "incident")}${about}${more}${when}, ${open.length} of them open:`,
  );
  for (const incident of shown.slice(0, maxListed)) {
    answer.item(`${describeIncident(incident, nowMs)}${answer.cite(found, incident.incidentId)}`);
  }
  if (shown.length > maxListed) answer.line(`And ${shown.length - maxListed} more.`);
}

interface ShownPages {
  /** Phrase that names the pages, such as " on the status page `Acme`". */
  readonly about: string;
  readonly services: ReadonlySet<string>;
}

/**
 * Returns the status pages that the question is about, or `null` if it is not about status pages.
 */
function* findPages({ intent }: Situation): Plan<ShownPages | null> {
  const named = intent.subject.things.filter(({ kind }) => kind === "page");
  if (named.length === 0 && !/\bPAGE\b/.test(intent.canonical)) return null;
  const found = yield* callTool("list_status_pages", {});
  if (found === null) return null;
  const asksPublic = /\bpublic\b/.test(intent.canonical);
  const pages = found.data.pages.filter(({ pageId, isPrivate }) =>
    named.length > 0 ? named.some(({ id }) => id === pageId) : !(asksPublic && isPrivate),
  );
  const names = writeList(pages.map(({ name }) => quote(name)));
  const services = pages.flatMap(({ cards }) => cards.flatMap((card) => card.services));
  const noun = pages.length === 1 ? "the status page" : "the status pages";
  return { about: ` on ${noun} ${names}`, services: new Set(services) };
}

/** Returns the services that the question names, or the services that contain the named checks. */
function servicesOf({ intent, vocabulary }: Situation): KnownThing[] {
  const { checks, things } = intent.subject;
  const named = things.filter(({ kind }) => kind === "service");
  if (named.length > 0) return named;
  return vocabulary.things.filter(
    ({ kind, checkIds }) =>
      kind === "service" && checks.some(({ checkId }) => checkIds.includes(checkId)),
  );
}

function describeIncident(incident: IncidentBrief, nowMs: number): string {
  const { name, severity, status, startedAt, resolvedAt, services } = incident;
  const endMs = resolvedAt === null ? nowMs : Date.parse(resolvedAt);
  const lasted = writeDuration(endMs - Date.parse(startedAt));
  const state =
    resolvedAt === null
      ? `${status.toLowerCase()}, open for ${lasted}`
      : `resolved ${formatTime(resolvedAt)} after ${lasted}`;
  const on =
    services.length === 0 ? "" : `, affects ${writeList(services.map((one) => quote(one)))}`;
  return `${quote(name)} (${severities[severity]}): began ${formatTime(startedAt)}, ${state}${on}.`;
}

/**
 * Finds the incident that the question names. If the question names none, returns the newest open
 * incident, or the newest incident if none is open or if the question requests the newest one.
 * Returns `null` if no incident or several incidents match.
 */
export function* findIncident(situation: Situation): Plan<string | null> {
  const { intent, answer } = situation;
  const { incidents, ids, unknown } = intent.subject;
  const [only] = incidents;
  if (only !== undefined && /\bbefore\b.*\bINCIDENTNAME\b/.test(intent.canonical)) {
    return yield* findEarlier(situation, only.incidentId);
  }
  if (incidents.length === 1 && only !== undefined) return only.incidentId;
  if (incidents.length > 1) {
    answer.line(`${incidents.length} incidents fit. Which one do you mean?`);
    for (const [index, { incidentId, name }] of incidents.slice(0, 8).entries()) {
      answer.line(writeOffer(index + 1, { kind: "incident", id: incidentId, name }));
    }
    return null;
  }
  if (ids[0] !== undefined) return ids[0];
  const found: Found<ListIncidentsData> | null = yield* callTool("list_incidents", {});
  if (found === null) return null;
  if (unknown.length > 0 && !intent.wantsLatest && intent.subject.checks.length === 0) {
    answer.line(`I know no incident called ${writeList(unknown.map((one) => quote(one)))}.`);
    return null;
  }
  const open = found.data.incidents.find(({ resolvedAt }) => resolvedAt === null);
  const chosen =
    intent.wantsOpen || !intent.wantsLatest
      ? (open ?? found.data.incidents[0])
      : found.data.incidents[0];
  if (chosen === undefined) answer.line("There are no incidents.");
  return chosen?.incidentId ?? null;
}

/** Finds the last incident that started before another, as in "the one before the DNS outage". */
function* findEarlier({ answer }: Situation, incidentId: string): Plan<string | null> {
  const found: Found<ListIncidentsData> | null = yield* callTool("list_incidents", {});
  if (found === null) return null;
  const byStart = found.data.incidents.toSorted((one, other) =>
    one.startedAt < other.startedAt ? 1 : -1,
  );
  const place = byStart.findIndex((one) => one.incidentId === incidentId);
  const earlier = place < 0 ? undefined : byStart[place + 1];
  if (earlier === undefined) answer.line("There is no incident before it.");
  return earlier?.incidentId ?? null;
}

/** Describes an incident and its updates. */
export function* planIncident(situation: Situation): Plan<void> {
  const { answer, nowMs } = situation;
  const incidentId = yield* findIncident(situation);
  if (incidentId === null) return;
  const found = yield* callTool("get_incident", { incidentId });
  if (found === null) return;
  const { data } = found;
  const cited = answer.cite(found, incidentId);
  answer.line(`${describeIncident(data, nowMs)}${cited}`);
  const by = data.isAutomatic ? "A check's alert opened it" : "A person opened it";
  answer.line(`${by}; ${writeCount(data.updates.length, "update")}, newest first:`);
  for (const update of data.updates.slice(0, maxUpdates)) {
    const notified = update.notifiedSubscribers ? ", subscribers notified" : "";
    answer.item(
      `${formatTime(update.at)}, ${update.status.toLowerCase()}${notified}: ${quote(update.description, 300)}${cited}`,
    );
  }
  const rest = data.updates.length - maxUpdates;
  if (rest > 0) answer.line(`And ${rest} older.`);
}
