import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { isAllowed, listRoster, type Role } from "../../accounts/index.ts";
import { formatDashboardUrl, listDashboards } from "../../dashboards/index.ts";
import { defineReadTool } from "../tool.ts";
import { ListDashboardsSchema, ListMembersSchema } from "../tool-shapes/directory-data.ts";
import { limitSources, linkSource } from "./sources.ts";

const maxListed = 200;
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
