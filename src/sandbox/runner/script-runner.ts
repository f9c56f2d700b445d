import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import type { OnStep, Outcome } from "../../contract/result.ts";
import type { Browser } from "../browsers.ts";
import type { InstalledRuntime } from "../runtimes/installed.ts";
import type {
  OnAssets,
  ScriptMeasurement,
  ScriptOrder,
  ScriptRequest,
  ScriptRunner,
} from "../script-run.ts";
import { findEngine, readDigest } from "../suites/suite.ts";
import { hasCode } from "../suites/suite-store.ts";
import { isolationAdvice } from "./isolation.ts";
import type { FromRunner, LoadedSnapshot, RunnerSettings, ToRunner } from "./messages.ts";
import { failAtOnce } from "./run-script.ts";

export interface ScriptRunnerOptions extends RunnerSettings {
  /** Returns a runtime, or a sentence that explains why it cannot be used and what to do. */
  readonly findRuntime: (name: string | null) => InstalledRuntime | { readonly reason: string };
  /** Returns a browser, or a sentence that explains why there is none and what to do. */
  readonly findBrowser: () => Browser | { readonly reason: string };
  /** Folder for compiled code of the runner itself. Scripts cannot access this folder. */
  readonly compileCache?: string;
  /** Folder for the files of runs without namespaces; by default that of this process. */
  readonly temporaryFolder?: string;
  /** User id of the runner, if the runner uses another user than this process. */
  readonly userId?: number;
  readonly log: (line: string) => void;
}

interface OpenRun {
  readonly resolve: (outcome: Outcome<ScriptMeasurement>) => void;
  readonly onStep: OnStep | undefined;
  readonly onAssets: OnAssets | undefined;
}

const runnerProcess = new URL("./runner-process.ts", import.meta.url);

/**
 * Creates a client of the runner process. The first script starts the process. After a crash, the
 * next script starts a new process. Machines without script checks never start the process.
 */
export function createScriptRunner(options: ScriptRunnerOptions): ScriptRunner {
  return new RunnerClient(options);
}

class RunnerClient implements ScriptRunner {
  readonly #options: ScriptRunnerOptions;
  readonly #open = new Map<number, OpenRun>();
  #process: ChildProcess | null = null;
  #lastId = 0;
  #isClosed = false;
  #closing: Promise<void> | null = null;
  #isolationLimits: readonly string[] = [];
  /**
   * Reason why scripts cannot use a browser; empty if the last script that needed a browser could
   * use it.
   */
  #browserLimits: readonly string[] = [];

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
  }

  async run(
    { loadCode, loadSnapshot, ...order }: ScriptOrder,
    onStep?: OnStep,
    onAssets?: OnAssets,
  ): Promise<Outcome<ScriptMeasurement>> {
    if (this.#isClosed) return interrupted;
    const engine = order.request.suite === undefined ? null : findEngine(order.request.suite);
    if (engine !== null && "reason" in engine) return failAtOnce(engine.reason, nowhere);
    const runtime =
      engine === null || "runtime" in engine
        ? this.#options.findRuntime(engine?.runtime ?? order.request.runtime)
        : engine;
    if ("reason" in runtime) return { kind: "cannot-check", message: runtime.reason };
    const browser = order.usesBrowser === true ? this.#options.findBrowser() : null;
    if (browser !== null) this.#browserLimits = "reason" in browser ? [browser.reason] : [];
    if (browser !== null && "reason" in browser) {
      return { kind: "cannot-check", message: browser.reason };
    }
    const code = await this.#loadCode(order, loadCode);
    if (code !== null && "reason" in code) return { kind: "cannot-check", message: code.reason };
    const snapshots = await loadSnapshots(order.request, loadSnapshot);
    if ("reason" in snapshots) return { kind: "cannot-check", message: snapshots.reason };
    if (this.#isClosed) return interrupted;
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#open.set(id, { resolve, onStep, onAssets });
      this.#process ??= this.#start();
      const isWatched = onStep !== undefined;
      this.#send({ kind: "run", id, order, runtime, browser, isWatched, code, snapshots });
    });
  }

  /**
   * Loads the code of a suite; `null` if this machine already has the code, or if there is no code
   * to load.
   */
  async #loadCode(
    { accountId, request: { suite } }: ScriptOrder,
    load: ScriptOrder["loadCode"],
  ): Promise<Buffer | { readonly reason: string } | null> {
    const { suitesFolder } = this.#options;
    const digest = readDigest(suite?.bundle ?? "");
    if (digest === null || load === undefined || suitesFolder === undefined) return null;
    return hasCode(suitesFolder, accountId, digest) ? null : await load();
  }

  listLimitations(): readonly string[] {
    return [...this.#isolationLimits, ...this.#browserLimits];
  }

  /** Ends the runner. Several kinds share a runner, and each closes it. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#closing ??= this.#end(this.#process);
    return this.#closing;
  }

  async #end(runner: ChildProcess | null): Promise<void> {
    if (runner?.connected === true) {
      const exited = new Promise((resume) => runner.once("exit", resume));
      runner.disconnect();
      await exited;
    }
    this.#giveUp();
  }

  #start(): ChildProcess {
    const {
      log,
      userId,
      compileCache,
      temporaryFolder = tmpdir(),
      findRuntime: _a,
      findBrowser: _b,
      ...settings
    } = this.#options;
    const runner = fork(runnerProcess, {
      // Passes no environment variables of the service to the runner, because they contain secrets.
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        TMPDIR: temporaryFolder,
        ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }),
      },
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // Required to send the bytes of files, which the default JSON serialization cannot represent.
      serialization: "advanced",
      ...(userId !== undefined && { uid: userId, gid: userId }),
    });
    let written = "";
    runner.stderr?.on("data", (bytes: Buffer) => {
      written = `${written}${bytes.toString()}`.slice(-maxWrittenLength);
      log(`Script runner: ${bytes.toString().trim()}`);
    });
    runner.on("message", (message) => this.#take(message as FromRunner));
    const forget = () => {
      if (this.#process !== runner) return;
      this.#process = null;
      this.#giveUp(describeEnd(runner, written));
    };
    // The event comes after the last output, unlike "exit".
    runner.once("close", forget);
    runner.on("error", (error) => {
      log(`The script runner failed: ${error.message}`);
      // A process that could not be started may emit no "close" event.
      if (runner.pid === undefined) forget();
    });
    runner.unref();
    runner.channel?.unref();
    runner.send({ kind: "settings", settings } satisfies ToRunner, () => {});
    return runner;
  }

  #send(message: ToRunner): void {
    this.#process?.channel?.ref();
    this.#process?.send(message, () => {});
  }

  #take(message: FromRunner): void {
    switch (message.kind) {
      case "ready": {
        const { isolation, refusals } = message.found;
        this.#isolationLimits =
          isolation === null
            ? [`Script checks cannot run here. ${refusals.join(" ")} ${isolationAdvice}`]
            : [];
        return;
      }
      case "step":
        this.#open.get(message.id)?.onStep?.(message.step);
        return;
      case "outcome":
        if (message.assets.length > 0) this.#open.get(message.id)?.onAssets?.(message.assets);
        this.#open.get(message.id)?.resolve(message.outcome);
        this.#open.delete(message.id);
        if (this.#open.size === 0) this.#process?.channel?.unref();
    }
  }

  #giveUp(message: string = interrupted.message): void {
    for (const { resolve } of this.#open.values()) resolve({ kind: "interrupted", message });
    this.#open.clear();
  }
}

const maxWrittenLength = 10_000;
const maxCauseLength = 500;

/** Describes why the runner ended: its last error, or else its signal or exit code. */
export function describeEnd(
  { exitCode, signalCode }: Pick<ChildProcess, "exitCode" | "signalCode">,
  written: string,
): string {
  const error = written
    .split("\n")
    .findLast((line) => /^(?:\w*Error|FATAL ERROR)\b.*: /.test(line));
  const end = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
  return `The process that runs scripts ended: ${error?.slice(0, maxCauseLength) ?? end}`;
}

const maxSnapshotBytes = 20 * 2 ** 20;

async function loadSnapshots(
  { snapshots = [] }: ScriptRequest,
  load: ScriptOrder["loadSnapshot"],
): Promise<readonly LoadedSnapshot[] | { readonly reason: string }> {
  const loaded: LoadedSnapshot[] = [];
  let bytes = 0;
  for (const { path, key } of snapshots) {
    const content = (await load?.(key)) ?? { reason: "This probe cannot load snapshots." };
    if ("reason" in content) return { reason: `The snapshot ${path}: ${content.reason}` };
    if (createHash("sha256").update(content).digest("hex") !== readDigest(key)) {
      return { reason: `The snapshot ${path} differs from its checksum.` };
    }
    bytes += content.length;
    if (bytes > maxSnapshotBytes) return { reason: "The snapshots are larger than 20 MiB." };
    loaded.push({ path, content });
  }
  return loaded;
}

/** Placeholder for the runtime and isolation of a suite whose engine is not supported. */
const nowhere = { runtime: { name: "" }, isolation: "" };

const interrupted = {
  kind: "interrupted",
  message: "The process that runs scripts ended.",
} as const;
