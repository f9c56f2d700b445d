/** What a probe is asked to do: one attempt of one run of one check at one location. */
export interface Order<Request = unknown> {
  /** Derived from check, due time, location and attempt: the same order twice is one run. */
  readonly runId: string;
  readonly checkId: string;
  /** The type of the check. Only its kind knows what the request means. */
  readonly kind: string;
  readonly location: string;
  /** 1 for the scheduled run; retries count on. */
  readonly attempt: number;
  /** When the run was due by the schedule; the same for all its attempts. Epoch milliseconds. */
  readonly dueAtMs: number;
  /** When this attempt was to begin: the due time, or later for a retry. */
  readonly startAtMs: number;
  /** Nobody waits for a result after this. */
  readonly deadlineAtMs: number;
  readonly request: Request;
}
