import type {
  CheckBrief,
  CheckStatusName,
  StatusData,
} from "../../../src/agent/tool-shapes/check-data.ts";
import type {
  ListChannelsData,
  ListDashboardsData,
  ListMembersData,
  ListNamesData,
  ListServicesData,
  ListStatusPagesData,
} from "../../../src/agent/tool-shapes/directory-data.ts";
import type {
  IncidentBrief,
  ListMaintenanceData,
} from "../../../src/agent/tool-shapes/event-data.ts";
import { id } from "../sample-account/checks.ts";

/** A shop with checks of several kinds, whose names collide here and there. */

export interface ShopCheck {
  readonly number: number;
  readonly checkType: string;
  readonly name: string;
  readonly hostname: string;
  readonly status: CheckStatusName;
  readonly tags: readonly string[];
}

export const shopChecks: readonly ShopCheck[] = [
  {
    number: 1,
    checkType: "URL",
    name: "shop-web",
    hostname: "https://shop.example.net",
    status: "failing",
    tags: ["web"],
  },
  {
    number: 2,
    checkType: "API",
    name: "shop-api",
    hostname: "https://api.example.net/health",
    status: "passing",
    tags: ["web"],
  },
  {
    number: 3,
    checkType: "ICMP",
    name: "db-1",
    hostname: "db1.example.net",
    status: "passing",
    tags: ["database"],
  },
  {
    number: 4,
    checkType: "TCP",
    name: "pay-gateway",
    hostname: "pay.example.net:443",
    status: "degraded",
    tags: [],
  },
  {
    number: 5,
    checkType: "HEARTBEAT",
    name: "nightly-backup",
    hostname: "nightly-backup",
    status: "passing",
    tags: ["database"],
  },
  {
    number: 6,
    checkType: "SSL",
    name: "shop-cert",
    hostname: "shop.example.net:443",
    status: "passing",
    tags: ["web"],
  },
  {
    number: 7,
    checkType: "DNS",
    name: "Mail",
    hostname: "mx.example.net",
    status: "passing",
    tags: [],
  },
];

export const toShopBrief = (check: ShopCheck): CheckBrief & { readonly hostname: string } => ({
  checkId: id(check.number),
  checkType: check.checkType,
  name: check.name,
  hostname: check.hostname,
  status: check.status,
  activated: true,
  muted: false,
  tags: check.tags,
  locations: ["eu-central-1"],
  everySeconds: 60,
});

export function toShopStatus(check: ShopCheck): StatusData {
  const startedAt = "2026-11-15T11:59:00.000Z";
  const resultId = id(800 + check.number);
  const location = "eu-central-1";
  const why = {
    resultId,
    checkId: id(check.number),
    location,
    probeId: "built-in",
    startedAt,
    verdict: check.status,
    attempt: 1,
    isFinal: true,
    reasons: [{ name: "status-code", text: "the status 503 is not the one expected" }],
    statusCode: 503,
    connectMs: 2,
    firstByteMs: 9,
  };
  return {
    checkId: id(check.number),
    checkType: check.checkType,
    name: check.name,
    status: check.status,
    since: "2026-11-15T11:20:00.000Z",
    activated: true,
    muted: false,
    consecutiveFailures: check.status === "failing" ? 40 : 0,
    lastRunAt: startedAt,
    lastRunLocation: location,
    locations: [{ location, verdict: check.status, resultId, at: startedAt }],
    why: check.status === "passing" ? [] : [why],
  };
}

const named = (...numbers: readonly number[]) =>
  shopChecks
    .filter(({ number }) => numbers.includes(number))
    .map(({ number, name, status }) => ({ checkId: id(number), name, status }));

const checkoutFails = {
  incidentId: id(901),
  name: "Checkout fails",
  severity: "MAJOR",
} as const;
const staleIndex = {
  incidentId: id(903),
  name: "Search index stale",
  severity: "MINOR",
} as const;

export const shopIncidents: readonly IncidentBrief[] = [
  {
    ...checkoutFails,
    status: "INVESTIGATING",
    startedAt: "2026-11-15T11:25:00.000Z",
    resolvedAt: null,
    lastActivityAt: "2026-11-15T11:40:00.000Z",
    services: ["Shop"],
    isAutomatic: true,
  },
  {
    ...staleIndex,
    status: "MONITORING",
    startedAt: "2026-11-14T09:00:00.000Z",
    resolvedAt: null,
    lastActivityAt: "2026-11-14T10:00:00.000Z",
    services: ["Search"],
    isAutomatic: false,
  },
  {
    incidentId: id(902),
    name: "Card declines",
    severity: "CRITICAL",
    status: "RESOLVED",
    startedAt: "2026-10-12T08:00:00.000Z",
    resolvedAt: "2026-10-12T09:30:00.000Z",
    lastActivityAt: "2026-10-12T09:30:00.000Z",
    services: ["Payments"],
    isAutomatic: false,
  },
];

export const shopServices: ListServicesData["services"] = [
  {
    serviceId: id(604),
    name: "Mail",
    checks: named(7),
    incidents: [],
    pages: ["Example Status"],
  },
  {
    serviceId: id(602),
    name: "Payments",
    checks: named(4),
    incidents: [],
    pages: ["Example Status", "Payments"],
  },
  {
    serviceId: id(603),
    name: "Search",
    checks: [],
    incidents: [staleIndex],
    pages: [],
  },
  {
    serviceId: id(601),
    name: "Shop",
    checks: named(1, 2),
    incidents: [checkoutFails],
    pages: ["Example Status"],
  },
];

export const shopGroups = [
  { groupId: 501, name: "Core", checks: named(3, 5) },
  { groupId: 502, name: "Payments", checks: named(4, 6) },
] as const;

export const shopPages: ListStatusPagesData["pages"] = [
  {
    pageId: id(701),
    name: "Example Status",
    address: "https://vedette.test/status/example/",
    isPrivate: false,
    cards: [
      { name: "Store", services: ["Shop", "Payments"] },
      { name: "Other", services: ["Mail"] },
    ],
    incidents: [checkoutFails],
  },
  {
    pageId: id(702),
    name: "Payments",
    address: "https://vedette.test/status/payments/",
    isPrivate: true,
    cards: [{ name: "All", services: ["Payments"] }],
    incidents: [],
  },
];

function channel(
  channelId: number,
  type: string,
  more: { readonly recipient: string; readonly numbers: readonly number[] },
): ListChannelsData["channels"][number] {
  return {
    channelId,
    type,
    recipient: more.recipient,
    sends: ["failure", "recovery"],
    takesNewChecks: false,
    checks: named(...more.numbers).map(({ checkId, name }) => ({ checkId, name })),
    groups: [],
  };
}

export const shopChannels: ListChannelsData["channels"] = [
  channel(71, "EMAIL", { recipient: "ops@example.net", numbers: [1, 3, 4] }),
  channel(72, "SLACK", { recipient: "Slack #shop-alerts", numbers: [1, 2] }),
  { ...channel(73, "PAGERDUTY", { recipient: "Night pager", numbers: [3, 5] }), groups: ["Core"] },
];

export const shopMembers: ListMembersData = {
  members: [
    {
      memberId: id(401),
      name: "Anna Berg",
      email: "anna@example.net",
      role: "OWNER",
      mayRun: true,
      mayWrite: true,
      mayManage: true,
    },
    {
      memberId: id(402),
      name: "Ben Ito",
      email: "ben@example.net",
      role: "READ_WRITE",
      mayRun: true,
      mayWrite: true,
      mayManage: false,
    },
    {
      memberId: id(403),
      name: null,
      email: "cleo@example.net",
      role: "READ_ONLY",
      mayRun: false,
      mayWrite: false,
      mayManage: false,
    },
  ],
  invites: [{ email: "dan@example.net", role: "ADMIN", expiresAt: "2026-11-20T00:00:00.000Z" }],
  isTruncated: false,
};

export const shopDashboards: ListDashboardsData = {
  dashboards: [
    {
      dashboardId: "a1b2c3d4",
      name: "NOC wall",
      address: "https://vedette.test/dashboards/noc-wall",
      isPrivate: false,
      tags: ["web"],
      needsAllTags: false,
      showsIncidents: true,
    },
    {
      dashboardId: "e5f60718",
      name: "Finance",
      address: "https://vedette.test/dashboards/finance",
      isPrivate: true,
      tags: [],
      needsAllTags: false,
      showsIncidents: false,
    },
  ],
  isTruncated: false,
};

export const shopWindows: ListMaintenanceData["windows"] = [
  {
    windowId: 1,
    name: "Database upgrade",
    startsAt: "2026-11-15T11:00:00.000Z",
    endsAt: "2026-11-15T13:00:00.000Z",
    timeZone: "UTC",
    repeats: null,
    tags: ["database"],
    silencesAllAlerts: false,
  },
  {
    windowId: 2,
    name: "Weekly restart",
    startsAt: "2026-11-18T02:00:00.000Z",
    endsAt: "2026-11-18T03:00:00.000Z",
    timeZone: "UTC",
    repeats: "WEEK",
    tags: [],
    silencesAllAlerts: true,
  },
];

const idsOf = (checks: readonly { readonly checkId: string }[]) =>
  checks.map(({ checkId }) => checkId);

export const shopNames: ListNamesData = {
  groups: shopGroups.map(({ groupId, name, checks }) => ({
    groupId,
    name,
    checkIds: idsOf(checks),
  })),
  services: shopServices.map(({ serviceId, name, checks }) => ({
    serviceId,
    name,
    checkIds: idsOf(checks),
  })),
  pages: shopPages.map(({ pageId, name }) => ({ pageId, name })),
  channels: shopChannels.map(({ channelId, recipient }) => ({ channelId, name: recipient })),
  windows: shopWindows.map(({ windowId, name }) => ({ windowId, name })),
  members: shopMembers.members.map(({ memberId, name, email }) => ({
    memberId,
    name: name ?? email,
    email,
  })),
  dashboards: shopDashboards.dashboards.map(({ dashboardId, name }) => ({ dashboardId, name })),
  schedules: [],
  isTruncated: false,
};
