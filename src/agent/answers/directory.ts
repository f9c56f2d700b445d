import type { CheckBrief, GetCheckData } from "../tool-shapes/check-data.ts";
import {
  checkIdsOf,
  findCheckType,
  isUnclear,
  placesOf,
  type Situation,
  scopesOf,
  speechOf,
  statesOf,
  thingsOf,
} from "./situation.ts";
import { writeStatus } from "./status-words.ts";
import { formatTime, quote, writeCount, writeInterval, writeList, writeMs } from "./wording.ts";

const maxListed = 25;

const pausedPattern = new RegExp(
  "\\b(?:paused|deactivated|switched off|disabled|unmonitored)\\b" +
    "|\\bnot (?:being )?(?:monitored|watched|checked)\\b",
);

/** Lists and counts checks by tag, location, kind, state, and whether they are muted or paused. */
export async function answerChecks(situation: Situation): Promise<void> {
  const { answer, lookup, slots } = situation;
  const { text, names, unknown } = slots;
  if (unknown[0] !== undefined && names.length === 0 && /\btag(?:ged|s)?\b/.test(text)) {
    answer.line(`There is no check with the tag ${quote(unknown[0])}.`);
    return;
  }
  const scopes = scopesOf(slots);
  const ids = new Set(checkIdsOf(situation));
  const [place] = placesOf(situation);
  const [tag] = scopes.filter(({ kind }) => kind === "tag");
  const type = findCheckType(slots.message);
  const [status, ...more] = statesOf(slots);
  const isMuted = /\bmuted\b|\bsilenced\b/.test(text);
  const isPaused = pausedPattern.test(text);
  const isUntagged = /\bno tag|without (?:a )?tag/.test(text);
  const ofStatus = more.length === 0 && !isMuted && !isPaused ? status : undefined;
  const found = await lookup("list_checks", {
    limit: 200,
    ...(tag !== undefined && scopes.length === 1 && { tag: tag.name }),
    ...(place !== undefined && { location: place }),
    ...(type !== null && { checkType: type }),
    ...(ofStatus !== undefined && { status: ofStatus }),
  });
  if (found === null) return;
  const shown = found.data.checks.filter(
    (one) =>
      (ids.size === 0 || tag !== undefined || ids.has(one.checkId)) &&
      (!isMuted || one.muted) &&
      (!isPaused || !one.activated) &&
      (!isUntagged || one.tags.length === 0),
  );
  const words = [
    ...(ofStatus === undefined ? [] : [writeStatus(ofStatus)]),
    ...(isMuted ? ["muted"] : []),
    ...(isPaused ? ["switched off"] : []),
    ...(place === undefined ? [] : [`run from ${place}`]),
    ...(type === null ? [] : [`of the kind ${type}`]),
    ...scopes.map(({ kind, name }) =>
      kind === "tag" ? `with the tag ${quote(name)}` : `of the ${kind} ${quote(name)}`,
    ),
  ].join(" ");
  const total =
    ids.size === 0 && !isMuted && !isPaused && !isUntagged ? found.data.total : shown.length;
  const about = words === "" ? "" : ` ${words}`;
  if (shown.length === 0) {
    answer.line(
      `No check${about.startsWith(" run") ? about.replace("run", "runs") : about}.${answer.cite(found)}`,
    );
    return;
  }
  const counts = (["failing", "degraded", "unknown", "passing"] as const).flatMap((one) => {
    const count = shown.filter((check) => check.status === one).length;
    return count === 0 || ofStatus !== undefined ? [] : [`${count} ${writeStatus(one)}`];
  });
  const cited = answer.cite(found, ...shown.slice(0, 3).map(({ checkId }) => checkId));
  const of = counts.length === 0 ? "" : `: ${writeList(counts)}`;
  answer.line(`${writeCount(total, "check")}${about}${of}.${cited}`);
  for (const one of answer.upTo(shown, maxListed))
    answer.item(`${describeBrief(one)}${answer.cite(found, one.checkId)}`);
}

function describeBrief({
  name,
  hostname,
  status,
  muted,
  activated,
  everySeconds,
}: CheckBrief): string {
  const notes = `${muted ? ", muted" : ""}${activated ? "" : ", switched off"}`;
  return `${quote(name)} (${quote(hostname)}): ${writeStatus(status)}${notes}, every ${writeInterval(everySeconds)}.`;
}

/** Lists all tags with the number of their checks. */
export async function answerTags({ answer, lookup }: Situation): Promise<void> {
  const found = await lookup("list_checks", { limit: 200 });
  if (found === null) return;
  const pairs = found.data.checks.flatMap(({ tags, checkId }) =>
    tags.map((tag) => ({ tag, checkId })),
  );
  const byTag = [...Map.groupBy(pairs, ({ tag }) => tag)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  answer.line(byTag.length === 0 ? "No check has a tag." : `${writeCount(byTag.length, "tag")}:`);
  for (const [tag, own] of answer.upTo(byTag, maxListed)) {
    answer.item(
      `${quote(tag)}: ${writeCount(own.length, "check")}.${answer.cite(found, own[0]?.checkId ?? "")}`,
    );
  }
}

/** What a check does, how often, from where, and its limits. */
export async function answerSettings(situation: Situation): Promise<void> {
  if (isUnclear(situation)) return;
  const { answer, lookup } = situation;
  const ids = checkIdsOf(situation).slice(0, 3);
  if (ids.length === 0) {
    answer.line("Which check do you mean? Name it, for example “settings of core-db”.");
    return;
  }
  const found = await Promise.all(ids.map((checkId) => lookup("get_check", { checkId })));
  for (const one of found) {
    if (one === null) continue;
    const cited = answer.cite(one, one.data.checkId);
    answer.line(`${quote(one.data.name)} ${speechOf(one.data).describeTarget(one.data)}.${cited}`);
    for (const line of describeSettings(one.data)) answer.item(`${line}${cited}`);
  }
  await writeOwners(situation, ids);
}

function describeSettings(check: GetCheckData): string[] {
  const speech = speechOf(check);
  const how = check.runParallel ? "at once" : "one after the other";
  const from =
    check.locations.length === 0 ? "" : `, from ${writeList([...check.locations])} ${how}`;
  const { maxResponseTimeMs: max, degradedResponseTimeMs: degraded } = check;
  const limits = [
    ...speech.describeLimits(check),
    ...(max === null ? [] : [`failing above ${writeMs(max)}`]),
    ...(degraded === null ? [] : [`degraded above ${writeMs(degraded)}`]),
  ];
  const assertions = check.assertions.map(({ source, property, comparison, target }) =>
    quote(`${source} ${property} ${comparison} ${target}`),
  );
  const notes = [
    ...(check.activated ? [] : ["switched off"]),
    ...(check.muted ? ["muted"] : []),
    ...(check.shouldFail ? ["expected to fail"] : []),
  ];
  const changed = check.updatedAt === null ? "" : `, changed ${formatTime(check.updatedAt)}`;
  return [
    `${writeStatus(check.status)} now${notes.length === 0 ? "" : `, ${notes.join(", ")}`}.`,
    `Every ${writeInterval(check.everySeconds)}, ${speech.describeSize(check)}${from}.`,
    ...(limits.length === 0 ? [] : [`${writeList(limits)}.`]),
    ...(assertions.length === 0 ? [] : [`It asserts ${writeList(assertions)}.`]),
    check.retryStrategy === null ? "No retries." : "Failed runs are retried.",
    ...(check.tags.length === 0
      ? []
      : [`Tags: ${writeList(check.tags.map((tag) => quote(tag)))}.`]),
    `Created ${formatTime(check.createdAt)}${changed}.`,
  ];
}

/** Says which groups and services the checks belong to. */
async function writeOwners({ answer, lookup }: Situation, ids: readonly string[]): Promise<void> {
  const [groups, services] = await Promise.all([
    lookup("list_groups", {}),
    lookup("list_services", {}),
  ]);
  const has = ({ checks }: { readonly checks: readonly { readonly checkId: string }[] }) =>
    checks.some(({ checkId }) => ids.includes(checkId));
  for (const { groupId, name } of groups?.data.groups.filter(has) ?? []) {
    answer.item(
      `in the group ${quote(name)}.${groups ? answer.cite(groups, `group-${groupId}`) : ""}`,
    );
  }
  for (const { serviceId, name, pages } of services?.data.services.filter(has) ?? []) {
    const shown =
      pages.length === 0 ? "" : `, on the pages ${writeList(pages.map((page) => quote(page)))}`;
    answer.item(
      `behind the service ${quote(name)}${shown}.${services ? answer.cite(services, serviceId) : ""}`,
    );
  }
}

interface Counted {
  readonly counts?: Readonly<Record<CheckBrief["status"], number>>;
  readonly checks: readonly { readonly name: string; readonly status: CheckBrief["status"] }[];
}

function describeMembers({ checks }: Counted): string {
  if (checks.length === 0) return "no checks";
  const names = checks.map(({ name, status }) =>
    status === "passing" ? quote(name) : `${quote(name)} (${writeStatus(status)})`,
  );
  return `${writeCount(checks.length, "check")}: ${writeList(names, 12)}`;
}

const isTroubled = ({ checks }: Counted) =>
  checks.some(({ status }) => status === "failing" || status === "degraded");
const asksTrouble =
  /\b(?:down|failing|trouble|red|affected|broken|fail|worst|degraded|problems?)\b/;

/** What belongs to a group, service or tag, or which of them a check belongs to. */
export async function answerBelongs(situation: Situation): Promise<void> {
  if (isUnclear(situation)) return;
  const { slots } = situation;
  const scopes = scopesOf(slots);
  if (scopes.some(({ kind }) => kind === "tag")) return answerChecks(situation);
  if (scopes.some(({ kind }) => kind === "group")) await answerGroups(situation);
  if (scopes.some(({ kind }) => kind === "service")) await answerServices(situation);
  if (scopes.length > 0) return;
  const ids = checkIdsOf(situation);
  if (ids.length === 0) return answerGroups(situation);
  const { answer, lookup } = situation;
  const found = await lookup("list_checks", { limit: 200 });
  for (const one of found?.data.checks.filter(({ checkId }) => ids.includes(checkId)) ?? []) {
    answer.line(`${quote(one.name)}:${found ? answer.cite(found, one.checkId) : ""}`);
  }
  await writeOwners(situation, ids);
}

export async function answerGroups({ answer, lookup, slots }: Situation): Promise<void> {
  const found = await lookup("list_groups", {});
  if (found === null) return;
  const named = thingsOf(slots, "group").map(({ id }) => id);
  const isFiltered = asksTrouble.test(slots.text);
  const shown = found.data.groups.filter((one) =>
    named.length === 0 ? !isFiltered || isTroubled(one) : named.includes(String(one.groupId)),
  );
  if (named.length === 0)
    answer.line(
      `${writeCount(shown.length, "group")}${isFiltered ? " in trouble" : ""}${shown.length === 0 ? "." : ":"}`,
    );
  for (const group of answer.upTo(shown, maxListed)) {
    const notes = `${group.muted ? ", muted" : ""}${group.activated ? "" : ", paused"}`;
    answer.item(
      `${named.length === 0 ? "" : "group "}${quote(group.name)}${notes}: ${describeMembers(group)}.${answer.cite(found, `group-${group.groupId}`)}`,
    );
  }
}

export async function answerServices({ answer, lookup, slots }: Situation): Promise<void> {
  const found = await lookup("list_services", {});
  if (found === null) return;
  const named = thingsOf(slots, "service").map(({ id }) => id);
  const isFiltered = named.length === 0 && asksTrouble.test(slots.text);
  const shown = found.data.services.filter(
    (one) =>
      (named.length === 0 || named.includes(one.serviceId)) &&
      (!isFiltered || isTroubled(one) || one.incidents.length > 0),
  );
  if (named.length === 0)
    answer.line(
      `${writeCount(shown.length, "service")}${isFiltered ? " in trouble" : ""}${shown.length === 0 ? "." : ":"}`,
    );
  for (const service of answer.upTo(shown, maxListed)) {
    const open = service.incidents.map(({ name }) => quote(name));
    const incidents = open.length === 0 ? "" : `; open incident ${writeList(open)}`;
    const pages =
      service.pages.length === 0
        ? ""
        : `; on ${writeList(service.pages.map((page) => quote(page)))}`;
    answer.item(
      `${named.length === 0 ? "" : "service "}${quote(service.name)}: ${describeMembers(service)}${incidents}${pages}.${answer.cite(found, service.serviceId)}`,
    );
  }
}

/** Status pages: the named ones, those that show a service or check, or all. */
export async function answerPages(situation: Situation): Promise<void> {
  const { answer, lookup, slots, allNames } = situation;
  const found = await lookup("list_status_pages", {});
  if (found === null) return;
  const named = thingsOf(slots, "page").map(({ id }) => id);
  const ids = new Set(checkIdsOf(situation));
  const services = new Set([
    ...thingsOf(slots, "service").map(({ name }) => name),
    ...allNames
      .filter(({ kind, checkIds }) => kind === "service" && checkIds.some((id) => ids.has(id)))
      .map(({ name }) => name),
  ]);
  const isPublic = /\bpublic\b/.test(slots.text) && !/\bprivate\b/.test(slots.text);
  const shown = found.data.pages.filter(
    (one) =>
      (named.length > 0
        ? named.includes(one.pageId)
        : services.size === 0 ||
          one.cards.some((card) => card.services.some((name) => services.has(name)))) &&
      (named.length > 0 || !isPublic || !one.isPrivate),
  );
  if (named.length === 0) {
    const about =
      services.size === 0
        ? ""
        : ` ${shown.length === 1 ? "shows" : "show"} ${writeList([...services].map((name) => quote(name)))}`;
    answer.line(
      `${writeCount(shown.length, "status page")}${about}${shown.length === 0 ? "." : ":"}`,
    );
  }
  for (const { pageId, name, address, isPrivate, cards, incidents } of answer.upTo(
    shown,
    maxListed,
  )) {
    const lists = cards.map(
      (card) => `${quote(card.name)} (${writeList(card.services.map((one) => quote(one)))})`,
    );
    const open =
      incidents.length === 0
        ? "no open incident"
        : `open incident ${writeList(incidents.map((one) => quote(one.name)))}`;
    answer.item(
      `${quote(name)}, ${isPrivate ? "private" : "public"}, ${address}: ${lists.length === 0 ? "no cards" : writeList(lists)}; ${open}.${answer.cite(found, pageId)}`,
    );
  }
}

export async function answerDashboards({ answer, lookup, slots }: Situation): Promise<void> {
  const found = await lookup("list_dashboards", {});
  if (found === null) return;
  const named = thingsOf(slots, "dashboard").map(({ id }) => id);
  const shown = found.data.dashboards.filter(
    ({ dashboardId }) => named.length === 0 || named.includes(dashboardId),
  );
  if (named.length === 0)
    answer.line(`${writeCount(shown.length, "dashboard")}${shown.length === 0 ? "." : ":"}`);
  for (const one of answer.upTo(shown, maxListed)) {
    const tags =
      one.tags.length === 0
        ? "all checks"
        : `checks with ${one.needsAllTags ? "all of " : ""}the tags ${writeList(one.tags.map((tag) => quote(tag)))}`;
    answer.item(
      `${quote(one.name)}, ${one.isPrivate ? "private" : "public"}, ${one.address}: ${tags}${one.showsIncidents ? ", with incidents" : ""}.${answer.cite(found, one.dashboardId)}`,
    );
  }
}

/** Locations: whether their probes report, and how many checks fail there. */
export async function answerProbes(situation: Situation): Promise<void> {
  const { answer, lookup, slots } = situation;
  const [found, status] = await Promise.all([
    lookup("list_locations", {}),
    lookup("get_status", {}),
  ]);
  if (found === null) return;
  const wanted = placesOf(situation);
  const all = found.data.locations.filter(
    ({ region }) => wanted.length === 0 || wanted.includes(region),
  );
  const isSilent = ({ probes, servedBy }: (typeof all)[number]) =>
    servedBy === "nobody" || (probes.length > 0 && probes.every(({ isAlive }) => !isAlive));
  const silent = all.filter(isSilent);
  const cited = answer.cite(found);
  if (all.length === 0) {
    answer.line(`No check runs from there, and no probe serves it.${cited}`);
    return;
  }
  answer.line(
    silent.length === 0
      ? `No location is silent: ${writeCount(all.length, "location")}.${cited}`
      : `${writeCount(silent.length, "location")} of ${all.length} silent: ${writeList(silent.map(({ region }) => region))}.${cited}`,
  );
  const isOnly =
    /\bsilent\b|\boffline\b|\bdead\b|\bdown\b|\bmissing\b/.test(slots.text) && wanted.length === 0;
  for (const place of answer.upTo(isOnly ? silent : all, maxListed)) {
    const { region, name, probes, checks, servedBy } = place;
    const alive = probes.filter(({ isAlive }) => isAlive).length;
    const [last] = probes
      .map(({ lastSeenAt }) => lastSeenAt)
      .sort()
      .reverse();
    const seen = alive > 0 || last === undefined ? "" : `, last seen ${formatTime(last)}`;
    const state =
      servedBy === "nobody"
        ? "no probe serves it"
        : `${alive} of ${writeCount(probes.length, "probe")} alive${seen}`;
    const failing = (status?.data.checks ?? []).filter((one) =>
      one.locations.some(({ location, verdict }) => location === region && verdict === "failing"),
    );
    const fails =
      failing.length === 0
        ? ""
        : `, failing from there: ${writeList(failing.map((one) => quote(one.name)))}`;
    answer.item(
      `${quote(region)} (${quote(name)}): ${state}, ${writeCount(checks, "check")}${fails}.${cited}`,
    );
  }
}
