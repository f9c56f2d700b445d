import type { Outcome, RunStep } from "../../../contract/result.ts";
import type { RunAsset } from "../../assets.ts";
import type { ReachRules } from "../../network/reach.ts";
import type { Browser } from "../browsers.ts";
import type { InstalledRuntime } from "../runtimes/installed.ts";
import type { SandboxNpm } from "../runtimes/npm.ts";
import type { Isolation } from "../sandbox/sandbox.ts";
import type { ScriptMeasurement, ScriptOrder } from "../script-run.ts";
import type { FoundIsolation } from "./isolation.ts";

/** A picture that tests compare pages with. */
export interface LoadedSnapshot {
  readonly path: string;
  readonly content: Uint8Array;
}

/** What passes between a probe and its runner process. Plain data. */

export interface RunnerSettings {
  readonly reach: ReachRules;
  /**
   * File with certificates of authorities that scripts trust besides the usual ones. Those that not
   * everyone can read are ignored.
   */
  readonly authorities?: string;
  /** DNS servers instead of those of the system. */
  readonly nameServers?: readonly string[];
  /** Folder for compiled code of runtimes; without one, every script compiles it. */
  readonly cacheFolder?: string;
  /** Folder for code and packages of suites; without one, suites do not run. */
  readonly suitesFolder?: string;
  /** Installs packages of suites; `null` if this machine has none. */
  readonly npm?: SandboxNpm | null;
  /** Memory limit of one script. */
  readonly memoryBytes: number;
  /** Scripts at the same time; `null` to decide by the machine. */
  readonly concurrency: number | null;
  /** Those that may be used, the strongest first. */
  readonly isolations: readonly Isolation[];
}

export type ToRunner =
  | { readonly kind: "settings"; readonly settings: RunnerSettings }
  | {
      readonly kind: "run";
      readonly id: number;
      readonly order: ScriptOrder;
      readonly runtime: InstalledRuntime;
      /** `null` if the script uses none. */
      readonly browser: Browser | null;
      readonly isWatched: boolean;
      /** Code of a suite; `null` if the runner has it. */
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
