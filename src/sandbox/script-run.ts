import type { OnStep, Outcome } from "../contract/result.ts";
import type { RunAsset } from "../contract/run-asset.ts";
import type { SeenCertificate } from "../contract/seen-certificate.ts";

/** A file beside the script. The path is relative, uses slashes and contains no "..". */
export interface ScriptFile {
  readonly path: string;
  readonly content: string;
}

/** A reference image that tests compare with screenshots of pages. */
export interface Snapshot {
  /** Path at which the tests expect the image, relative to the script's folder. */
  readonly path: string;
  /** Key of the uploaded image. The key contains the SHA-256 of the image. */
  readonly key: string;
}

/** A project of Playwright tests that a run executes instead of a single script. */
export interface Suite {
  /**
   * Key of the uploaded code; `null` if no code was uploaded yet. The key contains the SHA-256 of
   * the code.
   */
  readonly bundle: string | null;
  /** Value whose change forces a new installation of the packages. */
  readonly cacheHash: string;
  /** Additional arguments of `playwright test`. */
  readonly values: readonly string[];
  /** Path of the configuration, relative to the working folder; `null` for the default name. */
  readonly configPath: string | null;
  /** Folder of the project in which the tests run; empty for the top folder. */
  readonly workingDir: string;
  readonly engine: "node" | "bun";
  /**
   * Requested version of the program that executes the suite, Node.js or Bun; `null` for the
   * default version.
   */
  readonly engineVersion: string | null;
}

/** The request of a script check, as a probe receives it. */
export interface ScriptRequest {
  /** Name of the runtime; `null` for the default runtime. */
  readonly runtime: string | null;
  readonly script: string;
  /** Path of the script in the folder tree of its dependencies; `null` if it has no path. */
  readonly scriptPath: string | null;
  readonly dependencies: readonly ScriptFile[];
  readonly timeoutMs: number;
  /** Present if the script is a hook, which supplements another check. */
  readonly hook?: ScriptHook;
  /** Test suite to execute. If present, `script` is empty. */
  readonly suite?: Suite;
  /** Reference images, present if tests compare pages with images. */
  readonly snapshots?: readonly Snapshot[];
  /** Host, optionally with a port, whose certificate the run also reads. */
  readonly certificateDomain?: string;
}

/** A hook: setup or teardown scripts that can read and change variables for another check. */
export interface ScriptHook {
  /**
   * Paths of the hook's scripts, in the order of execution. Each path is `scriptPath` or the path
   * of a dependency.
   */
  readonly paths: readonly string[];
  /** Global variables that the scripts can read and change. */
  readonly globals: Readonly<Record<string, unknown>>;
}

export const stepCategories = ["test", "hook", "step", "expect", "api", "fixture"] as const;
export type StepCategory = (typeof stepCategories)[number];

export interface ScriptStep {
  readonly title: string;
  readonly category: StepCategory;
  /** Number of enclosing steps; 0 for a test. */
  readonly depth: number;
  /** Start of the step, in milliseconds after the start of the script. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly error: string | null;
}

export interface ScriptError {
  /** Error message without ANSI colours. */
  readonly message: string;
  readonly stack: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface ScriptLog {
  /** Time of the entry, in milliseconds after the start of the script. */
  readonly atMs: number;
  readonly level: LogLevel;
  readonly text: string;
}

/** A host to which the script connected or tried to connect. */
export interface ScriptConnection {
  readonly host: string;
  readonly port: number;
  readonly count: number;
  /** Why the last connection attempt was denied; `null` if it was allowed. */
  readonly denial: string | null;
}

/**
 * Web vitals of a page as Chromium measured them: how fast and how stable the page appeared.
 * Missing values are `null`.
 */
export interface WebVitals {
  /** Time to the first byte of the response. */
  readonly ttfbMs: number | null;
  /** Time to the first contentful paint. */
  readonly fcpMs: number | null;
  /** Time to the largest contentful paint. */
  readonly lcpMs: number | null;
  /** Cumulative layout shift, a score without a unit. */
  readonly cls: number | null;
}

/** A request of a page that failed or received a status of 400 or more. */
export interface RequestError {
  readonly method: string;
  readonly url: string;
  /** Status of the response; `null` if there was no response. */
  readonly status: number | null;
  /** Error of the request; `null` if there was a response. */
  readonly error: string | null;
}

/** A document that a script opened in a browser. */
export interface ScriptPage {
  readonly url: string;
  /** Time of the request, in milliseconds after the start of the script. */
  readonly startMs: number;
  /** Status of the response; `null` if there was no response. */
  readonly status: number | null;
  readonly vitals: WebVitals;
  readonly consoleErrors: readonly string[];
  /** Uncaught errors of the page's scripts. */
  readonly pageErrors: readonly string[];
  readonly requestErrors: readonly RequestError[];
}

/** The certificate of the host that the check watches, or the reason why it could not be read. */
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
export type ScriptEnd = (typeof scriptEnds)[number];

export interface ScriptMeasurement {
  readonly end: ScriptEnd;
  /** Duration of the script, without the time to prepare the sandbox. */
  readonly durationMs: number;
  readonly cpuMs: number | null;
  /** Peak memory of the run. */
  readonly memoryBytes: number | null;
  /** Name of the runtime that the run used. */
  readonly runtime: string;
  /** Isolation tier of the sandbox. */
  readonly isolation: string;
  readonly steps: readonly ScriptStep[];
  readonly errors: readonly ScriptError[];
  readonly logs: readonly ScriptLog[];
  readonly connections: readonly ScriptConnection[];
  /** Pages that the script opened, in the order of their requests; empty without a browser. */
  readonly pages: readonly ScriptPage[];
  /** Whether steps, errors, logs, pages or connections are missing because a limit was reached. */
  readonly isCut: boolean;
  /** Certificate of the watched host, present if the check watches a certificate. */
  readonly certificate?: WatchedCertificate;
  /**
   * Values from a hook that passed: the global variables and, in the field `environment`, the
   * changed environment variables. Not validated; `null` if they are not valid JSON. Absent for
   * other runs.
   */
  readonly values?: unknown;
}

/**
 * Limits of a measurement. The runner truncates data to these limits, and a kind rejects
 * measurements that exceed a limit.
 */
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
  /** Account of the check, which the runner uses to share its capacity fairly between accounts. */
  readonly accountId: string;
  readonly request: ScriptRequest;
  /** Whether the script can start a browser, which requires more memory. */
  readonly usesBrowser?: boolean;
  /** Environment variables of the script, merged from account, group and check. */
  readonly variables: Readonly<Record<string, string>>;
  readonly deadlineAtMs: number;
  /** Loads the code of a suite, or returns a sentence that explains why it is not available. */
  readonly loadCode?: () => Promise<Buffer | { readonly reason: string }>;
  /** Loads a reference image, or returns a sentence that explains why it is not available. */
  readonly loadSnapshot?: (key: string) => Promise<Buffer | { readonly reason: string }>;
}

/**
 * Receives the files of a run before the outcome of the run. Not called for a run without files.
 */
export type OnAssets = (assets: readonly RunAsset[]) => void;

/** Runs scripts in sandboxes. */
export interface ScriptRunner {
  /** Runs a script. If the script fails or exceeds a limit, the outcome is still a measurement. */
  run(
    order: ScriptOrder,
    onStep?: OnStep,
    onAssets?: OnAssets,
  ): Promise<Outcome<ScriptMeasurement>>;
  /** Lists what cannot run on this machine, with the reason and a solution. */
  listLimitations(): readonly string[];
  close(): Promise<void>;
}
