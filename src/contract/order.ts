import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Count, Id, Label, Milliseconds } from "./protocol.ts";

/** Name and value of a variable, which replaces `{{NAME}}` in a request. */
export interface OrderVariable {
  readonly name: string;
  readonly value: string;
  /** Whether results must not contain the value, because some readers of results may not see it. */
  readonly isHidden: boolean;
}

/**
 * Certificate that a probe presents to a target that requests one. A run order contains it only if
 * the check's kind implements `Kind.clientCertificateFor`. Results never contain it.
 */
export interface ClientCertificate {
  /** Pattern of the hosts to which the certificate is presented; see `doesHostMatch`. */
  readonly host: string;
  /** PEM: the certificate, optionally followed by intermediate certificates. */
  readonly certificate: string;
  /** Private key as unencrypted PEM. */
  readonly key: string;
  /** PEM: additional authorities that may have signed the server's certificate. */
  readonly ca: string | null;
}

/** Selects the packets for a capture file: those to and from one address and port. */
export interface CaptureTarget {
  readonly address: string;
  /** Name of the protocol, in capital letters. */
  readonly protocol: string;
  /** `null` if the protocol has no ports. */
  readonly port: number | null;
}

/** An order to a probe: one attempt of one run of one check at one location. */
export interface Order<Request = unknown> {
  /** Derived from check, due time, location and attempt, so a duplicate order has the same id. */
  readonly runId: string;
  readonly checkId: string;
  /** Account of the check, for fair scheduling between accounts. Never leaves the process. */
  readonly accountId?: string;
  /** Type of the check; its kind interprets the request. */
  readonly kind: string;
  readonly location: string;
  /** Number of the attempt: 1 for the scheduled run, 2 for the first retry, and so on. */
  readonly attempt: number;
  /** When the scheduled run was due, in epoch milliseconds. Retries have the same value. */
  readonly dueAtMs: number;
  /** When this attempt should start: the due time, or later for a retry. */
  readonly startAtMs: number;
  /**
   * Deadline of the run. A probe does not start a run after its deadline, and the server records a
   * run without a result as unanswered.
   */
  readonly deadlineAtMs: number;
  /** The request as the user wrote it, in which `{{NAME}}` has not been replaced yet. */
  readonly request: Request;
  /**
   * Variables of the run. By default, an order contains only the variables that the request uses,
   * and the probe inserts their values into the request just before the run. If the check runs
   * scripts, the order contains all variables that apply to the check, because a script can read
   * any of them.
   */
  readonly variables?: readonly OrderVariable[];
  readonly clientCertificate?: ClientCertificate;
  /**
   * Whether the variables and the certificate are missing. Stored orders do not contain them; they
   * are added before an order is sent to a probe.
   */
  readonly isIncomplete?: true;
  /**
   * Whether the run is a trial. The probe sends the progress and the result of a trial to the
   * server that ordered the run, and the result is not recorded.
   */
  readonly isTrial?: true;
  /** Id of the server that receives the events and the result of a trial. */
  readonly tellServer?: string;
  /**
   * Present if the run repeats a failed run to capture its packets. Such a run is a trial. It has
   * the id of the failed run, so that the capture file is added to the failed run.
   */
  readonly capture?: CaptureTarget;
  /**
   * Whether the location is private. Only probes of the private location may then run the check.
   */
  readonly isPrivate?: true;
  /** Which probes may run the check: `built-in`, a public region, or a private location's id. */
  readonly route?: string;
  /** Contract version of the server. */
  readonly version?: number;
  /**
   * Signature of the server. It proves that a result belongs to this order. Absent if the order
   * stays in the process.
   */
  readonly tag?: string;
  /** Permission to upload files of this run. Absent if runs of this kind have no files. */
  readonly assetGrant?: string;
}

/** A run order as sent to a probe. */
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

/**
 * Schema of a received run order. The kind of the check validates the request. Unknown fields are
 * ignored, because a newer version may send them.
 */
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

/** Returns `null` if the value is not a valid run order. */
export function parseOrder(value: unknown): SignedOrder | null {
  return checker.Check(value) ? value : null;
}
