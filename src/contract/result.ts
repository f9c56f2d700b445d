import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Count, Id, Label, Milliseconds } from "./fields.ts";
import type { Order } from "./order.ts";

/** What a probe found. Trouble in measuring is data here, never an exception. */

export interface Measured<Measurement = unknown> {
  readonly kind: "measured";
  readonly measurement: Measurement;
}

/** Why the target could not be measured. A kind names its troubles, and may add fields. */
export interface Trouble {
  readonly kind: string;
  readonly code: string;
  readonly message: string;
}

/** The target could not be measured, and that says something about the target. */
export interface Unreachable {
  readonly kind: "unreachable";
  readonly trouble: Trouble;
}

export const noDataKinds = [
  "cannot-check",
  "overloaded",
  "too-late",
  "interrupted",
  "no-answer",
  "no-probe",
] as const;
export type NoDataKind = (typeof noDataKinds)[number];

/** Nothing was learned about the target: the trouble is ours. */
export interface NoData {
  readonly kind: NoDataKind;
  readonly message: string;
}

export type Outcome<Measurement = unknown> = Measured<Measurement> | Unreachable | NoData;

export interface Result<Request = unknown, Measurement = unknown> {
  readonly runId: string;
  readonly checkId: string;
  /** The type of the check, as its order had it. */
  readonly kind: string;
  readonly location: string;
  readonly attempt: number;
  readonly dueAtMs: number;
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  /** The probe that really ran it. */
  readonly probeId: string;
  /** As the order had it. */
  readonly request: Request;
  readonly outcome: Outcome<Measurement>;
  /** These four as the order had them, if it had a tag. */
  readonly route?: string;
  readonly version?: number;
  readonly deadlineAtMs?: number;
  readonly tag?: string;
  /** Over NATS: proves that the holder of a probe key says so. */
  readonly proof?: string;
}

/** A result as it crosses the boundary. */
export interface SignedResult extends Result {
  readonly route: string;
  readonly version: number;
  readonly deadlineAtMs: number;
  readonly tag: string;
}

const WireMessage = Type.String({ maxLength: 100_000 });

const WireOutcome = Type.Union([
  Type.Object({ kind: Type.Literal("measured"), measurement: Type.Unknown() }),
  Type.Object({
    kind: Type.Literal("unreachable"),
    trouble: Type.Object({ kind: Label, code: Label, message: WireMessage }),
  }),
  Type.Object({
    kind: Type.Union(noDataKinds.map((kind) => Type.Literal(kind))),
    message: WireMessage,
  }),
]);

/** What was measured only the kind of the check knows. */
export const WireResult = Type.Object({
  version: Count,
  runId: Id,
  checkId: Id,
  kind: Label,
  location: Label,
  route: Label,
  attempt: Count,
  dueAtMs: Milliseconds,
  deadlineAtMs: Milliseconds,
  startedAtMs: Milliseconds,
  stoppedAtMs: Milliseconds,
  probeId: Label,
  tag: Label,
  proof: Type.Optional(Label),
  request: Type.Unknown(),
  outcome: WireOutcome,
});

const checker = Compile(WireResult);

/** Null: it is no result. Whether to believe it is another question. */
export function parseResult(value: unknown): SignedResult | null {
  return checker.Check(value) ? value : null;
}

/** What a result returns of its order, to prove that it is for it. */
export function copySignature(order: Order): Partial<SignedResult> {
  const { route, version, deadlineAtMs, tag } = order;
  if (route === undefined || version === undefined || tag === undefined) return {};
  return { route, version, deadlineAtMs, tag };
}

/** How trouble is stored and shown: the kind's own words, or why nothing was learned. */
export function toTrouble(outcome: Outcome): Trouble | NoData | null {
  if (outcome.kind === "measured") return null;
  return outcome.kind === "unreachable" ? outcome.trouble : outcome;
}

export function fromTrouble(trouble: Trouble | NoData): Unreachable | NoData {
  return isNoData(trouble) ? trouble : { kind: "unreachable", trouble };
}

function isNoData(trouble: Trouble | NoData): trouble is NoData {
  return noDataKinds.some((kind) => kind === trouble.kind);
}
