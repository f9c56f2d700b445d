/** What a probe found. Trouble in measuring is data here, never an exception. */

export interface Packet {
  /** From 0, in the order of sending. */
  readonly sequence: number;
  /** Epoch milliseconds with a fraction; null when it could not be sent. */
  readonly sentAtMs: number | null;
  /** Null when no reply came in time. */
  readonly rttMs: number | null;
  readonly ttl: number | null;
  /** ICMP type and code of the reply, or of the error that came instead. */
  readonly type: number | null;
  readonly code: number | null;
}

export interface PingStatistics {
  readonly packetsSent: number;
  readonly packetsReceived: number;
  readonly packetLossPercent: number;
  readonly minMs: number | null;
  readonly avgMs: number | null;
  readonly maxMs: number | null;
  readonly stdDevMs: number | null;
  /** The interarrival jitter of RFC 3550. */
  readonly jitterMs: number | null;
  readonly longestLossBurst: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly lateReplies: number;
}

export interface Measured {
  readonly kind: "measured";
  readonly resolvedIp: string;
  /** How long the name took to resolve; 0 for an address. */
  readonly dnsMs: number;
  readonly packetSizeBytes: number;
  readonly packets: readonly Packet[];
  readonly statistics: PingStatistics;
}

/** The target could not be measured, and that says something about the target. */
export interface Unreachable {
  readonly kind: "unresolved" | "unsendable";
  readonly code: string;
  readonly message: string;
  readonly resolvedIp: string | null;
  readonly dnsMs: number | null;
}

/** Nothing was learned about the target: the trouble is ours. */
export interface NoData {
  readonly kind:
    | "cannot-check"
    | "overloaded"
    | "too-late"
    | "interrupted"
    | "no-answer"
    | "no-probe";
  readonly message: string;
}

export type Outcome = Measured | Unreachable | NoData;

export interface Result {
  readonly runId: string;
  readonly checkId: string;
  readonly location: string;
  readonly attempt: number;
  readonly dueAtMs: number;
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  /** The probe that really ran it. */
  readonly probeId: string;
  readonly request: {
    readonly hostname: string;
    readonly ipFamily: string;
    readonly pingCount: number;
  };
  readonly outcome: Outcome;
}
