/**
 * Data that the planner reads from each tool. `agent/models/planner-model.ts` compares the types.
 */
import type { CheckStatusName, StatusCounts } from "./check-data.ts";
import type { SeverityName } from "./event-data.ts";

export type * from "./check-data.ts";
export type * from "./event-data.ts";

export interface ListLocationsData {
  readonly locations: readonly {
    readonly region: string;
    readonly name: string;
    readonly servedBy: "own-probe" | "built-in-probe" | "nobody";
    readonly probes: readonly {
      readonly id: string;
      readonly isAlive: boolean;
      readonly lastSeenAt: string;
    }[];
    readonly checks: number;
  }[];
}

interface NamedCheck {
  readonly checkId: string;
  readonly name: string;
  readonly status: CheckStatusName;
}

interface OpenIncident {
  readonly incidentId: string;
  readonly name: string;
  readonly severity: SeverityName;
}

export interface ListGroupsData {
  readonly groups: readonly {
    readonly groupId: number;
    readonly name: string;
    readonly activated: boolean;
    readonly muted: boolean;
    readonly tags: readonly string[];
    readonly checks: readonly NamedCheck[];
    readonly counts: StatusCounts;
  }[];
  readonly isTruncated: boolean;
}

export interface ListServicesData {
  readonly services: readonly {
    readonly serviceId: string;
    readonly name: string;
    readonly checks: readonly NamedCheck[];
    readonly incidents: readonly OpenIncident[];
    readonly pages: readonly string[];
  }[];
  readonly isTruncated: boolean;
}

export interface ListStatusPagesData {
  readonly pages: readonly {
    readonly pageId: string;
    readonly name: string;
    readonly address: string;
    readonly isPrivate: boolean;
    readonly cards: readonly { readonly name: string; readonly services: readonly string[] }[];
    readonly incidents: readonly OpenIncident[];
  }[];
  readonly isTruncated: boolean;
}

export interface ListChannelsData {
  readonly channels: readonly {
    readonly channelId: number;
    readonly type: string;
    readonly recipient: string;
    readonly sends: readonly ("failure" | "recovery" | "degraded")[];
    readonly takesNewChecks: boolean;
    readonly checks: readonly { readonly checkId: string; readonly name: string }[];
    readonly groups: readonly string[];
  }[];
  readonly isTruncated: boolean;
}

export interface ListNamesData {
  readonly groups: readonly {
    readonly groupId: number;
    readonly name: string;
    readonly checkIds: readonly string[];
  }[];
  readonly services: readonly {
    readonly serviceId: string;
    readonly name: string;
    readonly checkIds: readonly string[];
  }[];
  readonly pages: readonly { readonly pageId: string; readonly name: string }[];
  readonly channels: readonly { readonly channelId: number; readonly name: string }[];
  readonly windows: readonly { readonly windowId: number; readonly name: string }[];
  readonly members: readonly {
    readonly memberId: string;
    readonly name: string;
    readonly email: string;
  }[];
  readonly dashboards: readonly { readonly dashboardId: string; readonly name: string }[];
  readonly isTruncated: boolean;
}

/** Statistics over a time window; `null` if nothing was measured. A kind adds its own fields. */
export interface Figures {
  readonly runs: StatusCounts;
  readonly availabilityPercent: number | null;
  readonly latencyMs: Readonly<Record<"avg" | "p50" | "p95" | "p99" | "max", number | null>>;
}

export interface CheckFigures extends Figures {
  readonly checkId: string;
  readonly checkType: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly byLocation?: readonly ({ readonly location: string } & Figures)[];
}

export interface GetStatisticsData {
  readonly from: string;
  readonly to: string;
  readonly checks: readonly CheckFigures[];
  readonly total: number;
  readonly notFound: readonly string[];
}

export interface CompareWindowsData {
  readonly from: string;
  readonly to: string;
  readonly previousFrom: string;
  readonly previousTo: string;
  readonly checks: readonly {
    readonly checkId: string;
    readonly checkType: string;
    readonly name: string;
    readonly now: Figures;
    readonly before: Figures;
    readonly change: Readonly<
      Record<"availabilityPercent" | "latencyAvgMs" | "latencyP95Ms", number | null>
    >;
  }[];
  readonly total: number;
  readonly notFound: readonly string[];
}

export type RoleName = "OWNER" | "ADMIN" | "READ_WRITE" | "READ_RUN" | "READ_ONLY";

export interface MemberData {
  readonly memberId: string;
  readonly name: string | null;
  readonly email: string;
  readonly role: RoleName;
  readonly mayRun: boolean;
  readonly mayWrite: boolean;
  readonly mayManage: boolean;
}

export interface ListMembersData {
  readonly members: readonly MemberData[];
  readonly invites: readonly {
    readonly email: string;
    readonly role: RoleName;
    readonly expiresAt: string;
  }[];
  readonly isTruncated: boolean;
}

export interface ListDashboardsData {
  readonly dashboards: readonly {
    readonly dashboardId: string;
    readonly name: string;
    readonly address: string;
    readonly isPrivate: boolean;
    /** Shows checks with one of these tags; all checks if empty. */
    readonly tags: readonly string[];
    readonly needsAllTags: boolean;
    readonly showsIncidents: boolean;
  }[];
  readonly isTruncated: boolean;
}

/** Output of a write tool before confirmation: nothing has been changed. */
export interface NeedsConfirmationData {
  readonly needsConfirmation: true;
  readonly action: string;
  readonly summary: string;
}

export interface WriteDoneData {
  readonly done: true;
  readonly action: string;
  readonly summary: string;
  readonly targetId: string;
}
