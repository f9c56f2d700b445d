/** What a probe is asked to do: one attempt of one run of one check at one location. */

export type IpFamily = "IPv4" | "IPv6";

export interface IcmpRequest {
  readonly hostname: string;
  readonly ipFamily: IpFamily;
  readonly pingCount: number;
}

export interface Order {
  /** Derived from check, due time, location and attempt: the same order twice is one run. */
  readonly runId: string;
  readonly checkId: string;
  readonly kind: "ICMP";
  readonly location: string;
  /** 1 for the scheduled run; retries count on. */
  readonly attempt: number;
  /** When the run was due by the schedule; the same for all its attempts. Epoch milliseconds. */
  readonly dueAtMs: number;
  /** When this attempt was to begin: the due time, or later for a retry. */
  readonly startAtMs: number;
  /** Nobody waits for a result after this. */
  readonly deadlineAtMs: number;
  readonly request: IcmpRequest;
}
