import type { Source } from "../../../src/agent/tool.ts";
import type { GetCheckData } from "../../../src/agent/tool-shapes/check-data.ts";
import type { ToolName } from "../../../src/agent/tool-shapes/tool-data.ts";
import type { CheckData } from "../../../src/kinds/of/icmp/agent.ts";
import { id, sampleChecks, sampleNow, toBrief, toResult, toStatus } from "./checks.ts";
import {
  sampleAlerts,
  sampleChannels,
  sampleDashboards,
  sampleGroups,
  sampleMembers,
  sampleNames,
  samplePages,
  sampleSchedules,
  sampleServices,
} from "./directory.ts";
import { documentAnswers, type ToolCall } from "./documents.ts";
import {
  figuresOf,
  sampleChanges,
  sampleDeliveries,
  sampleIncidents,
  sampleLocations,
  sampleOpenings,
} from "./events.ts";

/** A small account that never changes, answering as the tools would. */
export interface ToolAnswer {
  readonly data: unknown;
  readonly sources: readonly Source[];
}

type Input = Readonly<Record<string, unknown>>;

const source = (sourceId: string, label: string): Source => ({
  id: sourceId,
  label,
  url: `https://vedette.test/v1/${sourceId.replaceAll("#", "/")}`,
});
const checkSource = (number: number): Source =>
  source(id(number), sampleChecks.find((check) => check.number === number)?.name ?? "");
const checkNameOf = (checkId: unknown) =>
  sampleChecks.find(({ number }) => id(number) === checkId)?.name ?? "";
const notFound: ToolAnswer = {
  data: { error: "not-found", message: "There is no such thing." },
  sources: [],
};

function findChecks(input: Input) {
  const { name, tag, status, location, checkIds } = input;
  return sampleChecks.filter(
    (check) =>
      (name === undefined || check.name.toLowerCase().includes(String(name).toLowerCase())) &&
      (tag === undefined || check.tags.includes(String(tag))) &&
      (status === undefined || check.status === status) &&
      (location === undefined || Object.hasOwn(check.votes, String(location))) &&
      (!Array.isArray(checkIds) || checkIds.includes(id(check.number))),
  );
}

function unknownIds({ checkIds }: Input): string[] {
  if (!Array.isArray(checkIds)) return [];
  return checkIds.filter((one) => !sampleChecks.some((check) => id(check.number) === one));
}

function isWithin(at: string, { from, to }: Input): boolean {
  const atMs = Date.parse(at);
  return atMs >= Date.parse(String(from)) && atMs < Date.parse(String(to));
}

function listChecks(input: Input): ToolAnswer {
  const found = findChecks(input);
  const checks = found.slice(0, Number(input.limit ?? 50)).map(toBrief);
  return {
    data: { checks, total: found.length },
    sources: found.map((check) => checkSource(check.number)),
  };
}

function getStatus(input: Input): ToolAnswer {
  const order = ["failing", "degraded", "unknown", "passing"];
  const found = [...findChecks({ checkIds: input.checkIds })];
  if (input.checkIds === undefined) {
    found.sort((left, right) => order.indexOf(left.status) - order.indexOf(right.status));
  }
  const checks = found.map(toStatus);
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0 };
  for (const { status } of checks) counts[status] += 1;
  const sources = checks.flatMap((check) => [
    source(check.checkId, check.name),
    ...check.why.map((one) =>
      source(one.resultId, `result of ${one.startedAt} from ${one.location}`),
    ),
  ]);
  return { data: { counts, total: checks.length, checks, notFound: unknownIds(input) }, sources };
}

function getCheck({ checkId }: Input): ToolAnswer {
  const check = sampleChecks.find(({ number }) => id(number) === checkId);
  if (check === undefined) return notFound;
  const data: GetCheckData & CheckData = {
    ...toBrief(check),
    ipFamily: "IPv4",
    pingCount: 10,
    shouldFail: false,
    runParallel: true,
    degradedPacketLossThreshold: 10,
    maxPacketLossThreshold: 20,
    degradedResponseTimeMs: null,
    maxResponseTimeMs: 250,
    assertions: [{ source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "90" }],
    retryStrategy: null,
    createdAt: "2026-10-01T00:00:00.000Z",
    updatedAt: null,
  };
  return { data, sources: [checkSource(check.number)] };
}

function listResults(input: Input): ToolAnswer {
  const check = sampleChecks.find(({ number }) => id(number) === input.checkId);
  if (check === undefined) return notFound;
  const results = Object.entries(check.votes)
    .map(([place, verdict]) => toResult(check, place, verdict))
    .filter((one) => isWithin(one.startedAt, input))
    .filter((one) => input.verdict === undefined || one.verdict === input.verdict)
    .slice(0, Number(input.limit ?? 20));
  const sources = [
    checkSource(check.number),
    ...results.map((one) =>
      source(one.resultId, `result of ${one.startedAt} from ${one.location}`),
    ),
  ];
  const { from, to } = input;
  return {
    data: {
      checkId: input.checkId,
      checkType: "ICMP",
      name: check.name,
      from,
      to,
      results,
      isTruncated: false,
    },
    sources,
  };
}

function getResult({ checkId, resultId }: Input): ToolAnswer {
  const check = sampleChecks.find(({ number }) => id(number) === checkId);
  const brief = check && toStatus(check).why.find((one) => one.resultId === resultId);
  if (check === undefined || brief === undefined) return notFound;
  const isUnresolved = brief.packetsSent === null;
  // Packets 3 to 6 are lost in Frankfurt, scattered ones in London.
  const lost =
    check.number === 4 ? [7] : brief.location === "eu-central-1" ? [3, 4, 5, 6] : [2, 4, 7, 9];
  const packets = isUnresolved
    ? []
    : Array.from({ length: 10 }, (_, index) => ({
        sequence: index + 1,
        sentAt: brief.startedAt,
        rttMs: lost.includes(index + 1) ? null : 12.5,
        ttl: lost.includes(index + 1) ? null : 57,
        icmpType: index === 2 && check.number === 1 ? 3 : null,
        icmpCode: index === 2 && check.number === 1 ? 1 : null,
      }));
  const data = {
    ...brief,
    checkType: "ICMP",
    name: check.name,
    hostname: check.hostname,
    resolvedIp: isUnresolved ? null : "198.51.100.7",
    ipFamily: "IPv4",
    dnsMs: 1,
    stdDevMs: 1,
    longestLossBurst: 4,
    duplicates: 0,
    reordered: 0,
    lateReplies: 0,
    trouble: isUnresolved
      ? { kind: "unresolved", code: "ENOTFOUND", message: "no such name" }
      : null,
    packets,
  };
  const label = `result of ${brief.startedAt} from ${brief.location}`;
  return { data, sources: [checkSource(check.number), source(brief.resultId, label)] };
}

function getStatistics(input: Input): ToolAnswer {
  const found = findChecks(input);
  const checks = found.map((check) => ({
    checkId: id(check.number),
    checkType: "ICMP",
    name: check.name,
    tags: check.tags,
    ...figuresOf(check.number),
    ...(input.byLocation === true
      ? {
          byLocation: Object.entries(check.votes).map(([location, verdict]) => ({
            location,
            ...figuresOf(check.number, location === "us-east-1" ? 3 : 1),
            ...(verdict === "passing" ? { packetLossPercent: 0 } : {}),
          })),
        }
      : {}),
  }));
  const { from, to } = input;
  const sources = found.map((check) => checkSource(check.number));
  return { data: { from, to, checks, total: checks.length, notFound: unknownIds(input) }, sources };
}

function compareWindows(input: Input): ToolAnswer {
  const found = findChecks(input);
  const checks = found.map((check) => {
    const now = figuresOf(check.number);
    const before = {
      ...figuresOf(check.number, 0.5),
      availabilityPercent: now.availabilityPercent === null ? null : 100,
    };
    const minus = (left: number | null, right: number | null) =>
      left === null || right === null ? null : left - right;
    return {
      checkId: id(check.number),
      checkType: "ICMP",
      name: check.name,
      now,
      before,
      change: {
        availabilityPercent: minus(now.availabilityPercent, before.availabilityPercent),
        packetLossPercent: minus(now.packetLossPercent, before.packetLossPercent),
        latencyAvgMs: minus(now.latencyMs.avg, before.latencyMs.avg),
        latencyP95Ms: minus(now.latencyMs.p95, before.latencyMs.p95),
      },
    };
  });
  const { from, to, previousFrom, previousTo } = input;
  const sources = found.map((check) => checkSource(check.number));
  const spans = { from, to, previousFrom, previousTo };
  return { data: { ...spans, checks, total: checks.length, notFound: unknownIds(input) }, sources };
}

function listStateChanges(input: Input): ToolAnswer {
  const changes = sampleChanges.filter(
    ({ checkId, at }) =>
      (input.checkId === undefined || checkId === input.checkId) && isWithin(at, input),
  );
  const sources = changes.map(({ checkId, name }) => source(checkId, name ?? ""));
  return { data: { from: input.from, to: input.to, changes, isTruncated: false }, sources };
}

function whoIsOnCall({ scheduleId, from, to }: Input): ToolAnswer {
  const at = String(from ?? sampleNow.toISOString());
  const schedules = sampleSchedules
    .filter((one) => scheduleId === undefined || one.scheduleId === scheduleId)
    .map(({ shifts, ...one }) => {
      const current = shifts.findIndex((shift) => shift.from <= at && at < shift.to);
      const later = shifts.slice(current + 1);
      const next = later.find(({ person }) => person !== null);
      const end = String(to ?? at);
      return {
        ...one,
        person: shifts[current]?.person ?? null,
        until: later.length === 0 ? null : (shifts[current]?.to ?? null),
        next: next?.person ? { ...next.person, from: next.from } : null,
        shifts: shifts
          .filter((shift) => shift.from < end && shift.to > at)
          .map(({ person, ...shift }) => ({
            from: shift.from < at ? at : shift.from,
            to: shift.to > end ? end : shift.to,
            person,
          })),
      };
    });
  const sources = schedules.map((one) => source(one.scheduleId, one.name));
  return { data: { at, callerId: id(402), schedules, isTruncated: false }, sources };
}

function write(action: string, summary: string): ToolAnswer {
  return { data: { needsConfirmation: true, action, summary }, sources: [] };
}

const answers: Readonly<Record<ToolName, (input: Input) => ToolAnswer>> = {
  list_checks: listChecks,
  get_check: getCheck,
  get_status: getStatus,
  list_results: listResults,
  get_result: getResult,
  get_statistics: getStatistics,
  compare_windows: compareWindows,
  list_state_changes: listStateChanges,
  list_incidents: ({ status, serviceId, from, to }) => {
    const service = sampleServices.find((one) => one.serviceId === serviceId);
    const incidents = sampleIncidents.filter(
      ({ startedAt, resolvedAt, services }) =>
        (service === undefined || services.includes(service.name)) &&
        (status === undefined || (resolvedAt === null) === (status === "ongoing")) &&
        (to === undefined || startedAt < String(to)) &&
        (from === undefined || resolvedAt === null || resolvedAt >= String(from)),
    );
    const sources = incidents.map(({ incidentId, name }) => source(incidentId, name));
    return { data: { incidents, isTruncated: false }, sources };
  },
  get_incident: ({ incidentId }) => {
    const data = sampleIncidents.find((one) => one.incidentId === incidentId);
    return data === undefined ? notFound : { data, sources: [source(data.incidentId, data.name)] };
  },
  list_deliveries: (input) => {
    const deliveries = sampleDeliveries.filter(
      ({ checkId, decidedAt }) =>
        (input.checkId === undefined || checkId === input.checkId) &&
        isWithin(decidedAt, { to: sampleNow.toISOString(), ...input }),
    );
    const sources = deliveries.map(({ deliveryId, title }) => source(deliveryId, title));
    return { data: { deliveries, total: deliveries.length }, sources };
  },
  list_maintenance: ({ from, to }) => {
    const windows = sampleOpenings.filter(
      ({ startsAt, endsAt }) =>
        Date.parse(startsAt) < Date.parse(String(to)) &&
        Date.parse(endsAt) > Date.parse(String(from)),
    );
    const sources = windows.map(({ windowId, name }) =>
      source(`maintenance-window-${windowId}`, name),
    );
    return { data: { from, to, windows, isTruncated: false }, sources };
  },
  list_locations: () => ({
    data: { locations: sampleLocations },
    sources: [source("locations", "locations and probes")],
  }),
  draft_incident: ({ incidentId, status }) => {
    const found = sampleIncidents.find((one) => one.incidentId === incidentId);
    if (found === undefined) return notFound;
    const { name, severity, services, startedAt } = found;
    const description = `An update about ${services.join(", ")}.`;
    const data = { name, severity, status, description, startedAt, services };
    return { data, sources: [source(found.incidentId, name)] };
  },
  ...documentAnswers,
  list_names: () => ({ data: sampleNames, sources: [] }),
  list_groups: () => ({
    data: { groups: sampleGroups, isTruncated: false },
    sources: sampleGroups.map(({ groupId, name }) => source(`group-${groupId}`, name)),
  }),
  list_services: () => ({
    data: { services: sampleServices, isTruncated: false },
    sources: sampleServices.map(({ serviceId, name }) => source(serviceId, name)),
  }),
  list_status_pages: () => ({
    data: { pages: samplePages, isTruncated: false },
    sources: samplePages.map(({ pageId, name }) => source(pageId, name)),
  }),
  list_channels: () => ({
    data: { channels: sampleChannels, isTruncated: false },
    sources: sampleChannels.map((one) => source(`channel-${one.channelId}`, one.recipient)),
  }),
  list_members: () => ({ data: sampleMembers, sources: [source("members", "members")] }),
  list_dashboards: () => ({
    data: sampleDashboards,
    sources: sampleDashboards.dashboards.map((one) => source(one.dashboardId, one.name)),
  }),
  list_alerts: ({ checkId }) => {
    const alerts = sampleAlerts.filter((one) => checkId === undefined || one.checkId === checkId);
    const sources = alerts.map((one) => source(one.checkId, one.name));
    return { data: { alerts, isTruncated: false }, sources };
  },
  who_is_on_call: whoIsOnCall,
  page_member: ({ memberId, scheduleId, checkId }) =>
    write("page_member", `Page ${memberId ?? scheduleId} about ${checkNameOf(checkId)}.`),
  snooze_alert: ({ checkId, minutes }) =>
    write(
      "snooze_alert",
      `Snooze the open alert of ${checkNameOf(checkId)} for ${minutes} minutes.`,
    ),
  reassign_alert: ({ memberId, scheduleId, checkId }) =>
    write("reassign_alert", `Reassign ${checkNameOf(checkId)} to ${memberId ?? scheduleId}.`),
  escalate_alert: ({ checkId }) =>
    write("escalate_alert", `Escalate the open alert of ${checkNameOf(checkId)}.`),
  acknowledge_alert: ({ checkId }) =>
    write(
      "acknowledge_alert",
      `Acknowledge the open alert of the check ${JSON.stringify(checkNameOf(checkId))} (${checkId}).`,
    ),
  post_incident_update: ({ incidentId, status }) =>
    write("post_incident_update", `Post an update with the status ${status} to ${incidentId}.`),
  mute_check: ({ checkId, muted }) =>
    write("mute_check", `${muted ? "Mute" : "Unmute"} ${checkId}.`),
  create_check: ({ body }) => write("create_check", `Create ${JSON.stringify(body)}.`),
  run_check: ({ checkId }) => write("run_check", `Run ${checkId} now.`),
};

export const sampleTools: ReadonlySet<string> = new Set(Object.keys(answers));

export function answerCall({ tool, input }: ToolCall): ToolAnswer {
  return answers[tool](input);
}

export { sampleNow, type ToolCall };
