import { incidentStatuses } from "../../response/incidents/index.ts";
import type { GetIncidentData, IncidentBrief } from "../tool-shapes/event-data.ts";
import type { Found } from "../tool-shapes/tool-data.ts";
import { reportProposal } from "./proposals.ts";
import { during, type Situation, spanOf, thingsOf } from "./situation.ts";
import { splitPost } from "./understand.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "./wording.ts";

type Status = IncidentBrief["status"];

function describeIncident(incident: IncidentBrief, nowMs: number): string {
  const { name, severity, startedAt, resolvedAt, services, status } = incident;
  const began = `began ${formatTime(startedAt)}`;
  const startMs = Date.parse(startedAt);
  const state =
    resolvedAt === null
      ? `${status.toLowerCase()}, open for ${writeDuration(nowMs - startMs)}`
      : `resolved ${formatTime(resolvedAt)} after ${writeDuration(Date.parse(resolvedAt) - startMs)}`;
  const affects =
    services.length === 0 ? "" : `, affects ${writeList(services.map((one) => quote(one)))}`;
  return `${quote(name)} (${severity.toLowerCase()}): ${began}, ${state}${affects}.`;
}

/** Writes one open incident beside the state of checks. */
export function writeIncidentLine(
  { answer }: Pick<Situation, "answer">,
  found: Found<unknown>,
  { incidentId, name, severity, status, startedAt }: IncidentBrief,
): void {
  answer.item(
    `open incident ${quote(name)} (${severity.toLowerCase()}): ${status.toLowerCase()}, began ${formatTime(startedAt)}.${answer.cite(found, incidentId)}`,
  );
}

const maxListed = 12;
const maxUpdates = 6;
const isLatest = /\b(?:latest|last|newest|the) incident\b(?!s)/;

/** Answers about one incident if the question names it or asks for the latest, else lists them. */
export async function answerIncidents(situation: Situation): Promise<void> {
  const { slots, answer, lookup, nowMs } = situation;
  const named = thingsOf(slots, "incident");
  const isBefore = /\bbefore\b|\bexcept\b/.test(slots.text);
  if (named.length > 0 && !isBefore) {
    for (const { id } of named.slice(0, 2)) await writeIncident(situation, id);
    return;
  }
  const [period] = slots.periods;
  const found = await lookup("list_incidents", {
    ...(/\b(?:open|ongoing|active|current)\b/.test(slots.text) &&
      period === undefined && { status: "ongoing" }),
    ...(period === undefined ? {} : spanOf(period)),
  });
  if (found === null) return;
  const services = new Set(thingsOf(slots, "service").map(({ name }) => name));
  const checks = new Set(
    thingsOf(slots, "check", "group", "tag").flatMap(({ checkIds }) => checkIds),
  );
  const ofPages = await listServicesOfPages(situation);
  for (const { kind, name, checkIds } of situation.allNames) {
    if (kind === "service" && checkIds.some((id) => checks.has(id))) services.add(name);
  }
  const isAbout = services.size > 0 || checks.size > 0 || ofPages !== null;
  const wanted = found.data.incidents.filter(
    (one) =>
      !named.some(({ id }) => id === one.incidentId) &&
      (!isAbout || one.services.some((name) => services.has(name) || ofPages?.has(name))),
  );
  const [first] = wanted;
  if (first !== undefined && (isLatest.test(slots.text) || isBefore)) {
    await writeIncident(situation, first.incidentId);
    return;
  }
  const when = period === undefined ? "" : ` ${during(period)}`;
  const about = isAbout ? " of that" : "";
  if (wanted.length === 0) {
    const isOpen = /\bopen\b/.test(slots.text);
    answer.line(`There are no ${isOpen ? "open " : ""}incidents${about}${when}.`);
    return;
  }
  const open = wanted.filter(({ resolvedAt }) => resolvedAt === null).length;
  const counted = writeCount(wanted.length, "incident");
  answer.line(`${counted}${about}${when}, ${open} of them open:`);
  for (const incident of wanted.slice(0, maxListed)) {
    answer.item(`${describeIncident(incident, nowMs)}${answer.cite(found, incident.incidentId)}`);
  }
  if (wanted.length > maxListed) answer.line(`And ${wanted.length - maxListed} more.`);
}

/** Names of the services on the named status pages; `null` if the question names no page. */
async function listServicesOfPages({
  slots,
  lookup,
  allNames,
}: Situation): Promise<ReadonlySet<string> | null> {
  const isAnyPage = /\bpublic page\b|\bstatus page\b/.test(slots.text);
  const pages = thingsOf(slots, "page");
  if (pages.length === 0 && !isAnyPage) return null;
  const wanted = pages.length > 0 ? pages : allNames.filter(({ kind }) => kind === "page");
  const found = await lookup("list_status_pages", {});
  const own =
    found?.data.pages.filter(({ pageId }) => wanted.some(({ id }) => id === pageId)) ?? [];
  return new Set(own.flatMap(({ cards }) => cards.flatMap((card) => card.services)));
}

async function writeIncident(
  { answer, lookup, nowMs }: Situation,
  incidentId: string,
): Promise<void> {
  const found = await lookup("get_incident", { incidentId });
  if (found === null) return;
  const { updates } = found.data;
  const cited = answer.cite(found, incidentId);
  answer.line(`${describeIncident(found.data, nowMs)}${cited}`);
  if (updates.length === 0) {
    answer.line("It has no updates.");
    return;
  }
  answer.line(`${writeCount(updates.length, "update")}, newest first:`);
  for (const { at, status, description, notifiedSubscribers } of updates.slice(0, maxUpdates)) {
    const told = notifiedSubscribers ? ", subscribers were notified" : "";
    answer.item(
      `${formatTime(at)}, ${status.toLowerCase()}${told}: ${quote(description, 400)}${cited}`,
    );
  }
}

function readStatus(text: string): Status | null {
  const words: readonly (readonly [RegExp, Status])[] = [
    [/\bresolved?\b|\bclose\b|\bfixed\b/i, "RESOLVED"],
    [/\bmonitoring\b/i, "MONITORING"],
    [/\bidentified\b/i, "IDENTIFIED"],
    [/\binvestigating\b/i, "INVESTIGATING"],
  ];
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Returns the incident to draft or post about: the named one, or the only open one. */
async function chooseIncident({ slots, answer, lookup }: Situation): Promise<string | null> {
  const [named] = thingsOf(slots, "incident");
  if (named !== undefined) return named.id;
  const found = await lookup("list_incidents", {});
  const open = found?.data.incidents.filter(({ resolvedAt }) => resolvedAt === null) ?? [];
  const [first, ...others] = open;
  if (first === undefined) {
    answer.line("No incident is open.");
    return null;
  }
  if (others.length === 0 || /\blatest\b|\blast\b|\bnewest\b/.test(slots.text))
    return first.incidentId;
  answer.line(`${open.length} incidents are open. Which one do you mean?`);
  for (const [index, { name }] of open.slice(0, 5).entries())
    answer.line(`${index + 1}. ${quote(name)}`);
  return null;
}

/** Drafts an update of an incident, or a new incident of a service. Posts nothing. */
export async function answerDraft(situation: Situation): Promise<void> {
  const { slots, answer, lookup } = situation;
  const [service] = thingsOf(slots, "service");
  const isNew = service !== undefined && thingsOf(slots, "incident").length === 0;
  const incidentId = isNew ? null : await chooseIncident(situation);
  if (incidentId === null && !isNew) return;
  const wanted = readStatus(slots.message);
  const known = incidentId === null ? null : await lookup("get_incident", { incidentId });
  const status = wanted ?? known?.data.status;
  const input = isNew
    ? { serviceId: service.id }
    : { incidentId, ...(status !== undefined && { status }) };
  const found = await lookup("draft_incident", input);
  if (found === null) return;
  const { name, description } = found.data;
  const cited = known === null || incidentId === null ? "" : answer.cite(known, incidentId);
  answer.line(
    `A draft for ${quote(name)}, status ${found.data.status}. Nothing has been posted.${cited}`,
  );
  answer.line(`> ${description.replaceAll("\n", "\n> ")}`);
  if (isNew) answer.line("Open the incident here: [New incident](/incidents/new).");
  else answer.line("Say “post it” to post this text, or “post: …” with your own words.");
}

const maxDescription = 2_000;
const statusAtEnd =
  /[\s,;.]*\b(?:with )?status(?: is|:)? (investigating|identified|monitoring|resolved)[.!]?$/i;

/** Proposes to post the text in the message or, without one, the draft in the previous answer. */
export async function answerPost(situation: Situation): Promise<void> {
  const { slots, answer, lookup, lastAnswer } = situation;
  const { words, instruction } = splitPost(slots.message);
  const drafted = lastAnswer
    .split("\n")
    .filter((line) => line.startsWith("> "))
    .map((line) => line.slice(2))
    .join("\n")
    .trim();
  const text = words === null ? drafted : words.replace(statusAtEnd, "").trim() || words;
  if (text === "") return answerDraft(situation);
  const incidentId = await chooseIncident(situation);
  if (incidentId === null) return;
  const found = await lookup("get_incident", { incidentId });
  if (found === null) return;
  const status =
    readStatus(statusAtEnd.exec(words ?? "")?.[1] ?? "") ??
    readStatus(instruction) ??
    (words === null ? readDraftedStatus(lastAnswer) : null) ??
    found.data.status;
  const description = text.slice(0, maxDescription);
  const input = { incidentId, status, description };
  const proposed = await lookup("post_incident_update", input);
  answer.line(`To ${quote(found.data.name)}, status ${status}:${answer.cite(found, incidentId)}`);
  answer.line(`> ${description.replaceAll("\n", "\n> ")}`);
  reportProposal(situation, proposed);
}

function readDraftedStatus(text: string): GetIncidentData["status"] | null {
  const [, status = ""] = /, status ([A-Z]+)\./.exec(text) ?? [];
  return incidentStatuses.find((one) => one === status) ?? null;
}
