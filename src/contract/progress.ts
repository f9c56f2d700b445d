import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Id, Label, Moment } from "./fields.ts";

/** What a probe says of a run before its result, where somebody waits for it. */
export interface RunStarted {
  readonly runId: string;
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
export type TellStep = (step: RunStep) => void;

/** So many steps of one run are told at most. */
export const maxSteps = 200;

export interface RunProgress {
  readonly runId: string;
  /** Since the run started. */
  readonly elapsedMs: number;
  readonly progress: RunStep;
}

export type RunNews = RunStarted | RunProgress;

const Fact = Type.Union([
  Type.String({ maxLength: 10_000 }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
]);

const WireNews = Type.Union([
  Type.Object({ runId: Id, probeId: Label, startedAtMs: Moment }),
  Type.Object({
    runId: Id,
    elapsedMs: Moment,
    progress: Type.Intersect([Type.Object({ step: Label }), Type.Record(Type.String(), Fact)]),
  }),
]);

const checker = Compile(WireNews);

export function parseNews(value: unknown): RunNews | null {
  return checker.Check(value) ? value : null;
}
