import type {
  ListChannelsData,
  ListDashboardsData,
  ListGroupsData,
  ListMembersData,
  ListNamesData,
  ListServicesData,
  ListStatusPagesData,
} from "../../../src/agent/tool-shapes/directory-data.ts";
import type { ListAlertsData } from "../../../src/agent/tool-shapes/event-data.ts";
import { id, sampleChecks } from "./checks.ts";

/** Groups, services, pages and channels of the account, and the alerts that are open. */

const order = ["failing", "degraded", "unknown", "passing"];

function members(...numbers: readonly number[]) {
  return sampleChecks
    .filter(({ number }) => numbers.includes(number))
    .toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status))
    .map(({ number, name, status }) => ({ checkId: id(number), name, status }));
}

function group(groupId: number, name: string, ...numbers: readonly number[]) {
  const checks = members(...numbers);
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0 };
  for (const { status } of checks) counts[status] += 1;
  return { groupId, name, activated: true, muted: false, tags: [], checks, counts };
}

export const sampleGroups: ListGroupsData["groups"] = [
  group(501, "Core network", 1, 2, 3, 8),
  group(502, "Production APIs", 4, 9, 10),
  group(503, "Lab", 11),
];

const dnsOutage = { incidentId: id(901), name: "DNS outage", severity: "MAJOR" } as const;

export const sampleServices: ListServicesData["services"] = [
  {
    serviceId: id(601),
    name: "Edge",
    checks: members(1, 2),
    incidents: [],
    pages: ["Acme Status", "Internal Status"],
  },
  {
    serviceId: id(602),
    name: "Mail",
    checks: members(5),
    incidents: [],
    pages: ["Internal Status"],
  },
  {
    serviceId: id(603),
    name: "Public DNS",
    checks: members(8),
    incidents: [dnsOutage],
    pages: ["Acme Status", "Internal Status"],
  },
  {
    serviceId: id(604),
    name: "Storefront",
    checks: members(4, 9, 10),
    incidents: [],
    pages: ["Acme Status", "Internal Status"],
  },
];

export const samplePages: ListStatusPagesData["pages"] = [
  {
    pageId: id(701),
    name: "Acme Status",
    address: "https://vedette.test/status/acme-status/",
    isPrivate: false,
    cards: [
      { name: "Network", services: ["Public DNS", "Edge"] },
      { name: "Shop", services: ["Storefront"] },
    ],
    incidents: [dnsOutage],
  },
  {
    pageId: id(702),
    name: "Internal Status",
    address: "https://vedette.test/status/internal/",
    isPrivate: true,
    cards: [{ name: "Everything", services: ["Public DNS", "Edge", "Storefront", "Mail"] }],
    incidents: [dnsOutage],
  },
];

function channel(
  channelId: number,
  type: string,
  more: { readonly recipient: string; readonly numbers: readonly number[] },
): ListChannelsData["channels"][number] {
  const { recipient, numbers } = more;
  return {
    channelId,
    type,
    recipient,
    sends: ["failure", "recovery"],
    takesNewChecks: false,
    checks: members(...numbers).map(({ checkId, name }) => ({ checkId, name })),
    groups: [],
  };
}

export const sampleChannels: ListChannelsData["channels"] = [
  channel(71, "EMAIL", { recipient: "ops@example.net", numbers: [1, 5, 8, 9, 10] }),
  {
    ...channel(72, "SLACK", { recipient: "Slack #on-call", numbers: [1, 2, 3, 4, 8] }),
    groups: ["Core network"],
  },
  channel(73, "WEBHOOK", { recipient: "Audit webhook at hooks.example.net", numbers: [8] }),
  channel(74, "SMS", { recipient: "Night phone (number hidden)", numbers: [] }),
];

export const sampleAlerts: ListAlertsData["alerts"] = [
  {
    checkId: id(8),
    name: "dns-primary",
    alertType: "ALERT_FAILURE",
    openedAt: "2026-11-15T08:01:00.000Z",
    acknowledgedAt: null,
    remindersSent: 3,
    isFlapping: false,
  },
  {
    checkId: id(1),
    name: "edge-router",
    alertType: "ALERT_FAILURE",
    openedAt: "2026-11-15T10:01:00.000Z",
    acknowledgedAt: "2026-11-15T10:20:00.000Z",
    remindersSent: 0,
    isFlapping: false,
  },
];

const idsOf = (checks: readonly { readonly checkId: string }[]) =>
  checks.map(({ checkId }) => checkId);

export const sampleMembers: ListMembersData = {
  members: [
    {
      memberId: id(401),
      name: "Ada Moor",
      email: "ada@example.net",
      role: "OWNER",
      mayRun: true,
      mayWrite: true,
      mayManage: true,
    },
    {
      memberId: id(402),
      name: "Jon Birk",
      email: "jon@example.net",
      role: "READ_RUN",
      mayRun: true,
      mayWrite: false,
      mayManage: false,
    },
  ],
  invites: [],
  isTruncated: false,
};

export const sampleDashboards: ListDashboardsData = {
  dashboards: [
    {
      dashboardId: "q7w8e9r0",
      name: "Lobby screen",
      address: "https://vedette.test/dashboards/lobby",
      isPrivate: false,
      tags: ["core"],
      needsAllTags: false,
      showsIncidents: true,
    },
  ],
  isTruncated: false,
};

const ada = { memberId: id(401), name: "Ada Moor" };
const jon = { memberId: id(402), name: "Jon Birk" };
const shift = (from: string, to: string, person: typeof ada | null) => ({ from, to, person });

/** Ada is on call until Monday, then Jon for a week; nobody at the weekend after that. */
export const sampleShifts = [
  shift("2026-11-09T09:00:00.000Z", "2026-11-16T09:00:00.000Z", ada),
  shift("2026-11-16T09:00:00.000Z", "2026-11-21T18:00:00.000Z", jon),
  shift("2026-11-21T18:00:00.000Z", "2026-11-23T09:00:00.000Z", null),
  shift("2026-11-23T09:00:00.000Z", "2026-12-23T09:00:00.000Z", ada),
];

export const sampleSchedules = [
  { scheduleId: id(801), name: "Primary", timeZone: "UTC", shifts: sampleShifts },
  {
    scheduleId: id(802),
    name: "Database experts",
    timeZone: "Europe/Berlin",
    shifts: [shift("2026-11-01T00:00:00.000Z", "2026-12-23T09:00:00.000Z", jon)],
  },
];

export const sampleNames: ListNamesData = {
  groups: sampleGroups.map(({ groupId, name, checks }) => ({
    groupId,
    name,
    checkIds: idsOf(checks),
  })),
  services: sampleServices.map(({ serviceId, name, checks }) => ({
    serviceId,
    name,
    checkIds: idsOf(checks),
  })),
  pages: samplePages.map(({ pageId, name }) => ({ pageId, name })),
  channels: sampleChannels.map(({ channelId, recipient }) => ({ channelId, name: recipient })),
  windows: [
    { windowId: 1, name: "Switch upgrade" },
    { windowId: 2, name: "Weekly backup" },
  ],
  members: sampleMembers.members.map(({ memberId, name, email }) => ({
    memberId,
    name: name ?? email,
    email,
  })),
  dashboards: sampleDashboards.dashboards.map(({ dashboardId, name }) => ({ dashboardId, name })),
  schedules: sampleSchedules.map(({ scheduleId, name }) => ({ scheduleId, name })),
  isTruncated: false,
};
