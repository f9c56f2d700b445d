import type { OnStep, Outcome } from "../../contract/result.ts";
import type { RunAsset } from "../assets.ts";
import type { SeenCertificate } from "../tls/tls-facts.ts";

/** A file beside the script. The path is relative, has slashes and no "..". */
export interface ScriptFile {
  readonly path: string;
  readonly content: string;
}

/** A picture that tests compare pages with. */
export interface Snapshot {
  /** Where the tests look for it, among the files of the script. */
  readonly path: string;
  /** Key of the uploaded file, which contains its SHA-256. */
  readonly key: string;
}

/** A project of Playwright tests that a run executes, in place of one script. */
export interface Suite {
  /** Key of the code, which contains its SHA-256; `null` if there is none yet. */
  readonly bundle: string | null;
  /** Packages are installed again when it changes. */
  readonly cacheHash: string;
  /** Arguments of `playwright test`. */
  readonly values: readonly string[];
  /** Path of the configuration in the working folder; `null` for the usual one. */
  readonly configPath: string | null;
  /** Folder of the project in which the tests run; empty for the topmost one. */
  readonly workingDir: string;
  readonly engine: "node" | "bun";
  /** `null` for the usual one. */
  readonly engineVersion: string | null;
}

/** The request of a script check, as a probe receives it. */
export interface ScriptRequest {
  /** `null` for the default runtime. */
  readonly runtime: string | null;
  readonly script: string;
  /** Path of the script among its dependencies; `null` if it has none. */
  readonly scriptPath: string | null;
  readonly dependencies: readonly ScriptFile[];
  /** The script is ended after this time. */
  readonly timeoutMs: number;
  /** Present if the script is a part of a check; otherwise it is the whole check. */
  readonly hook?: ScriptHook;
  /** Present if the run executes a suite of tests; then the script is empty. */
  readonly suite?: Suite;
  /** Present if tests compare pages with pictures. */
  readonly snapshots?: readonly Snapshot[];
  /** Present if the run also reads the certificate of this host, which may have a port. */
  readonly certificateDomain?: string;
}

/** Scripts that read and change values of a run. */
export interface ScriptHook {
  /** Paths of the scripts among script and dependencies, in the order in which they run. */
  readonly paths: readonly string[];
  /** Global variables of the scripts. */
  readonly globals: Readonly<Record<string, unknown>>;
}

export const stepCategories = ["test", "hook", "step", "expect", "api", "fixture"] as const;
export type StepCategory = (typeof stepCategories)[number];

export interface ScriptStep {
  readonly title: string;
  readonly category: StepCategory;
  /** Number of enclosing steps; 0 for a test. */
  readonly depth: number;
  /** Since the script started. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly error: string | null;
}

export interface ScriptError {
  /** Without ANSI colours. */
  readonly message: string;
  readonly stack: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface ScriptLog {
  /** Since the script started. */
  readonly atMs: number;
  readonly level: LogLevel;
  readonly text: string;
}

/** A host that the script connected to or tried to. */
export interface ScriptConnection {
  readonly host: string;
  readonly port: number;
  readonly count: number;
  /** Why the last attempt was denied; `null` if it was not. */
  readonly denial: string | null;
}

/** How a document appeared to its user, as Chromium measures it; `null` if it did not. */
export interface WebVitals {
  /** Time to the first byte of the response. */
  readonly ttfbMs: number | null;
  /** Time to the first contentful paint. */
  readonly fcpMs: number | null;
  /** Time to the largest contentful paint. */
  readonly lcpMs: number | null;
  /** Cumulative layout shift, a score. */
  readonly cls: number | null;
}

/** A request of a page that failed, or whose response has a status of 400 or more. */
export interface RequestError {
  readonly method: string;
  readonly url: string;
  /** `null` if there was no response. */
  readonly status: number | null;
  /** `null` if there was a response. */
  readonly error: string | null;
}

/** A document that a script opened in a browser. */
export interface ScriptPage {
  readonly url: string;
  /** When it was requested, since the script started. */
  readonly startMs: number;
  /** `null` if there was no response. */
  readonly status: number | null;
  readonly vitals: WebVitals;
  readonly consoleErrors: readonly string[];
  /** Uncaught errors of the scripts that it loads. */
  readonly pageErrors: readonly string[];
  readonly requestErrors: readonly RequestError[];
}

/** The certificate of the host that the check watches, or why it could not be read. */
export type WatchedCertificate =
  | SeenCertificate
  | { readonly host: string; readonly error: string };

export const scriptEnds = [
  "passed",
  "failed",
  "timed-out",
  "out-of-memory",
  "too-much-output",
  "too-many-processes",
  "crashed",
] as const;
/** How a script ended. */
export type ScriptEnd = (typeof scriptEnds)[number];

export interface ScriptMeasurement {
  readonly end: ScriptEnd;
  /** Without the preparation of the sandbox. */
  readonly durationMs: number;
  readonly cpuMs: number | null;
  /** The highest value during the run. */
  readonly memoryBytes: number | null;
  /** Name of the runtime that was used. */
  readonly runtime: string;
  /** Isolation tier of the sandbox. */
  readonly isolation: string;
  readonly steps: readonly ScriptStep[];
  readonly errors: readonly ScriptError[];
  readonly logs: readonly ScriptLog[];
  readonly connections: readonly ScriptConnection[];
  /** In the order of their requests; empty without a browser. */
  readonly pages: readonly ScriptPage[];
  /** Whether steps, errors, logs or connections are missing because there were too many. */
  readonly isCut: boolean;
  /** Present if the check watches a certificate. */
  readonly certificate?: WatchedCertificate;
  /**
   * Only of a hook that passed: its global variables as JSON, and changed variables of its
   * environment in `environment`. Not validated.
   */
  readonly values?: unknown;
}

/** Limits of a measurement. The runner cuts what exceeds them, and a kind accepts nothing else. */
export const scriptLimits = {
  steps: 200,
  titleLength: 300,
  stepErrorLength: 1_000,
  depth: 10,
  errors: 10,
  errorLength: 2_000,
  stackLength: 2_000,
  pathLength: 300,
  logs: 500,
  logLength: 10_000,
  logsLength: 65_536,
  connections: 50,
  hostLength: 255,
  denialLength: 300,
  valuesLength: 2_097_152,
  pages: 50,
  pageErrors: 20,
  pageTextLength: 500,
  methodLength: 20,
} as const;

export interface ScriptOrder {
  readonly runId: string;
  /** Accounts share the runner fairly. */
  readonly accountId: string;
  readonly request: ScriptRequest;
  /** Whether the script may start a browser, which needs more memory. */
  readonly usesBrowser?: boolean;
  /** Environment variables of the script: those of account, group and check. */
  readonly variables: Readonly<Record<string, string>>;
  readonly deadlineAtMs: number;
  /** Loads the code of a suite; returns why that is not possible, as a sentence. */
  readonly loadCode?: () => Promise<Buffer | { readonly reason: string }>;
  /** Loads a snapshot in the same way. */
  readonly loadSnapshot?: (key: string) => Promise<Buffer | { readonly reason: string }>;
}

/** Receives the files of a run, before its outcome. Not called if there are none. */
export type OnAssets = (assets: readonly RunAsset[]) => void;

/** Runs scripts in sandboxes. */
export interface ScriptRunner {
  /** A script that fails or is ended by a limit is a measurement. */
  run(
    order: ScriptOrder,
    onStep?: OnStep,
    onAssets?: OnAssets,
  ): Promise<Outcome<ScriptMeasurement>>;
  /** What cannot run on this machine, why, and the command that fixes it. */
  listLimitations(): readonly string[];
  close(): Promise<void>;
}
