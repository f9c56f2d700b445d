import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Count, Id, Label, Milliseconds } from "./fields.ts";

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
  /** Whose check it is, for fair turns between accounts. It never leaves the process. */
  readonly accountId?: string;
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
  /** Of a trial: the server whose reader waits. It gets the news and the result, nobody else. */
  readonly tellServer?: string;
  /** The check names the place as a private location: probes of that one run it, or nobody. */
  readonly isPrivate?: true;
  /** Whose probes it is for: `built-in`, a public region, or the id of a private location. */
  readonly route?: string;
  /** Of the contract, as the server speaks it. */
  readonly version?: number;
  /** Proves to the server that a result is for this order. Absent: it never leaves the process. */
  readonly tag?: string;
}

/** An order as it crosses the boundary. */
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

/** What the request means only its kind knows. Fields of a newer version are passed over. */
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
});

const checker = Compile(WireOrder);

/** Null: it is no order that a probe can carry out. */
export function parseOrder(value: unknown): SignedOrder | null {
  return checker.Check(value) ? value : null;
}
