/**
 * What each tool gives back as `data`. All moments are ISO 8601 in UTC; all figures that may be
 * missing are null. A tool that cannot answer gives back a ToolFailure instead.
 */

export interface ToolFailure {
  readonly error: "not-found" | "invalid" | "forbidden" | "too-many" | "failed";
  /** One sentence; for `invalid` it names the field. */
  readonly message: string;
}

export type CheckStatusName = "passing" | "degraded" | "failing" | "unknown";

export interface CheckBrief {
  readonly checkId: string;
  readonly name: string;
  readonly hostname: string;
  readonly status: CheckStatusName;
  readonly activated: boolean;
  readonly muted: boolean;
  /** Those of its group included. */
  readonly tags: readonly string[];
  /** Every place it runs from, the default one included. */
  readonly locations: readonly string[];
  readonly everySeconds: number;
}

/** list_checks: `total` matches; `checks` are the first of them, in the order they were made. */
export interface ListChecksData {
  readonly checks: readonly CheckBrief[];
  readonly total: number;
}

/** get_check */
export interface GetCheckData extends CheckBrief {
  readonly ipFamily: string;
  readonly pingCount: number;
  readonly shouldFail: boolean;
  readonly runParallel: boolean;
  readonly degradedPacketLossThreshold: number;
  readonly maxPacketLossThreshold: number;
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

/** The named reasons of a verdict, each with its figures and a sentence. */
export interface ReasonData {
  /** For example packet-loss-at-or-above-max, name-not-resolved, response-time-above-max. */
  readonly name: string;
  readonly text: string;
  readonly lossPercent?: number;
  readonly limitPercent?: number;
  readonly responseTimeMs?: number;
  readonly limitMs?: number;
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
  readonly packetsSent: number | null;
  readonly packetsReceived: number | null;
  readonly lossPercent: number | null;
  readonly minMs: number | null;
  readonly avgMs: number | null;
  readonly maxMs: number | null;
  readonly jitterMs: number | null;
  /** What decided comes first; never empty. */
  readonly reasons: readonly ReasonData[];
}

export interface StatusData {
  readonly checkId: string;
  readonly name: string;
  readonly status: CheckStatusName;
  /** Null for a check that never ran. */
  readonly since: string | null;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly consecutiveFailures: number;
  readonly lastRunAt: string | null;
  readonly lastRunLocation: string | null;
  /** The newest final verdict of each place. */
  readonly locations: readonly {
    readonly location: string;
    readonly verdict: CheckStatusName;
    readonly resultId: string;
    readonly at: string;
  }[];
  /** The newest results that are not passing, one for each place; empty while all pass. */
  readonly why: readonly ResultBrief[];
}

/**
 * get_status: without checkIds, every check that is not passing and active comes first, failing
 * before degraded before unknown, then the others; `counts` and `total` are of all of them.
 */
export interface GetStatusData {
  readonly counts: Readonly<Record<CheckStatusName, number>>;
  readonly total: number;
  readonly checks: readonly StatusData[];
  /** Ids that were asked for and are none of the account's. */
  readonly notFound: readonly string[];
}

/** list_results: newest first; `isTruncated` says that older ones match too. */
export interface ListResultsData {
  readonly checkId: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly results: readonly ResultBrief[];
  readonly isTruncated: boolean;
}

/** get_result */
export interface GetResultData extends ResultBrief {
  readonly name: string;
  readonly hostname: string;
  readonly resolvedIp: string | null;
  readonly ipFamily: string;
  readonly dnsMs: number | null;
  readonly stdDevMs: number | null;
  readonly longestLossBurst: number | null;
  readonly duplicates: number | null;
  readonly reordered: number | null;
  readonly lateReplies: number | null;
  /** Why nothing could be measured, where that is so. */
  readonly trouble: Readonly<Record<string, unknown>> | null;
  readonly packets: readonly {
    readonly sequence: number;
    readonly sentAt: string | null;
    readonly rttMs: number | null;
    readonly ttl: number | null;
    readonly icmpType: number | null;
    readonly icmpCode: number | null;
  }[];
}

export interface Figures {
  readonly runs: Readonly<Record<CheckStatusName, number>>;
  /** From 0 to 100; null when no run reached a verdict. */
  readonly availabilityPercent: number | null;
  readonly packetLossPercent: number | null;
  /** Of single packets. */
  readonly latencyMs: {
    readonly avg: number | null;
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
    readonly max: number | null;
  };
}

export interface CheckFigures extends Figures {
  readonly checkId: string;
  readonly name: string;
  readonly tags: readonly string[];
  /** With byLocation only, and then for the first 20 checks. */
  readonly byLocation?: readonly (Figures & { readonly location: string })[];
}

/** get_statistics: `from` and `to` are what was really added up: whole hours, or days long ago. */
export interface GetStatisticsData {
  readonly from: string;
  readonly to: string;
  /** In the order of checkIds, else in the order the checks were made. */
  readonly checks: readonly CheckFigures[];
  /** How many checks match; at most 200 are added up. */
  readonly total: number;
  readonly notFound: readonly string[];
}

/** compare_windows: a change is `now` minus `before`, null where either is missing. */
export interface CompareWindowsData {
  readonly from: string;
  readonly to: string;
  readonly previousFrom: string;
  readonly previousTo: string;
  readonly checks: readonly {
    readonly checkId: string;
    readonly name: string;
    readonly now: Figures;
    readonly before: Figures;
    readonly change: {
      readonly availabilityPercent: number | null;
      readonly packetLossPercent: number | null;
      readonly latencyAvgMs: number | null;
      readonly latencyP95Ms: number | null;
    };
  }[];
  readonly total: number;
  readonly notFound: readonly string[];
}

/** list_state_changes: newest first, at most 100. */
export interface ListStateChangesData {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly {
    readonly checkId: string;
    /** Null when the check is gone. */
    readonly name: string | null;
    readonly fromStatus: CheckStatusName;
    readonly toStatus: CheckStatusName;
    readonly at: string;
    readonly resultId: string;
  }[];
  readonly isTruncated: boolean;
}

export type IncidentStatusName = "INVESTIGATING" | "IDENTIFIED" | "MONITORING" | "RESOLVED";

export interface IncidentBrief {
  readonly incidentId: string;
  readonly name: string;
  readonly severity: "CRITICAL" | "MAJOR" | "MEDIUM" | "MINOR";
  readonly status: IncidentStatusName;
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  readonly services: readonly string[];
  readonly isAutomatic: boolean;
}

/** list_incidents: newest first, at most 50. */
export interface ListIncidentsData {
  readonly incidents: readonly IncidentBrief[];
  readonly isTruncated: boolean;
}

/** get_incident: updates newest first, at most 50. */
export interface GetIncidentData extends IncidentBrief {
  readonly updates: readonly {
    readonly updateId: string;
    readonly status: IncidentStatusName;
    readonly description: string;
    readonly at: string;
    readonly notifiedSubscribers: boolean;
  }[];
}

/** list_deliveries: newest first, at most 50. No address that anything was sent to is shown. */
export interface ListDeliveriesData {
  readonly deliveries: readonly {
    readonly deliveryId: string;
    readonly checkId: string;
    readonly checkName: string | null;
    /** EMAIL, SLACK, WEBHOOK and so on. */
    readonly channelType: string;
    /** What was told: ALERT_FAILURE, ALERT_RECOVERY and so on. */
    readonly alertType: string;
    readonly title: string;
    readonly status: "PENDING" | "SENT" | "DEAD";
    readonly attempts: number;
    readonly reason: string | null;
    readonly decidedAt: string;
    readonly sentAt: string | null;
  }[];
  readonly total: number;
}

/** list_maintenance: when each window is open between the two moments, in order, at most 100. */
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

/** list_locations: the places that have a probe or that a check of the account names. */
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
    /** How many of the account's checks run from there. */
    readonly checks: number;
  }[];
}

/**
 * Any write tool that has not been confirmed: nothing was done. The token that confirms it is
 * never part of this; the caller gets it another way, so that no model can send it.
 */
export interface NeedsConfirmationData {
  readonly needsConfirmation: true;
  readonly action: string;
  /** One sentence that says exactly what would be done. */
  readonly summary: string;
  /** The input as it would be carried out; for create_check the whole check, validated. */
  readonly proposal: unknown;
}

/** post_incident_update, mute_check, create_check, run_check once confirmed. */
export interface WriteDoneData {
  readonly done: true;
  readonly action: string;
  readonly summary: string;
  /** The id of what was made or changed: a check, an update, a check session. */
  readonly targetId: string;
}
