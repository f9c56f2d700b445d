import type { Outcome, RunStep } from "../../contract/result.ts";
import type { RunAsset } from "../../contract/run-asset.ts";
import type { ReachRules } from "../../platform/net/reach.ts";
import type { Browser } from "../browsers.ts";
import type { Isolation } from "../isolation/sandbox.ts";
import type { InstalledRuntime } from "../runtimes/installed.ts";
import type { SandboxNpm } from "../runtimes/npm.ts";
import type { ScriptMeasurement, ScriptOrder } from "../script-run.ts";
import type { FoundIsolation } from "./isolation.ts";

/** A reference image that tests compare with screenshots of pages. */
export interface LoadedSnapshot {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Messages between a probe and its runner process. All messages contain only plain data. */

export interface RunnerSettings {
  readonly reach: ReachRules;
  /**
   * File with additional certificate authorities for scripts. Ignored unless all users can read the
   * file.
   */
  readonly authorities?: string;
  /** DNS servers to use instead of the servers that the system configures. */
  readonly nameServers?: readonly string[];
  /**
   * Folder for compiled code of runtimes. Without this folder, every script compiles its packages.
   */
  readonly cacheFolder?: string;
  /** Folder for code and packages of test suites. Without this folder, suites do not run. */
  readonly suitesFolder?: string;
  /** npm, which installs packages of suites; `null` if this machine has no npm. */
  readonly npm?: SandboxNpm | null;
  /**
   * Memory limit of a script without a browser. The limit of a suite, or of a script with a
   * browser, is a multiple of this value.
   */
  readonly memoryBytes: number;
  /** Maximum number of parallel scripts; `null` to derive the number from cores and memory. */
  readonly concurrency: number | null;
  /** Isolation tiers that the operator allows, the strongest first. */
  readonly isolations: readonly Isolation[];
}

export type ToRunner =
  | { readonly kind: "settings"; readonly settings: RunnerSettings }
  | {
      readonly kind: "run";
      readonly id: number;
      readonly order: ScriptOrder;
      readonly runtime: InstalledRuntime;
      /** Browser for the script; `null` if the script uses no browser. */
      readonly browser: Browser | null;
      readonly isWatched: boolean;
      /** Code of a suite; `null` if the runner already has the code or needs none. */
      readonly code: Buffer | null;
      readonly snapshots: readonly LoadedSnapshot[];
    };

export type FromRunner =
  | { readonly kind: "ready"; readonly found: FoundIsolation }
  | { readonly kind: "step"; readonly id: number; readonly step: RunStep }
  | {
      readonly kind: "outcome";
      readonly id: number;
      readonly outcome: Outcome<ScriptMeasurement>;
      readonly assets: readonly RunAsset[];
    };
