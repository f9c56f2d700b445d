import type { Source } from "../../../src/agent/tool.ts";
import type { ToolName } from "../../../src/agent/tool-shapes/tool-data.ts";
import { id } from "../sample-account/checks.ts";
import { answerCall, type ToolAnswer, type ToolCall } from "../sample-account/tool-answers.ts";
import {
  shopChannels,
  shopChecks,
  shopDashboards,
  shopGroups,
  shopIncidents,
  shopMembers,
  shopNames,
  shopPages,
  shopServices,
  shopWindows,
  toShopBrief,
  toShopStatus,
} from "./shop-data.ts";

type Input = Readonly<Record<string, unknown>>;

const source = (sourceId: string, label: string): Source => ({
  id: sourceId,
  label,
  url: `https://vedette.test/v1/${sourceId}`,
});

function findChecks({ name, tag, status, checkIds, checkType }: Input) {
  return shopChecks.filter(
    (check) =>
      (name === undefined || check.name.toLowerCase().includes(String(name).toLowerCase())) &&
      (tag === undefined || check.tags.includes(String(tag))) &&
      (status === undefined || check.status === status) &&
      (checkType === undefined || check.checkType === checkType) &&
      (!Array.isArray(checkIds) || checkIds.includes(id(check.number))),
  );
}

function getStatus(input: Input): ToolAnswer {
  const checks = findChecks({ checkIds: input.checkIds }).map(toShopStatus);
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0 };
  for (const { status } of checks) counts[status] += 1;
  const sources = checks.flatMap((check) => [
    source(check.checkId, check.name),
    ...check.why.map(({ resultId }) => source(resultId, `result of ${check.name}`)),
  ]);
  return { data: { counts, total: checks.length, checks, notFound: [] }, sources };
}

function listIncidents({ status, serviceId, from, to }: Input): ToolAnswer {
  const service = shopServices.find((one) => one.serviceId === serviceId);
  const incidents = shopIncidents.filter(
    ({ startedAt, resolvedAt, services }) =>
      (service === undefined || services.includes(service.name)) &&
      (status === undefined || (resolvedAt === null) === (status === "ongoing")) &&
      (to === undefined || startedAt < String(to)) &&
      (from === undefined || resolvedAt === null || resolvedAt >= String(from)),
  );
  return {
    data: { incidents, isTruncated: false },
    sources: incidents.map(({ incidentId, name }) => source(incidentId, name)),
  };
}

const answers: Readonly<Partial<Record<ToolName, (input: Input) => ToolAnswer>>> = {
  list_checks: (input) => {
    const found = findChecks(input);
    const sources = found.map(({ number, name }) => source(id(number), name));
    return { data: { checks: found.map(toShopBrief), total: found.length }, sources };
  },
  get_status: getStatus,
  get_check: ({ checkId }) => {
    const check = shopChecks.find(({ number }) => id(number) === checkId);
    if (check === undefined) return { data: { error: "not-found", message: "none" }, sources: [] };
    return { data: toShopBrief(check), sources: [source(id(check.number), check.name)] };
  },
  list_incidents: listIncidents,
  get_incident: ({ incidentId }) => {
    const found = shopIncidents.find((one) => one.incidentId === incidentId);
    const data = found ?? { error: "not-found", message: "none" };
    return { data: { ...data, updates: [] }, sources: [source(String(incidentId), "incident")] };
  },
  list_maintenance: ({ from, to }) => {
    const windows = shopWindows.filter(
      ({ startsAt, endsAt }) => startsAt < String(to) && endsAt > String(from),
    );
    const sources = windows.map(({ windowId, name }) =>
      source(`maintenance-window-${windowId}`, name),
    );
    return { data: { from, to, windows, isTruncated: false }, sources };
  },
  list_names: () => ({ data: shopNames, sources: [] }),
  list_groups: () => ({
    data: {
      groups: shopGroups.map((group) => ({ ...group, activated: true, muted: false, tags: [] })),
      isTruncated: false,
    },
    sources: shopGroups.map(({ groupId, name }) => source(`group-${groupId}`, name)),
  }),
  list_services: () => ({
    data: { services: shopServices, isTruncated: false },
    sources: shopServices.map(({ serviceId, name }) => source(serviceId, name)),
  }),
  list_status_pages: () => ({
    data: { pages: shopPages, isTruncated: false },
    sources: shopPages.map(({ pageId, name }) => source(pageId, name)),
  }),
  list_channels: () => ({
    data: { channels: shopChannels, isTruncated: false },
    sources: shopChannels.map((one) => source(`channel-${one.channelId}`, one.recipient)),
  }),
  list_members: () => ({ data: shopMembers, sources: [source("members", "members")] }),
  list_dashboards: () => ({
    data: shopDashboards,
    sources: shopDashboards.dashboards.map((one) => source(one.dashboardId, one.name)),
  }),
  list_alerts: () => ({ data: { alerts: [], isTruncated: false }, sources: [] }),
  list_deliveries: () => ({ data: { deliveries: [], total: 0 }, sources: [] }),
  list_locations: () => ({ data: { locations: [] }, sources: [] }),
};

/** The shop answers as the tools would; what it has nothing of its own for, as the sample does. */
export function answerShopCall(call: ToolCall): ToolAnswer {
  return answers[call.tool]?.(call.input) ?? answerCall(call);
}
