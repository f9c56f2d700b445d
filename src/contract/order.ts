/** What `{{NAME}}` in a request stands for. */
export interface OrderVariable {
  readonly name: string;
  readonly value: string;
  /** Not everybody who reads results may see the value: it must not be in any. */
  readonly isHidden: boolean;
}

/**
 * What a probe shows to a server that asks who connects. It is in `Order.clientCertificate` of the
 * checks whose kind says so by `Kind.clientCertificateFor`. Never part of a result.
 */
export interface ClientCertificate {
  /** The only hosts to show it to: `doesHostMatch` of `kinds/network/host-pattern.ts` decides. */
  readonly host: string;
  /** PEM: the certificate, then perhaps those of the authorities that signed it. */
  readonly certificate: string;
  /** PEM, not encrypted. */
  readonly key: string;
  /** PEM: authorities that the server's certificate may be signed by, besides the usual ones. */
  readonly ca: string | null;
}

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
  /** As it was written: `{{NAME}}` is still in it. */
  readonly request: Request;
  /** Those that the request names, if any; filled in just before the run. */
  readonly variables?: readonly OrderVariable[];
  readonly clientCertificate?: ClientCertificate;
  /** Both are still to be put in. No probe gets such an order, and no other is stored. */
  readonly isIncomplete?: true;
  /** Somebody waits for it: the probe says when it starts. Nothing of it is stored. */
  readonly isTrial?: true;
}
