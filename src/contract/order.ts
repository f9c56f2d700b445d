import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Count, Id, Label, Milliseconds } from "./protocol.ts";

/** The value of `{{NAME}}` in a request. */
export interface OrderVariable {
  readonly name: string;
  readonly value: string;
  /** Whether the value must not appear in results, because some readers may not see it. */
  readonly isHidden: boolean;
}

/**
 * Certificate that a probe presents to a server that requests one. `Order.clientCertificate` has it
 * if the check's kind implements `Kind.clientCertificateFor`. Never part of a result.
 */
export interface ClientCertificate {
  /**
   * Host pattern that the certificate is presented to; matched by `doesHostMatch` of
   * `kinds/network/host-pattern.ts`.
   */
  readonly host: string;
  /** PEM: the certificate, optionally followed by intermediate certificates. */
  readonly certificate: string;
  /** Private key as unencrypted PEM. */
  readonly key: string;
  /** PEM: additional authorities that may have signed the server's certificate. */
  readonly ca: string | null;
}

/** The packets of a run that its file contains: those to and from an address. */
export interface CaptureTarget {
  readonly address: string;
  /** The name of the protocol in capital letters. */
  readonly protocol: string;
  /** `null` if the protocol has no ports. */
  readonly port: number | null;
}

/** An order to a probe: one attempt of one run of one check at one location. */
export interface Order<Request = unknown> {
  /**
   * Derived from check, due time, location and attempt, so that a duplicate order is the same run.
   */
  readonly runId: string;
  readonly checkId: string;
  /** Owner of the check, for fair scheduling between accounts. Never leaves the process. */
  readonly accountId?: string;
  /** Type of the check; its kind interprets the request. */
  readonly kind: string;
  readonly location: string;
  /** 1 for the scheduled run, then counted up by retries. */
  readonly attempt: number;
  /** When the schedule made the run due, in epoch milliseconds; the same for all its attempts. */
  readonly dueAtMs: number;
  /** When this attempt should start: the due time, or later for a retry. */
  readonly startAtMs: number;
  /** A result after this time is ignored. */
  readonly deadlineAtMs: number;
  /** The request as written by the user, with `{{NAME}}` not yet replaced. */
  readonly request: Request;
  /**
   * Variables used in the request; the probe substitutes them just before the run. Kinds that
   * receive all variables pass them to the run.
   */
  readonly variables?: readonly OrderVariable[];
  readonly clientCertificate?: ClientCertificate;
  /**
   * Whether variables and certificate still have to be added. Such an order is never sent to a
   * probe, and no other is stored.
   */
  readonly isIncomplete?: true;
  /** Whether a user waits for this run: the probe reports its progress, and nothing is stored. */
  readonly isTrial?: true;
  /** For a trial: id of the server that receives its events and its result. */
  readonly tellServer?: string;
  /**
   * Repeats a failed run and captures its packets. The order has the id of that run, to which the
   * file belongs, and is a trial.
   */
  readonly capture?: CaptureTarget;
  /** Whether the check names a private location: only probes of that location may run it. */
  readonly isPrivate?: true;
  /** Which probes it is for: `built-in`, a public region, or the id of a private location. */
  readonly route?: string;
  /** Contract version of the server. */
  readonly version?: number;
  /**
   * Proves to the server that a result is for this order. Absent if the order stays in the process.
   */
  readonly tag?: string;
  /** Proves to the server that files belong to this run. Absent if the kind leaves none. */
  readonly assetGrant?: string;
}

/** An order as sent to a probe. */
export interface SignedOrder extends Order {
  readonly route: string;
  readonly version: number;
  readonly tag: string;
}

const Text = (maxLength: number) => Type.String({ maxLength });

const WireVariable = Type.Object({
  name: Text(1_000),
  value: Text(2_000_000),
  isHidden: Type.Boolean(),
});

const WireCertificate = Type.Object({
  host: Text(1_000),
  certificate: Text(1_000_000),
  key: Text(1_000_000),
  ca: Type.Union([Text(1_000_000), Type.Null()]),
});

const WireCapture = Type.Object({
  address: Text(64),
  protocol: Label,
  port: Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), Type.Null()]),
});

/** The request is validated by its kind. Unknown fields of a newer version are ignored. */
const WireOrder = Type.Object({
  version: Count,
  runId: Id,
  checkId: Id,
  kind: Label,
  location: Label,
  route: Label,
  attempt: Count,
  dueAtMs: Milliseconds,
  startAtMs: Milliseconds,
  deadlineAtMs: Milliseconds,
  tag: Label,
  request: Type.Unknown(),
  variables: Type.Optional(Type.Array(WireVariable, { maxItems: 10_000 })),
  clientCertificate: Type.Optional(WireCertificate),
  isTrial: Type.Optional(Type.Literal(true)),
  tellServer: Type.Optional(Id),
  capture: Type.Optional(WireCapture),
  assetGrant: Type.Optional(Text(1_000)),
});

const checker = Compile(WireOrder);

/** Returns `null` if the value is not a valid order. */
export function parseOrder(value: unknown): SignedOrder | null {
  return checker.Check(value) ? value : null;
}
