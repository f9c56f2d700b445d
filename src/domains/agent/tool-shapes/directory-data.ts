import { Type } from "typebox";
import { OneOf } from "../../../platform/http/schema.ts";
import { CheckId, CountsSchema, StatusName } from "./check-data.ts";
import { SeveritySchema } from "./event-data.ts";
import { count, type DataOf, flag, listOf, moment, shape, text } from "./shape.ts";

/** What has a name in an account beside its checks, and what belongs to what. */

export const ListLocationsSchema = shape({
  locations: listOf(
    shape({
      region: text("as checks name it"),
      name: text("as people name it"),
      servedBy: OneOf(["own-probe", "built-in-probe", "nobody"]),
      probes: listOf(
        shape({ id: text(), isAlive: Type.Boolean(), lastSeenAt: moment("its last word") }),
        "those seen lately",
      ),
      checks: count("how many of the account's checks run from there"),
    }),
    "places that have a probe or that a check of the account names",
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
      activated: flag("false: none of its checks runs"),
      muted: flag("true: none of its checks alerts"),
      tags: listOf(text(), "given to all its checks"),
      checks: listOf(NamedCheck, "its members, the worst first, at most 100"),
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
        "those it follows and those whose alerts open incidents for it, the worst first",
      ),
      incidents: listOf(OpenIncident, "that go on and affect it"),
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
      address: text("where people see it"),
      isPrivate: flag("true: visitors need a key"),
      cards: listOf(
        shape({ name: text(), services: listOf(text(), "names of services") }),
        "from top to bottom",
      ),
      incidents: listOf(OpenIncident, "that go on and appear on it"),
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
      recipient: text("whom it reaches, without secrets and telephone numbers"),
      sends: listOf(OneOf(["failure", "recovery", "degraded"]), "what it tells"),
      takesNewChecks: flag("true: every new check alerts through it"),
      checks: listOf(
        shape({ checkId: CheckId, name: text() }),
        "that alert through it, those of its groups included, at most 100",
      ),
      groups: listOf(text(), "names of the groups that alert through it"),
    }),
    "in the order they were made",
  ),
  isTruncated: truncated,
});
export type ListChannelsData = DataOf<typeof ListChannelsSchema>;

const checkIds = listOf(CheckId, "of the checks that belong to it");

export const ListNamesSchema = shape({
  groups: listOf(shape({ groupId: Type.Integer(), name: text(), checkIds }), "groups of checks"),
  services: listOf(shape({ serviceId: text(), name: text(), checkIds }), "services"),
  pages: listOf(shape({ pageId: text(), name: text() }), "status pages"),
  channels: listOf(shape({ channelId: Type.Integer(), name: text() }), "alert channels"),
  windows: listOf(shape({ windowId: Type.Integer(), name: text() }), "maintenance windows"),
  members: listOf(shape({ memberId: text(), name: text(), email: text() }), "people"),
  dashboards: listOf(shape({ dashboardId: text(), name: text() }), "dashboards"),
  isTruncated: flag("true: there are more of some kind than the 200 that are listed"),
});
export type ListNamesData = DataOf<typeof ListNamesSchema>;

export const CurrentTimeSchema = shape({
  now: moment("in UTC"),
  weekday: text("in UTC"),
  unixSeconds: Type.Integer(),
  timeZone: Type.Literal("UTC"),
});
export type CurrentTimeData = DataOf<typeof CurrentTimeSchema>;
