import { createHmac, timingSafeEqual } from "node:crypto";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Order } from "./order.ts";
import { Count, Id, Label, Milliseconds } from "./protocol.ts";

/** Outcome of a run that measured its target. A failure is an outcome, never an exception. */
export interface Measured<Measurement = unknown> {
  readonly kind: "measured";
  readonly measurement: Measurement;
}

/** Why the target could not be measured. Each check type defines its codes and may add fields. */
export interface Trouble {
  readonly kind: string;
  readonly code: string;
  readonly message: string;
}

/**
 * The run could not measure the target, and the cause is the target itself, such as a refused
 * connection.
 */
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

/** The run has no data about the target, because a probe or a server failed. */
export interface NoData {
  readonly kind: NoDataKind;
  readonly message: string;
}

export type Outcome<Measurement = unknown> = Measured<Measurement> | Unreachable | NoData;

export interface Result<Request = unknown, Measurement = unknown> {
  readonly runId: string;
  readonly checkId: string;
  /** Type of the check, copied from the run order. */
  readonly kind: string;
  readonly location: string;
  readonly attempt: number;
  readonly dueAtMs: number;
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  /** The probe that executed the run. */
  readonly probeId: string;
  /** Copied from the run order. */
  readonly request: Request;
  readonly outcome: Outcome<Measurement>;
  /**
   * If the run order has a tag, which is a signature of the server, the result contains `route`,
   * `version`, `deadlineAtMs` and `tag` of the order.
   */
  readonly route?: string;
  readonly version?: number;
  readonly deadlineAtMs?: number;
  readonly tag?: string;
  /** Proves that the sender has a key of the probe. Only results over NATS have it. */
  readonly proof?: string;
}

/** A result as received from a probe. */
export interface SignedResult extends Result {
  readonly route: string;
  readonly version: number;
  readonly deadlineAtMs: number;
  readonly tag: string;
}

/** Signs the result together with the tag of its run order. */
function writeProof(proofKey: Uint8Array, result: SignedResult): Buffer {
  const { tag, probeId, startedAtMs, stoppedAtMs, outcome } = result;
  const signed = JSON.stringify([tag, probeId, startedAtMs, stoppedAtMs, outcome]);
  return createHmac("sha256", proofKey).update(signed).digest();
}

export function proveResult(proofKey: Uint8Array, result: SignedResult): string {
  return writeProof(proofKey, result).toString("base64url");
}

export function isProofRight(proofKey: Uint8Array, result: SignedResult): boolean {
  const given = Buffer.from(result.proof ?? "", "base64url");
  const right = writeProof(proofKey, result);
  return given.length === right.length && timingSafeEqual(given, right);
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

/** Schema of a received result. The kind of the check validates the measurement. */
const WireResult = Type.Object({
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

const resultChecker = Compile(WireResult);

/** Returns `null` if the value is not a valid result. Does not verify the tag or the proof. */
export function parseResult(value: unknown): SignedResult | null {
  return resultChecker.Check(value) ? value : null;
}

/**
 * Returns the fields that a result copies from its run order, to prove that the result belongs to
 * the order.
 */
export function copySignature(order: Order): Partial<SignedResult> {
  const { route, version, deadlineAtMs, tag } = order;
  if (route === undefined || version === undefined || tag === undefined) return {};
  return { route, version, deadlineAtMs, tag };
}

/**
 * Returns why a run has no measurement: the trouble of the target, or the reason for missing data.
 * Returns `null` if there is a measurement.
 */
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

/** Fields that an event of a trial run copies from its run order. */
interface TrialFields {
  readonly runId: string;
  readonly tellServer: string;
  readonly tag?: string;
}

export interface RunStarted extends TrialFields {
  readonly probeId: string;
  readonly startedAtMs: number;
}

/** A completed step of a run: the name of the step, with numbers and short texts about it. */
export interface RunStep {
  readonly step: string;
  readonly [fact: string]: string | number | boolean | null;
}

/** Receives each step of a run. If the function is missing, the run does not report steps. */
export type OnStep = (step: RunStep) => void;

/** Maximum number of steps reported for one run. */
export const maxSteps = 200;

export interface RunProgress extends TrialFields {
  /** Time since the run started. */
  readonly elapsedMs: number;
  readonly progress: RunStep;
}

/** Result of a trial run. It is sent to the server that ordered the run and is not recorded. */
export interface RunDone extends TrialFields {
  readonly result: Result;
}

export type TrialEvent = RunStarted | RunProgress | RunDone;

const Fact = Type.Union([
  Type.String({ maxLength: 10_000 }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
]);

const ofTrial = { runId: Id, tellServer: Id, tag: Type.Optional(Label) };

const WireTrialEvent = Type.Union([
  Type.Object({ ...ofTrial, probeId: Label, startedAtMs: Milliseconds }),
  Type.Object({ ...ofTrial, result: WireResult }),
  Type.Object({
    ...ofTrial,
    elapsedMs: Milliseconds,
    progress: Type.Intersect([Type.Object({ step: Label }), Type.Record(Type.String(), Fact)]),
  }),
]);

const eventChecker = Compile(WireTrialEvent);

export function parseTrialEvent(value: unknown): TrialEvent | null {
  return eventChecker.Check(value) ? value : null;
}
