import type { CheckStatusName, StatusCounts } from "./check-data.ts";
import type { SeverityName } from "./event-data.ts";

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
