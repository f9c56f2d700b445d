import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Id, Label, Milliseconds } from "./fields.ts";
import { type Result, WireResult } from "./result.ts";

/** What a probe says of a run that somebody waits for. These are as its order had them. */
interface OfTrial {
  readonly runId: string;
  readonly tellServer: string;
  readonly tag?: string;
}

export interface RunStarted extends OfTrial {
  readonly probeId: string;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
}

/** A step that is done: its name, and figures and short texts about it. */
export interface RunStep {
  readonly step: string;
  readonly [fact: string]: string | number | boolean | null;
}

/** Where a run tells its steps. Absent: nobody waits for them, and none is made. */
export type OnStep = (step: RunStep) => void;

/** So many steps of one run are told at most. */
export const maxSteps = 200;

export interface RunProgress extends OfTrial {
  /** Since the run started. */
  readonly elapsedMs: number;
  readonly progress: RunStep;
}

/** The result of a trial goes to whoever waits, and not where results are recorded. */
export interface RunDone extends OfTrial {
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

const WireNews = Type.Union([
  Type.Object({ ...ofTrial, probeId: Label, startedAtMs: Milliseconds }),
  Type.Object({ ...ofTrial, result: WireResult }),
  Type.Object({
    ...ofTrial,
    elapsedMs: Milliseconds,
    progress: Type.Intersect([Type.Object({ step: Label }), Type.Record(Type.String(), Fact)]),
  }),
]);

const checker = Compile(WireNews);

export function parseTrialEvent(value: unknown): TrialEvent | null {
  return checker.Check(value) ? value : null;
}
