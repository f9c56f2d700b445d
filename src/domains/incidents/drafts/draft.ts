import { findWorst, type State } from "../../../pages/states.ts";
import { formatDate, formatDateTime } from "../../../platform/dates.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { toMarkdownLine } from "../../alert-channels/index.ts";
import type { IncidentStatus, Severity } from "../incident.ts";

/** What the checks behind a service say. */
export interface ServiceFacts {
  readonly name: string;
  /** Null for a service that follows no check. */
  readonly status: State | null;
  /** Since when it has been in trouble; null when it is not, or nobody knows. */
  readonly since: Date | null;
  /** When its last trouble ended; null: none, or it goes on. */
  readonly recoveredAt: Date | null;
}

export interface DraftText {
  readonly name: string;
  readonly severity: Severity;
  readonly status: IncidentStatus;
  /** Markdown. Only services are named in it: names of checks and hosts are not for the public. */
  readonly description: string;
  /** When the trouble began, for an incident that is dated back to it. */
  readonly startedAt: Date | null;
}

const maxNames = 3;
const maxServiceNameLength = 60;

/** "Payments", "Payments and Shop", "Payments, Shop, Mail and 2 more". */
function listNames(services: readonly ServiceFacts[], write: (name: string) => string): string {
  const names = services.map(({ name }) => write(toShortLine(name, maxServiceNameLength)));
  const shown = names.slice(0, maxNames);
  const left = names.length - shown.length;
  const last = left > 0 ? `${left} more` : shown.pop();
  return shown.length === 0 ? (last ?? "") : `${shown.join(", ")} and ${last}`;
}

function formatMoment(at: Date, now: Date): string {
  const time = `${formatDateTime(at).slice(11, 16)} UTC`;
  return formatDate(at) === formatDate(now) ? time : `${formatDate(at)} ${time}`;
}

function findEarliest(moments: readonly (Date | null)[]): Date | null {
  const known = moments.flatMap((at) => (at === null ? [] : [at.getTime()]));
  return known.length === 0 ? null : new Date(Math.min(...known));
}

const isInTrouble = ({ status }: ServiceFacts) => status === "failing" || status === "degraded";

/** The first text of an incident, from what the checks of its services say now. */
export function writeFirstText(services: readonly ServiceFacts[], now: Date): DraftText {
  const troubled = services.filter(isInTrouble);
  const worst = findWorst(troubled.map(({ status }) => status ?? "unknown"));
  const about = troubled.length > 0 ? troubled : services;
  const names = listNames(about, (name) => name);
  const bold = listNames(about, (name) => `**${toMarkdownLine(name)}**`);
  const have = about.length === 1 ? "has" : "have";
  const are = about.length === 1 ? "is" : "are";
  const startedAt = findEarliest(troubled.map(({ since }) => since));
  const since = startedAt && formatMoment(startedAt, now);
  const promise = "We are looking into the cause and will post an update here as we learn more.";
  const status = "INVESTIGATING";
  if (worst === "failing") {
    const what = since
      ? `Since ${since}, ${bold} ${have} not been working.`
      : `${bold} ${are} not working.`;
    const description = `${what} ${promise}`;
    return { name: `Outage: ${names}`, severity: "MAJOR", status, description, startedAt };
  }
  if (worst === "degraded") {
    const what = since
      ? `Since ${since}, ${bold} ${have} been slower or less reliable than usual.`
      : `${bold} ${are} slower or less reliable than usual.`;
    const description = `${what} ${promise}`;
    return { name: `Degraded: ${names}`, severity: "MINOR", status, description, startedAt };
  }
  const description = `We have had reports of problems with ${bold}. ${promise}`;
  return { name: `Problems: ${names}`, severity: "MINOR", status, description, startedAt: null };
}

/** The next update of an incident. That no check fails does not mean that it is over. */
export function writeNextText(
  incident: {
    readonly name: string;
    readonly severity: Severity;
    readonly status: IncidentStatus;
    readonly services: readonly ServiceFacts[];
  },
  now: Date,
): DraftText {
  const { name, severity, services } = incident;
  const troubled = services.filter(isInTrouble);
  const write = (some: readonly ServiceFacts[]) =>
    listNames(some, (one) => `**${toMarkdownLine(one)}**`);
  if (troubled.length > 0) {
    const worst = findWorst(troubled.map(({ status }) => status ?? "unknown"));
    const are = troubled.length === 1 ? "is" : "are";
    const how = worst === "failing" ? "not working" : "slower or less reliable than usual";
    const description = `${write(troubled)} ${are} still ${how}. We continue to work on it.`;
    const status = incident.status === "RESOLVED" ? "INVESTIGATING" : incident.status;
    return { name, severity, status, description, startedAt: null };
  }
  const watched = services.filter(({ status }) => status === "passing");
  const ends = watched.flatMap(({ recoveredAt }) => recoveredAt?.getTime() ?? []);
  const since = ends.length > 0 ? formatMoment(new Date(Math.max(...ends)), now) : null;
  const have = watched.length === 1 ? "has" : "have";
  const are = watched.length === 1 ? "is" : "are";
  const works = since
    ? `${write(watched)} ${have} been working again since ${since}.`
    : `${write(watched)} ${are} working.`;
  const description =
    watched.length === 0
      ? "We continue to work on this and will post an update here as we learn more."
      : `${works} We keep watching before we call this resolved.`;
  const status = watched.length === 0 ? incident.status : "MONITORING";
  return { name, severity, status, description, startedAt: null };
}
