import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import {
  type LogLevel,
  type ScriptLog,
  type ScriptMeasurement,
  type ScriptRequest,
  scriptEnds,
  stepCategories,
} from "../../../sandbox/script-run.ts";
import type { Run } from "../definition.ts";

const NullableNumber = OrNull(Type.Number());
const NullableText = OrNull(Type.String());

const StepSchema = Type.Object(
  {
    title: Type.String({ description: "Its title.", examples: ["Log in"] }),
    category: Described(OneOf(stepCategories), "What it is.", "step"),
    depth: Type.Integer({ description: "Steps around it; 0 for a test.", examples: [1] }),
    startMs: Type.Number({ description: "Milliseconds since the script started." }),
    durationMs: Type.Number({ description: "Milliseconds that it took.", examples: [84] }),
    error: Described(NullableText, "Its error; `null` if it passed.", null),
  },
  { title: "ScriptStep" },
);

export const ErrorSchema = Type.Object(
  {
    message: Type.String({ description: "The message.", examples: ["Expected: 200"] }),
    stack: Described(NullableText, "The calls that led to it; `null` if unknown.", null),
    file: Described(NullableText, "The file of the script; `null` if unknown.", "script.spec.ts"),
    line: Described(OrNull(Type.Integer()), "The line in the file.", 12),
    column: Described(OrNull(Type.Integer()), "The column in the line.", 5),
  },
  { title: "ScriptError" },
);

/**
 * Log levels in the API. The names are in capitals, because existing clients choose the colours of
 * log entries by these names.
 */
const shownLevels = ["DEBUG", "INFO", "WARN", "ERROR"] as const satisfies Uppercase<LogLevel>[];

const toShownLevel = (level: LogLevel) => level.toUpperCase() as Uppercase<LogLevel>;

export const LogSchema = Type.Object(
  {
    time: Type.Number({ description: "Time in epoch milliseconds.", examples: [1794702184365] }),
    level: Described(OneOf(shownLevels), "The level.", "INFO"),
    msg: Type.String({ description: "The text.", examples: ["signed in"] }),
  },
  { title: "ScriptLog" },
);

export function showLog({ atMs, level, text }: ScriptLog, startedAtMs: number) {
  return { time: Math.round(startedAtMs + atMs), level: toShownLevel(level), msg: text };
}

const ConnectionSchema = Type.Object(
  {
    host: Type.String({ description: "Name or address.", examples: ["api.example.com"] }),
    port: Type.Integer({ description: "The port.", examples: [443] }),
    count: Type.Integer({ description: "Connections to it.", examples: [2] }),
    denial: Described(NullableText, "Why the last one was denied; `null` if it was not.", null),
  },
  { title: "ScriptConnection" },
);

const noFiles = "Always empty.";

/** Creates the schema of a script result. `own` contains the additional fields of a kind. */
export function createDocumentSchema(aCheck: string, own: Type.TProperties = {}) {
  return Type.Object(
    {
      ...own,
      errors: Type.Array(ErrorSchema, { description: "Errors of the script." }),
      startTime: Type.Number({
        description: "When the run started, in epoch milliseconds.",
        examples: [1794702184365],
      }),
      endTime: Type.Number({
        description: "When it ended, in epoch milliseconds.",
        examples: [1794702185180],
      }),
      runtimeVersion: Type.String({ description: "The runtime.", examples: ["2025.04"] }),
      jobLog: Type.Array(LogSchema, { description: "What the script logged." }),
      jobAssets: Type.Array(Type.String(), { description: noFiles, examples: [[]] }),
      playwrightTestTraces: Type.Array(Type.String(), { description: noFiles, examples: [[]] }),
      playwrightTestJsonReportFile: Type.String({ description: noFiles, examples: [""] }),
      end: Described(
        OrNull(OneOf(scriptEnds)),
        "How the script ended; `null` if it did not run.",
        "passed",
      ),
      durationMs: Described(NullableNumber, "Time of the script, without the sandbox's.", 815),
      cpuMs: Described(NullableNumber, "CPU time of all its processes; `null` if unknown.", 640),
      memoryBytes: Described(NullableNumber, "Its peak memory; `null` if unknown.", 132_000_000),
      isolation: Described(
        NullableText,
        "Isolation tier of its sandbox: A1, A2, B1 or B2; `null` if it did not run.",
        "A2",
      ),
      steps: Type.Array(StepSchema, { description: "Its steps in the order of their start." }),
      connections: Type.Array(ConnectionSchema, { description: "Hosts it connected to." }),
      isCut: Type.Boolean({
        description: "Whether steps, errors, logs or connections are missing: there were too many.",
      }),
      error: Described(
        OrNull(Type.Object({}, { additionalProperties: true })),
        "Why the script did not run; `null` if it did.",
        null,
      ),
    },
    { description: `The result of ${aCheck}.` },
  );
}

export function buildDocument(
  run: Run<ScriptRequest, ScriptMeasurement>,
): Type.Static<ReturnType<typeof createDocumentSchema>> {
  const { request, startedAtMs, outcome } = run;
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  return {
    errors: [...(measured?.errors ?? [])],
    startTime: startedAtMs,
    endTime: startedAtMs + Math.round(measured?.durationMs ?? 0),
    runtimeVersion: measured?.runtime ?? request.runtime ?? "",
    jobLog: (measured?.logs ?? []).map((log) => showLog(log, startedAtMs)),
    jobAssets: [],
    playwrightTestTraces: [],
    playwrightTestJsonReportFile: "",
    end: measured?.end ?? null,
    durationMs: measured?.durationMs ?? null,
    cpuMs: measured?.cpuMs ?? null,
    memoryBytes: measured?.memoryBytes ?? null,
    isolation: measured?.isolation ?? null,
    steps: [...(measured?.steps ?? [])],
    connections: [...(measured?.connections ?? [])],
    isCut: measured?.isCut ?? false,
    error: toTrouble(outcome),
  };
}
