/**
 * Data of the tools about checks and runs. Times are ISO 8601 in UTC. Fields of a single kind are
 * not here; the kind's `speech` reads them.
 */

export type CheckStatusName = "passing" | "degraded" | "failing" | "unknown";

export type StatusCounts = Readonly<Record<CheckStatusName, number>>;

export interface CheckBrief {
  readonly checkId: string;
  readonly checkType: string;
  readonly name: string;
  /** The target: a host, a URL, or what the kind checks. */
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
