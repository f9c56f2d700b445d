import { OneOf } from "../../../platform/http/schema.ts";
import { type DataOf, flag, listOf, orNull, shape, text, time } from "./shape.ts";

/** Members of an account with their rights, and dashboards. */

const RoleSchema = OneOf(["OWNER", "ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"]);
const truncated = flag("true: there are more");

export const ListMembersSchema = shape({
  members: listOf(
    shape({
      memberId: text(),
      name: orNull(text("null if not set")),
      email: text(),
      role: RoleSchema,
      mayRun: flag("can run checks and acknowledge alerts"),
      mayWrite: flag("can change checks, alerts and pages"),
      mayManage: flag("can invite people and change roles"),
    }),
    "in the order they joined",
  ),
  invites: listOf(
    shape({ email: text(), role: RoleSchema, expiresAt: time("expiry time") }),
    "pending invites",
  ),
  isTruncated: truncated,
});
export type ListMembersData = DataOf<typeof ListMembersSchema>;

export const ListDashboardsSchema = shape({
  dashboards: listOf(
    shape({
      dashboardId: text(),
      name: text("its header"),
      address: text("public URL"),
      isPrivate: flag("true: viewers need a key"),
      tags: listOf(text(), "shows checks with these tags; empty for all checks"),
      needsAllTags: flag("true: only checks with all of the tags"),
      showsIncidents: flag("true: incidents are shown too"),
    }),
    "by id",
  ),
  isTruncated: truncated,
});
export type ListDashboardsData = DataOf<typeof ListDashboardsSchema>;
