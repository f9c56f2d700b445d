import { Type } from "typebox";
import { type Caller, isAllowed, listRoster, type Role } from "../../access/accounts/index.ts";
import { listOwnChannels } from "../../channels/alert-channels/index.ts";
import { listOwnGroups } from "../../checks/checks/index.ts";
import { isAlive, listAccountPlaces } from "../../checks/locations/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { type Incident, listActiveIncidents } from "../../response/incidents/index.ts";
import { listOwnWindows } from "../../response/maintenance/index.ts";
import { listEverySchedule } from "../../response/on-call/index.ts";
import { formatDashboardUrl, listDashboards } from "../../screens/dashboards/index.ts";
import {
  formatPageUrl,
  listAllServices,
  listStatusPagesOf,
} from "../../sites/status-pages/index.ts";
import type { AgentContext } from "../context.ts";
import { defineReadTool } from "../tool.ts";
import type { CheckStatusName } from "../tool-shapes/check-data.ts";
import {
  ListChannelsSchema,
  ListDashboardsSchema,
  ListGroupsSchema,
  type ListLocationsData,
  ListLocationsSchema,
  ListMembersSchema,
  ListNamesSchema,
  ListServicesSchema,
  ListStatusPagesSchema,
} from "../tool-shapes/directory-data.ts";
import { findChecks, findMemberships, type Membership } from "./check-finder.ts";
import { describeChannel } from "./result-tools.ts";
import { limitSources, linkSource, NamePart } from "./sources.ts";

const Nothing = Type.Object({}, { additionalProperties: false });

function listRights(role: Role) {
  return {
    mayRun: isAllowed("run", role, true),
    mayWrite: isAllowed("write", role, true),
    mayManage: isAllowed("admin", role, true),
  };
}

export const listMembersTool = defineReadTool({
  name: "list_members",
  title: "List members",
  description: "Members of this account with their role and rights, and pending invites.",
  InputSchema: Nothing,
  DataSchema: ListMembersSchema,
  run: async (context, caller) => {
    const members = await listRoster(context, caller, { type: "member", limit: maxListed + 1 });
    const invites = await listRoster(context, caller, { status: "PENDING", limit: maxListed + 1 });
    const data = {
      members: members.slice(0, maxListed).flatMap((one) => {
        if (one.type !== "member") return [];
        const { id, name, email, role } = one;
        return [{ memberId: id, name, email, role, ...listRights(role) }];
      }),
      invites: invites.slice(0, maxListed).flatMap((one) => {
        if (one.type !== "invite") return [];
        return [{ email: one.email, role: one.role, expiresAt: formatDateTime(one.expiresAt) }];
      }),
      isTruncated: members.length > maxListed || invites.length > maxListed,
    };
    const path = "/settings/members";
    return { data, sources: [linkSource(context, { id: "members", label: "members", path })] };
  },
});

export const listDashboardsTool = defineReadTool({
  name: "list_dashboards",
  title: "List dashboards",
  description: "Dashboards: URL, privacy, and which checks each shows.",
  InputSchema: Nothing,
  DataSchema: ListDashboardsSchema,
  run: async (context, caller) => {
    const page = { limit: maxListed, page: 1 };
    const { dashboards, total } = await listDashboards(context.db, caller.accountId, page);
    const data = {
      dashboards: dashboards.map((dashboard) => {
        const { header, isPrivate, tags, useTagsAndOperator, enableIncidents } = dashboard.settings;
        return {
          dashboardId: dashboard.dashboardId,
          name: header,
          address: formatDashboardUrl(context.publicUrl(), dashboard),
          isPrivate,
          tags,
          needsAllTags: useTagsAndOperator,
          showsIncidents: enableIncidents,
        };
      }),
      isTruncated: total > dashboards.length,
    };
    const sources = data.dashboards.map(({ dashboardId: id, name: label }) =>
      linkSource(context, { id, label, path: `/edit-dashboard/${id}` }),
    );
    return { data, sources: limitSources(sources) };
  },
});

const maxListed = 200;

const maxMembers = 100;

const badness: readonly CheckStatusName[] = ["failing", "degraded", "unknown", "passing"];

const ByName = Type.Object({ name: Type.Optional(NamePart) }, { additionalProperties: false });

/**
 * Returns the items whose name contains the text, sorted by name, and whether the list is
 * truncated.
 */
function choose<Item extends { readonly name: string }>(all: readonly Item[], part = "") {
  const found = all
    .filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return { shown: found.slice(0, maxListed), isTruncated: found.length > maxListed };
}

function listMembers(members: readonly Membership[]) {
  return members
    .toSorted((one, other) => badness.indexOf(one.status) - badness.indexOf(other.status))
    .slice(0, maxMembers)
    .map(({ checkId, name, status }) => ({ checkId, name, status }));
}

function countStatuses(members: readonly Membership[]) {
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0 };
  for (const { status } of members) counts[status] += 1;
  return counts;
}

async function listOngoing(context: AgentContext, caller: Caller): Promise<Incident[]> {
  const all = { limit: maxListed, status: "ongoing", from: null, to: null } as const;
  return listActiveIncidents(context, caller, all);
}

const toOpen = ({ id, name, severity }: Incident) => ({ incidentId: id, name, severity });

export const listGroupsTool = defineReadTool({
  name: "list_groups",
  title: "List check groups",
  description: "Groups of checks, by part of the name, with the current status of their checks.",
  InputSchema: ByName,
  DataSchema: ListGroupsSchema,
  run: async (context, caller, { name }) => {
    const { groups } = await listOwnGroups(context, caller, { limit: 1_000, page: 1 });
    const { shown, isTruncated } = choose(groups, name);
    const members = await findMemberships(context, caller);
    const data = {
      groups: shown.map(({ id, name: groupName, settings }) => {
        const own = members.filter(({ groupId }) => groupId === id);
        const { activated, muted, tags } = settings;
        const counts = countStatuses(own);
        const checks = listMembers(own);
        return { groupId: id, name: groupName, activated, muted, tags, checks, counts };
      }),
      isTruncated,
    };
    const sources = shown.map(({ id, name: label }) =>
      linkSource(context, { id: `group-${id}`, label, path: `/groups/${id}` }),
    );
    return { data, sources: limitSources(sources) };
  },
});

export const listServicesTool = defineReadTool({
  name: "list_services",
  title: "List services",
  description:
    "Services of status pages, by part of the name: the checks behind each, its ongoing " +
    "incidents, and the pages that show it.",
  InputSchema: ByName,
  DataSchema: ListServicesSchema,
  run: async (context, caller, { name }) => {
    const { shown, isTruncated } = choose(await listAllServices(context, caller), name);
    const members = await findMemberships(context, caller);
    const pages = await listStatusPagesOf(context.db, caller.accountId);
    const incidents = await listOngoing(context, caller);
    const data = {
      services: shown.map(({ id, name: serviceName }) => ({
        serviceId: id,
        name: serviceName,
        checks: listMembers(members.filter(({ serviceIds }) => serviceIds.includes(id))),
        incidents: incidents
          .filter(({ services }) => services.some((one) => one.id === id))
          .map(toOpen),
        pages: pages
          .filter(({ cards }) => cards.some((card) => card.services.some((one) => one.id === id)))
          .map((page) => page.name),
      })),
      isTruncated,
    };
    const sources = shown.map(({ id, name: label }) =>
      linkSource(context, { id, label, path: "/status-pages" }),
    );
    return { data, sources: limitSources(sources) };
  },
});

export const listStatusPagesTool = defineReadTool({
  name: "list_status_pages",
  title: "List status pages",
  description: "Status pages, by part of the name: URL, cards and services, and ongoing incidents.",
  InputSchema: ByName,
  DataSchema: ListStatusPagesSchema,
  run: async (context, caller, { name }) => {
    const { shown, isTruncated } = choose(
      await listStatusPagesOf(context.db, caller.accountId),
      name,
    );
    const ongoing = await listOngoing(context, caller);
    const data = {
      pages: shown.map((page) => {
        const ids = new Set(page.cards.flatMap(({ services }) => services.map(({ id }) => id)));
        const isShown = ({ services }: Incident) => services.some(({ id }) => ids.has(id));
        return {
          pageId: page.id,
          name: page.name,
          address: formatPageUrl(context.publicUrl(), page),
          isPrivate: page.isPrivate,
          cards: page.cards.map((card) => ({
            name: card.name,
            services: card.services.map((service) => service.name),
          })),
          incidents: ongoing.filter(isShown).map(toOpen),
        };
      }),
      isTruncated,
    };
    const sources = shown.map(({ id, name: label }) =>
      linkSource(context, { id, label, path: `/status-pages/${id}` }),
    );
    return { data, sources: limitSources(sources) };
  },
});

export const listChannelsTool = defineReadTool({
  name: "list_channels",
  title: "List alert channels",
  description:
    "Alert channels: recipient, events sent, and the checks and groups that use each. Secrets " +
    "and telephone numbers are hidden.",
  InputSchema: Type.Object({}, { additionalProperties: false }),
  DataSchema: ListChannelsSchema,
  run: async (context, caller) => {
    const page = { limit: maxListed, page: 1 };
    const { channels, total } = await listOwnChannels(context, caller, page);
    const members = await findMemberships(context, caller);
    const { groups } = await listOwnGroups(context, caller, { limit: 1_000, page: 1 });
    const data = {
      channels: channels.map((channel) => {
        const active = channel.subscriptions.filter(({ activated }) => activated);
        const checkIds = new Set(active.flatMap(({ checkId }) => checkId ?? []));
        const groupIds = new Set(active.flatMap(({ groupId }) => groupId ?? []));
        return {
          channelId: channel.id,
          type: channel.type,
          recipient: describeChannel(channel),
          sends: [
            ...(channel.sendFailure ? (["failure"] as const) : []),
            ...(channel.sendRecovery ? (["recovery"] as const) : []),
            ...(channel.sendDegraded ? (["degraded"] as const) : []),
          ],
          takesNewChecks: channel.autoSubscribe,
          checks: members
            .filter((one) => checkIds.has(one.checkId) || groupIds.has(one.groupId ?? 0))
            .slice(0, maxMembers)
            .map(({ checkId, name }) => ({ checkId, name })),
          groups: groups.filter(({ id }) => groupIds.has(id)).map(({ name }) => name),
        };
      }),
      isTruncated: total > channels.length,
    };
    const sources = data.channels.map(({ channelId: id, recipient: label }) =>
      linkSource(context, { id: `channel-${id}`, label, path: `/alerts/channels/${id}` }),
    );
    return { data, sources: limitSources(sources) };
  },
});

export const listNamesTool = defineReadTool({
  name: "list_names",
  title: "List names",
  description:
    "All named objects of the account except checks and incidents: groups and services with " +
    "their checks, status pages, alert channels, maintenance windows, members, dashboards and " +
    "on-call schedules. " +
    "Use it first if a word may be a name.",
  InputSchema: Type.Object({}, { additionalProperties: false }),
  DataSchema: ListNamesSchema,
  run: async (context, caller) => {
    const first = { limit: maxListed, page: 1 };
    const members = await findMemberships(context, caller);
    const { groups, total: groupCount } = await listOwnGroups(context, caller, first);
    const services = await listAllServices(context, caller);
    const pages = await listStatusPagesOf(context.db, caller.accountId);
    const { channels, total: channelCount } = await listOwnChannels(context, caller, first);
    const { windows } = await listOwnWindows(context, caller, { limit: 100, page: 1 });
    const people = await listRoster(context, caller, { type: "member", limit: maxListed });
    const { dashboards, total } = await listDashboards(context.db, caller.accountId, first);
    const schedules = await listEverySchedule(context.db, caller.accountId);
    const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
    const idsOf = (own: typeof members = []) => own.map(({ checkId }) => checkId);
    const data = {
      groups: groups.map(({ id, name }) => ({
        groupId: id,
        name,
        checkIds: idsOf(byGroup.get(id)),
      })),
      services: services.slice(0, maxListed).map(({ id, name }) => ({
        serviceId: id,
        name,
        checkIds: idsOf(members.filter(({ serviceIds }) => serviceIds.includes(id))),
      })),
      pages: pages.slice(0, maxListed).map(({ id, name }) => ({ pageId: id, name })),
      channels: channels.map((one) => ({ channelId: one.id, name: describeChannel(one) })),
      windows: windows.map(({ id, name }) => ({ windowId: id, name })),
      members: people.map(({ id, email, ...one }) => {
        const name = one.type === "member" ? one.name : null;
        return { memberId: id, name: name ?? email, email };
      }),
      dashboards: dashboards.map(({ dashboardId, settings }) => ({
        dashboardId,
        name: settings.header,
      })),
      schedules: schedules.slice(0, maxListed).map(({ id, name }) => ({ scheduleId: id, name })),
      isTruncated: [
        groupCount,
        services.length,
        pages.length,
        channelCount,
        total,
        schedules.length,
      ].some((count) => count > maxListed),
    };
    return { data, sources: [] };
  },
});

const maxProbes = 20;

export const listLocationsTool = defineReadTool({
  name: "list_locations",
  title: "List locations",
  description:
    "Public and private locations, their probes and whether they are alive, and the number of " +
    "the account's checks that run there.",
  InputSchema: Type.Object({}, { additionalProperties: false }),
  DataSchema: ListLocationsSchema,
  run: async (context, caller) => {
    const now = context.clock.now();
    const counts = new Map<string, number>();
    for (const { locations } of await findChecks(context, caller, {})) {
      for (const place of locations) counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    const places = await listAccountPlaces(context, caller.accountId);
    const listed = new Set(places.map(({ region }) => region));
    const unserved = [...counts.keys()]
      .filter((region) => !listed.has(region))
      .map((region) => ({ region, name: region, servedBy: "nobody" as const, probes: [] }));
    const data: ListLocationsData = {
      locations: [...places, ...unserved]
        .filter(({ region, probes }) => probes.length > 0 || counts.has(region))
        .map(({ region, name, servedBy, probes }) => ({
          region,
          name,
          servedBy,
          probes: probes.slice(0, maxProbes).map((probe) => ({
            id: probe.id,
            isAlive: isAlive(probe, now),
            lastSeenAt: formatDateTime(probe.lastSeenAt),
          })),
          checks: counts.get(region) ?? 0,
        })),
    };
    const url = `${context.publicUrl()}/locations`;
    return { data, sources: [{ id: "locations", label: "locations and probes", url }] };
  },
});
