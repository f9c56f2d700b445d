import { OneOf } from "../../../platform/http/schema.ts";
import { type DataOf, flag, listOf, moment, orNull, shape, text } from "./shape.ts";

/** Who may do what in an account, and the dashboards that it shows to people. */

const RoleSchema = OneOf(["OWNER", "ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"]);
const truncated = flag("true: there are more");

export const ListMembersSchema = shape({
  members: listOf(
    shape({
      memberId: text(),
      name: orNull(text("null: never given")),
      email: text(),
      role: RoleSchema,
      mayRun: flag("may run checks and acknowledge alerts"),
      mayWrite: flag("may change checks, alerts and pages"),
      mayManage: flag("may invite people and change roles"),
    }),
    "in the order they joined",
  ),
  invites: listOf(
    shape({ email: text(), role: RoleSchema, expiresAt: moment("until when it can be accepted") }),
    "that nobody has accepted yet",
  ),
  isTruncated: truncated,
});
export type ListMembersData = DataOf<typeof ListMembersSchema>;

export const ListDashboardsSchema = shape({
  dashboards: listOf(
    shape({
      dashboardId: text(),
      name: text("its header"),
      address: text("where people see it"),
      isPrivate: flag("true: viewers need a key"),
      tags: listOf(text(), "it shows checks with these tags; none means all checks"),
      needsAllTags: flag("true: only checks with all of the tags"),
      showsIncidents: flag("true: incidents are shown too"),
    }),
    "by id",
  ),
  isTruncated: truncated,
});
export type ListDashboardsData = DataOf<typeof ListDashboardsSchema>;
