/**
 * Types of the data that the planner reads from each tool. `agent/models/planner-tools.ts` checks
 * at compile time that they match the types of the tools.
 */

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
  readonly schedules: readonly { readonly scheduleId: string; readonly name: string }[];
  readonly isTruncated: boolean;
}

/**
 * Statistics of a time window. A value is `null` if it was not measured. Check kinds add their own
 * fields.
 */
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
    /** Tags that select the checks of the dashboard. An empty list selects all checks. */
    readonly tags: readonly string[];
    readonly needsAllTags: boolean;
    readonly showsIncidents: boolean;
  }[];
  readonly isTruncated: boolean;
}

/** Output of a write tool that waits for confirmation. Nothing has been changed yet. */
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

/**
 * Types of the data that tools return about checks and runs. Times are ISO 8601 in UTC. Fields that
 * only one check kind has are not declared here, but in the code of that kind (see `KindSpeech` in
 * `src/kinds/kit/agent.ts`).
 */

export type CheckStatusName = "passing" | "degraded" | "failing" | "unknown";

type StatusCounts = Readonly<Record<CheckStatusName, number>>;

export interface CheckBrief {
  readonly checkId: string;
  readonly checkType: string;
  readonly name: string;
  /** Target of the check, such as a host or a URL. */
  readonly hostname: string;
  readonly status: CheckStatusName;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
  readonly everySeconds: number;
}

export interface ListChecksData {
  readonly checks: readonly CheckBrief[];
  readonly total: number;
}

export interface GetCheckData extends CheckBrief {
  readonly shouldFail: boolean;
  readonly runParallel: boolean;
  readonly degradedResponseTimeMs: number | null;
  readonly maxResponseTimeMs: number | null;
  readonly assertions: readonly {
    readonly source: string;
    readonly property: string;
    readonly comparison: string;
    readonly target: string;
  }[];
  readonly retryStrategy: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
  readonly updatedAt: string | null;
}

export interface ReasonData {
  readonly name: string;
  readonly text: string;
}

export interface ResultBrief {
  readonly resultId: string;
  readonly checkId: string;
  readonly location: string;
  readonly probeId: string;
  readonly startedAt: string;
  readonly verdict: CheckStatusName;
  readonly attempt: number;
  readonly isFinal: boolean;
  readonly reasons: readonly ReasonData[];
}

export interface ListResultsData {
  readonly checkId: string;
  readonly checkType: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly results: readonly ResultBrief[];
  readonly isTruncated: boolean;
}

export interface GetResultData extends ResultBrief {
  readonly checkType: string;
  readonly name: string;
  /** Text about where the network path to the target ended; absent or `null` if not traced. */
  readonly path?: string | null;
}

export interface StatusData {
  readonly checkId: string;
  readonly checkType: string;
  readonly name: string;
  readonly status: CheckStatusName;
  readonly since: string | null;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly consecutiveFailures: number;
  readonly lastRunAt: string | null;
  readonly lastRunLocation: string | null;
  readonly locations: readonly {
    readonly location: string;
    readonly verdict: CheckStatusName;
    readonly resultId: string;
    readonly at: string;
  }[];
  readonly why: readonly ResultBrief[];
}

export interface GetStatusData {
  readonly counts: StatusCounts;
  readonly total: number;
  readonly checks: readonly StatusData[];
  /** Sentences about network hops that several failing checks have in common. */
  readonly sharedHops?: readonly string[];
  readonly notFound: readonly string[];
}

export interface ListStateChangesData {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly {
    readonly checkId: string;
    readonly name: string | null;
    readonly fromStatus: CheckStatusName;
    readonly toStatus: CheckStatusName;
    readonly at: string;
    readonly resultId: string;
  }[];
  readonly isTruncated: boolean;
}

export type IncidentStatusName = "INVESTIGATING" | "IDENTIFIED" | "MONITORING" | "RESOLVED";
type SeverityName = "CRITICAL" | "MAJOR" | "MEDIUM" | "MINOR";

export interface IncidentBrief {
  readonly incidentId: string;
  readonly name: string;
  readonly severity: SeverityName;
  readonly status: IncidentStatusName;
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  readonly lastActivityAt: string;
  readonly services: readonly string[];
  readonly isAutomatic: boolean;
}

export interface ListIncidentsData {
  readonly incidents: readonly IncidentBrief[];
  readonly isTruncated: boolean;
}

export interface GetIncidentData extends IncidentBrief {
  readonly updates: readonly {
    readonly updateId: string;
    readonly status: IncidentStatusName;
    readonly description: string;
    readonly at: string;
    readonly notifiedSubscribers: boolean;
  }[];
}

export interface ListDeliveriesData {
  readonly deliveries: readonly {
    readonly deliveryId: string;
    readonly checkId: string;
    readonly checkName: string | null;
    readonly channelType: string;
    readonly recipient: string;
    readonly alertType: string;
    readonly title: string;
    readonly status: "PENDING" | "SENT" | "DEAD" | "CANCELLED";
    readonly attempts: number;
    readonly reason: string | null;
    readonly decidedAt: string;
    readonly sentAt: string | null;
  }[];
  readonly total: number;
}

export interface ListAlertsData {
  readonly alerts: readonly {
    readonly checkId: string;
    readonly name: string;
    readonly alertType: string;
    readonly openedAt: string;
    readonly acknowledgedAt: string | null;
    readonly remindersSent: number;
    readonly isFlapping: boolean;
  }[];
  readonly isTruncated: boolean;
}

export interface ListMaintenanceData {
  readonly from: string;
  readonly to: string;
  readonly windows: readonly {
    readonly windowId: number;
    readonly name: string;
    readonly startsAt: string;
    readonly endsAt: string;
    readonly timeZone: string;
    readonly repeats: "DAY" | "WEEK" | "MONTH" | null;
    readonly tags: readonly string[];
    readonly silencesAllAlerts: boolean;
  }[];
  readonly isTruncated: boolean;
}
