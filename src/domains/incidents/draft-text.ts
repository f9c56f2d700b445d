import { findWorst, type State } from "../../pages/states.ts";
import { formatDate, formatDateTime } from "../../platform/dates.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import { toMarkdownLine } from "../../platform/text/escaping.ts";
import type { IncidentStatus, Severity } from "./incident.ts";

const maxNames = 3;
const maxServiceNameLength = 60;

/** State of the checks behind a service. */
export interface ServiceFacts {
  readonly name: string;
  /** `null` for a service that follows no check. */
  readonly status: State | null;
  /** Start of the current failure; `null` if there is none or its start is unknown. */
  readonly since: Date | null;
  /** End of the last failure; `null` if there was none or it is ongoing. */
  readonly recoveredAt: Date | null;
}

export interface DraftText {
  readonly name: string;
  readonly severity: Severity;
  readonly status: IncidentStatus;
  /** Markdown. Names services only: names of checks and hosts are not public. */
  readonly description: string;
  /** Start of the failure, used as the start of the incident. */
  readonly startedAt: Date | null;
}

/** Formats a list such as "Payments", "Payments and Shop", or "Payments, Shop, Mail and 2 more". */
function listNames(services: readonly ServiceFacts[], write: (name: string) => string): string {
  const names = services.map(({ name }) => write(toShortLine(name, maxServiceNameLength)));
  const shown = names.slice(0, maxNames);
  const left = names.length - shown.length;
  const last = left > 0 ? `${left} more` : shown.pop();
  return shown.length === 0 ? (last ?? "") : `${shown.join(", ")} and ${last}`;
}

function formatTime(at: Date, now: Date): string {
  const time = `${formatDateTime(at).slice(11, 16)} UTC`;
  return formatDate(at) === formatDate(now) ? time : `${formatDate(at)} ${time}`;
}

function findEarliest(times: readonly (Date | null)[]): Date | null {
  const timesMs = times.flatMap((at) => (at === null ? [] : [at.getTime()]));
  return timesMs.length === 0 ? null : new Date(Math.min(...timesMs));
}

const isInTrouble = ({ status }: ServiceFacts) => status === "failing" || status === "degraded";

/** Drafts the first text of an incident from the current states of its services' checks. */
export function writeFirstText(services: readonly ServiceFacts[], now: Date): DraftText {
  const troubled = services.filter(isInTrouble);
  const worst = findWorst(troubled.map(({ status }) => status ?? "unknown"));
  const about = troubled.length > 0 ? troubled : services;
  const names = listNames(about, (name) => name);
  const bold = listNames(about, (name) => `**${toMarkdownLine(name)}**`);
  const have = about.length === 1 ? "has" : "have";
  const are = about.length === 1 ? "is" : "are";
  const startedAt = findEarliest(troubled.map(({ since }) => since));
  const since = startedAt && formatTime(startedAt, now);
  const promise = "We are investigating the cause and will post updates here.";
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

/**
 * Drafts the next update of an incident. It never claims resolution: passing checks do not mean
 * that the incident is over.
 */
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
  const since = ends.length > 0 ? formatTime(new Date(Math.max(...ends)), now) : null;
  const have = watched.length === 1 ? "has" : "have";
  const are = watched.length === 1 ? "is" : "are";
  const works = since
    ? `${write(watched)} ${have} been working again since ${since}.`
    : `${write(watched)} ${are} working.`;
  const description =
    watched.length === 0
      ? "We continue to work on this and will post updates here."
      : `${works} We are monitoring the situation before we mark this as resolved.`;
  const status = watched.length === 0 ? incident.status : "MONITORING";
  return { name, severity, status, description, startedAt: null };
}
