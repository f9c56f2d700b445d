import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Id, Label, Milliseconds } from "./protocol.ts";
import { type Result, WireResult } from "./result.ts";

/** Fields that an event of a trial copies from its order. */
interface TrialFields {
  readonly runId: string;
  readonly tellServer: string;
  readonly tag?: string;
}

export interface RunStarted extends TrialFields {
  readonly probeId: string;
  readonly startedAtMs: number;
}

/** A completed step of a run: its name, with numbers and short texts about it. */
export interface RunStep {
  readonly step: string;
  readonly [fact: string]: string | number | boolean | null;
}

/** Receives the steps of a run. If absent, no steps are created. */
export type OnStep = (step: RunStep) => void;

/** Maximum number of steps reported for one run. */
export const maxSteps = 200;

export interface RunProgress extends TrialFields {
  /** Time since the run started. */
  readonly elapsedMs: number;
  readonly progress: RunStep;
}

/** The result of a trial is sent to the waiting server and not recorded. */
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

const checker = Compile(WireTrialEvent);

export function parseTrialEvent(value: unknown): TrialEvent | null {
  return checker.Check(value) ? value : null;
}
