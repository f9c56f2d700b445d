import { Type } from "typebox";
import { OneOf } from "../../platform/http/schema.ts";
import { count, type DataOf, flag, listOf, orNull, shape, text, time } from "../tool.ts";
import { CheckId, CountsSchema, StatusName } from "./check-data.ts";
import { SeveritySchema } from "./event-data.ts";

/** Schemas of named objects other than checks, and of the relations between objects. */

export const ListLocationsSchema = shape({
  locations: listOf(
    shape({
      region: text("id used by checks"),
      name: text("display name"),
      servedBy: OneOf(["own-probe", "built-in-probe", "nobody"]),
      probes: listOf(
        shape({
          id: text(),
          isAlive: Type.Boolean(),
          lastSeenAt: time("time of its last message"),
        }),
        "probes seen recently",
      ),
      checks: count("number of the account's checks that run there"),
    }),
    "locations with a probe, or used by a check of the account",
  ),
});

export type ListLocationsData = DataOf<typeof ListLocationsSchema>;

const NamedCheck = shape({ checkId: CheckId, name: text(), status: StatusName });

const OpenIncident = shape({ incidentId: text(), name: text(), severity: SeveritySchema });

const truncated = flag("true: there are more");

export const ListGroupsSchema = shape({
  groups: listOf(
    shape({
      groupId: Type.Integer(),
      name: text(),
      activated: flag("false: its checks are paused"),
      muted: flag("true: its checks send no alerts"),
      tags: listOf(text(), "applied to all its checks"),
      checks: listOf(NamedCheck, "its checks, worst first, at most 100"),
      counts: CountsSchema,
    }),
    "by name",
  ),
  isTruncated: truncated,
});

export type ListGroupsData = DataOf<typeof ListGroupsSchema>;

export const ListServicesSchema = shape({
  services: listOf(
    shape({
      serviceId: text(),
      name: text(),
      checks: listOf(
        NamedCheck,
        "followed checks and checks whose alerts open incidents for it, worst first",
      ),
      incidents: listOf(OpenIncident, "ongoing incidents that affect it"),
      pages: listOf(text(), "names of the status pages that show it"),
    }),
    "by name",
  ),
  isTruncated: truncated,
});

export type ListServicesData = DataOf<typeof ListServicesSchema>;

export const ListStatusPagesSchema = shape({
  pages: listOf(
    shape({
      pageId: text(),
      name: text(),
      address: text("public URL"),
      isPrivate: flag("true: visitors need a key"),
      cards: listOf(
        shape({ name: text(), services: listOf(text(), "names of services") }),
        "from top to bottom",
      ),
      incidents: listOf(OpenIncident, "ongoing incidents shown on it"),
    }),
    "by name",
  ),
  isTruncated: truncated,
});

export type ListStatusPagesData = DataOf<typeof ListStatusPagesSchema>;

export const ListChannelsSchema = shape({
  channels: listOf(
    shape({
      channelId: Type.Integer(),
      type: text("EMAIL, SLACK, WEBHOOK and so on"),
      recipient: text("recipient, without secrets and telephone numbers"),
      sends: listOf(OneOf(["failure", "recovery", "degraded"]), "events it sends"),
      takesNewChecks: flag("true: new checks use it by default"),
      checks: listOf(
        shape({ checkId: CheckId, name: text() }),
        "checks that use it, including those of its groups, at most 100",
      ),
      groups: listOf(text(), "names of the groups that use it"),
    }),
    "in order of creation",
  ),
  isTruncated: truncated,
});

export type ListChannelsData = DataOf<typeof ListChannelsSchema>;

const checkIds = listOf(CheckId, "ids of its checks");

export const ListNamesSchema = shape({
  groups: listOf(shape({ groupId: Type.Integer(), name: text(), checkIds }), "groups of checks"),
  services: listOf(shape({ serviceId: text(), name: text(), checkIds }), "services"),
  pages: listOf(shape({ pageId: text(), name: text() }), "status pages"),
  channels: listOf(shape({ channelId: Type.Integer(), name: text() }), "alert channels"),
  windows: listOf(shape({ windowId: Type.Integer(), name: text() }), "maintenance windows"),
  members: listOf(shape({ memberId: text(), name: text(), email: text() }), "people"),
  dashboards: listOf(shape({ dashboardId: text(), name: text() }), "dashboards"),
  schedules: listOf(shape({ scheduleId: text(), name: text() }), "on-call schedules"),
  isTruncated: flag("true: some list is cut at 200"),
});

export type ListNamesData = DataOf<typeof ListNamesSchema>;

export const CurrentTimeSchema = shape({
  now: time("in UTC"),
  weekday: text("in UTC"),
  unixSeconds: Type.Integer(),
  timeZone: Type.Literal("UTC"),
});

/** Schemas of members with their permissions, and of dashboards. */

const RoleSchema = OneOf(["OWNER", "ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"]);

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

const PersonOnCall = { memberId: text(), name: text() };

export const WhoIsOnCallSchema = shape({
  at: time("the time that the answer is about"),
  callerId: orNull(text("the member who asks; null for a key without a user")),
  schedules: listOf(
    shape({
      scheduleId: text(),
      name: text(),
      timeZone: text("IANA time zone of its handoffs"),
      person: orNull(shape(PersonOnCall, "who is on call; null if nobody is")),
      until: orNull(time("next handoff; null: none within 31 days")),
      next: orNull(shape({ ...PersonOnCall, from: time("start of their shift") }, "who is next")),
      shifts: listOf(
        shape({
          from: time("start"),
          to: time("end"),
          person: orNull(shape(PersonOnCall, "null if nobody is")),
        }),
        "with `to`: everyone until then, in order, at most 50",
      ),
    }),
    "by name",
  ),
  isTruncated: truncated,
});

export type WhoIsOnCallData = DataOf<typeof WhoIsOnCallSchema>;

export const ListEscalationPoliciesSchema = shape({
  policies: listOf(
    shape({
      policyId: text(),
      name: text(),
      steps: listOf(
        shape({
          afterMinutes: count("minutes after the alert without acknowledgement"),
          targets: listOf(text(), "names of members, schedules and channels"),
        }),
        "in order",
      ),
      rounds: count("how often the steps are carried out"),
      usesFallback: flag("true: then the fallback channel, or the owners by email, are alerted"),
    }),
    "in order of creation",
  ),
  isTruncated: truncated,
});

export type ListEscalationPoliciesData = DataOf<typeof ListEscalationPoliciesSchema>;

export const SearchDocsSchema = shape({
  sections: listOf(
    shape({
      page: text("title of the page"),
      title: text("heading of the section"),
      text: text("beginning of the section"),
    }),
    "best first, at most 5",
  ),
});

export type SearchDocsData = DataOf<typeof SearchDocsSchema>;
