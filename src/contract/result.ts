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
