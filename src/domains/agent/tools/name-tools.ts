import { Type } from "typebox";
import { listRoster } from "../../accounts/index.ts";
import { listOwnChannels } from "../../alert-channels/index.ts";
import { listOwnGroups } from "../../checks/index.ts";
import { listDashboards } from "../../dashboards/index.ts";
import { listOwnWindows } from "../../maintenance/index.ts";
import { listAllServices, listStatusPagesOf } from "../../status-pages/index.ts";
import { defineReadTool } from "../tool.ts";
import { ListNamesSchema } from "../tool-shapes/directory-data.ts";
import { describeChannel } from "./channel-names.ts";
import { findMemberships } from "./check-finder.ts";

const maxListed = 200;

export const listNamesTool = defineReadTool({
  name: "list_names",
  title: "List names",
  description:
    "All named objects of the account except checks and incidents: groups and services with " +
    "their checks, status pages, alert channels, maintenance windows, members and dashboards. " +
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
      isTruncated: [groupCount, services.length, pages.length, channelCount, total].some(
        (count) => count > maxListed,
      ),
    };
    return { data, sources: [] };
  },
});
