import { availableParallelism } from "node:os";
import type { OnStep, Outcome } from "../../contract/result.ts";
import type { RunAsset } from "../../contract/run-asset.ts";
import type { Browser } from "../browsers.ts";
import type { EgressOptions } from "../isolation/egress.ts";
import { type Isolation, runInSandbox, type SandboxResult } from "../isolation/sandbox.ts";
import type { InstalledRuntime } from "../runtimes/installed.ts";
import type {
  ScriptEnd,
  ScriptError,
  ScriptLog,
  ScriptMeasurement,
  ScriptOrder,
} from "../script-run.ts";
import { planSuiteLaunch } from "../suites/launch-suite.ts";
import type { PreparedSuite } from "../suites/prepare-suite.ts";
import { type CollectedEvents, EventCollector } from "./collect-events.ts";
import { type CodeCache, maxVariableBytes, planLaunch } from "./launch.ts";
import type { LoadedSnapshot } from "./messages.ts";
import { decideShares } from "./slots.ts";

export interface ScriptTask {
  readonly order: ScriptOrder;
  readonly runtime: InstalledRuntime;
  /** Browser for the script; `null` if the script uses no browser. */
  readonly browser?: Browser | null;
  readonly isolation: Isolation;
  readonly slot: number;
  readonly memoryBytes: number;
  readonly egress: EgressOptions;
  readonly cache: CodeCache | null;
  /** The prepared suite; `null` if the run executes a single script. */
  readonly prepared?: PreparedSuite | null;
  readonly snapshots?: readonly LoadedSnapshot[];
  /** Stops the script when the signal aborts. The result is the same as after a timeout. */
  readonly signal?: AbortSignal;
}

const maxProcesses = 400;
/**
 * Maximum number of processes and threads of a script with a browser. A browser has about 20
 * threads for each page and for each frame of another site.
 */
const maxBrowserProcesses = 1_000;
const folderBytes = 128 * 2 ** 20;

export interface ScriptResult {
  readonly outcome: Outcome<ScriptMeasurement>;
  readonly assets: readonly RunAsset[];
}

/** Runs one script in its own sandbox. */
export async function runScript(task: ScriptTask, onStep?: OnStep): Promise<ScriptResult> {
  const { order, runtime, browser = null, isolation, slot, memoryBytes, egress, cache } = task;
  const { prepared = null, snapshots = [], signal } = task;
  const { timeoutMs } = order.request;
  const tooLong = Object.entries(order.variables).find(
    ([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value) > maxVariableBytes,
  );
  if (tooLong !== undefined) {
    return { outcome: failAtOnce(describeLongVariable(tooLong[0]), task), assets: [] };
  }
  let collector = new EventCollector(Date.now(), onStep);
  const result = await runInSandbox({
    isolation,
    slot,
    ...(prepared === null
      ? planLaunch(order, runtime, { cache, browser, snapshots })
      : planSuiteLaunch(order, prepared, { nodePath: runtime.nodePath, browser, cache })),
    usesBrowser: browser !== null,
    limits: {
      memoryBytes: memoryBytes * decideShares(order.request, browser),
      processes: browser === null ? maxProcesses : maxBrowserProcesses,
      folderBytes,
      // Linux adds up the CPU time of all threads, so the limit grows with the number of cores.
      cpuSeconds: Math.ceil((timeoutMs / 1_000) * availableParallelism()) + 5,
    },
    timeoutMs,
    ...(signal !== undefined && { signal }),
    egress,
    onStarted: () => {
      collector = new EventCollector(Date.now(), onStep);
    },
    onOutput: (stream, bytes) => collector.add(stream, bytes),
  });
  if (result.kind === "refused") {
    const message = `The sandbox of the script could not be built: ${result.message}`;
    return { outcome: { kind: "cannot-check", message }, assets: [] };
  }
  const events = collector.finish();
  const measurement = measure(task, result, events);
  return { outcome: { kind: "measured", measurement }, assets: events.assets };
}

const describeLongVariable = (name: string) =>
  `The variable ${name} is longer than ${maxVariableBytes} bytes, which is more than a process can receive.`;

const createError = (message: string): ScriptError => {
  return { message, stack: null, file: null, line: null, column: null };
};

interface FailedTask {
  readonly runtime: Pick<InstalledRuntime, "name">;
  readonly isolation: string;
}

/** Returns the outcome of a script that cannot start because of an error in its check or code. */
export function failAtOnce(message: string, task: FailedTask): Outcome<ScriptMeasurement> {
  const error = createError(message);
  const nothing = { steps: [], logs: [], pages: [], assets: [] };
  const events = { ...nothing, errors: [error], isCut: false, status: null, values: "" };
  const empty = {
    kind: "ended",
    durationMs: 0,
    connections: [],
    areConnectionsCut: false,
  } as const;
  const result = { ...empty, end: "exited", exit: null } as const;
  return { kind: "measured", measurement: measure(task, result, events) };
}

type EndedSandbox = Exclude<SandboxResult, { kind: "refused" }>;

function measure(
  { runtime, isolation }: FailedTask,
  result: EndedSandbox,
  events: CollectedEvents,
): ScriptMeasurement {
  const { exit, connections } = result;
  const end = decideEnd(result, events);
  const { steps, logs, pages } = events;
  return {
    end,
    durationMs: result.durationMs,
    cpuMs: exit?.cpuMs ?? null,
    memoryBytes: exit?.memoryBytes ?? null,
    runtime: runtime.name,
    isolation,
    steps,
    errors: end === "passed" ? [] : completeErrors(result, events),
    logs,
    connections,
    pages,
    isCut: events.isCut || result.areConnectionsCut,
    ...(end === "passed" && events.values !== "" && { values: parseValues(events.values) }),
  };
}

function parseValues(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const endsByLimit: Readonly<Partial<Record<EndedSandbox["end"], ScriptEnd>>> = {
  "timed-out": "timed-out",
  memory: "out-of-memory",
  processes: "too-many-processes",
  output: "too-much-output",
  vanished: "crashed",
};

/** Signal with which V8 aborts its own process when the heap is full. */
const abort = "SIGABRT";
const outOfTime = "SIGXCPU";

/**
 * Error messages of a process that reaches the kernel's memory limit before the warden, which
 * supervises the sandbox, has detected the high memory usage.
 */
const allocationErrors =
  /Array buffer allocation failed|(?:Cannot|Failed to) allocate memory|\bENOMEM\b/;
const fatalErrors = /^# Fatal process out of memory/m;

function decideEnd(
  { end, exit }: EndedSandbox,
  { status, errors, logs }: CollectedEvents,
): ScriptEnd {
  const limit = endsByLimit[end];
  if (limit !== undefined) return limit;
  if (exit?.code === 0) return "passed";
  if (errors.some(({ message }) => allocationErrors.test(message))) return "out-of-memory";
  const isFatal = ({ level, text }: ScriptLog) => level === "error" && fatalErrors.test(text);
  if (exit?.signal != null && logs.some(isFatal)) return "out-of-memory";
  if (exit?.signal === outOfTime || status === "timedout") return "timed-out";
  if (exit?.signal === abort || exit?.code === 134) return "out-of-memory";
  return exit?.signal == null ? "failed" : "crashed";
}

const vanished =
  "The process that supervises the script ended before the script, for example because the machine had no memory left.";

/**
 * Returns the errors of a run. If the script reported no error, its error output becomes the error.
 * The reason of a limit is the first error.
 */
function completeErrors(result: EndedSandbox, events: CollectedEvents): readonly ScriptError[] {
  const reason = result.end === "vanished" ? vanished : (result.exit?.reason ?? null);
  if (reason !== null) return [createError(reason), ...events.errors];
  if (events.errors.length > 0 || result.end !== "exited") return events.errors;
  const written = events.logs.filter(({ level }) => level === "error").map(({ text }) => text);
  const { code = null, signal = null } = result.exit ?? {};
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const message = written.join("\n").slice(0, 2_000) || `The script ended with ${how}.`;
  return [createError(message)];
}
