import { Type } from "typebox";
import type { Caller } from "../../accounts/index.ts";
import { listOwnChannels } from "../../alert-channels/index.ts";
import { listOwnGroups } from "../../checks/index.ts";
import { type Incident, listActiveIncidents } from "../../incidents/index.ts";
import { formatPageUrl, listAllServices, listStatusPagesOf } from "../../status-pages/index.ts";
import type { AgentContext } from "../context.ts";
import { defineReadTool } from "../tool.ts";
import type { CheckStatusName } from "../tool-data.ts";
import {
  ListChannelsSchema,
  ListGroupsSchema,
  ListServicesSchema,
  ListStatusPagesSchema,
} from "../tool-shapes/directory-data.ts";
import { describeChannel } from "./channel-names.ts";
import { findMemberships, type Membership } from "./check-finder.ts";
import { NamePart } from "./inputs.ts";
import { limitSources, linkSource } from "./sources.ts";

const maxListed = 200;
const maxMembers = 100;
const badness: readonly CheckStatusName[] = ["failing", "degraded", "unknown", "passing"];

const ByName = Type.Object({ name: Type.Optional(NamePart) }, { additionalProperties: false });

/** Returns matches by name, sorted, and whether there are more than the limit. */
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
