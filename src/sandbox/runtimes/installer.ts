import { ExplainedError } from "../../platform/errors.ts";
import type { DownloadedBrowser } from "../browsers.ts";
import { type InstallOptions, installRuntime } from "./install.ts";
import {
  findRuntime,
  type Installation,
  type InstalledRuntime,
  readInstallation,
} from "./installed.ts";
import {
  chromiumName,
  explainUninstallable,
  findPackages,
  resolveName,
  titleOf,
} from "./packages.ts";
import { type InstallProgress, readProgress } from "./workspace.ts";

/** Whether a runtime can be used on this machine. */
export type RuntimeStatus =
  | { readonly state: "installed"; readonly installation: Installation }
  | { readonly state: "installing"; readonly progress: InstallProgress }
  | {
      readonly state: "missing" | "failed";
      readonly message: string;
      readonly canInstall: boolean;
    };

interface Failure {
  readonly message: string;
  readonly atMs: number;
}

export interface InstallerOptions
  extends Pick<InstallOptions, "runtimesFolder" | "environment" | "lists"> {
  readonly log: (line: string) => void;
  readonly nowMs?: () => number;
}

/**
 * Time after a failed installation of a runtime during which runs that need the runtime do not
 * start another installation.
 */
const retryAfterMs = 600_000;

const waiting: InstallProgress = { phase: "waiting", packagesDone: 0, packagesTotal: 0 };

/** Formats the progress of an installation as a part of a sentence. */
export function formatProgress({ phase, packagesDone, packagesTotal }: InstallProgress): string {
  if (phase === "waiting") return "waiting for another installation";
  if (phase === "finishing") return "almost complete";
  return `${packagesDone} of ${packagesTotal} packages`;
}

/** Installs runtimes in the background, one at a time. Each server or probe has one installer. */
export class RuntimeInstaller {
  readonly #options: InstallerOptions;
  readonly #nowMs: () => number;
  readonly #stopping = new AbortController();
  readonly #progress = new Map<string, InstallProgress>();
  readonly #failures = new Map<string, Failure>();
  #work: Promise<void> = Promise.resolve();

  constructor(options: InstallerOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** Returns the status of a runtime, including an installation by another process. */
  describe(name: string): RuntimeStatus {
    const { runtimesFolder, lists } = this.#options;
    const found = findRuntime(runtimesFolder, name, lists);
    const installation = readInstallation(runtimesFolder, name);
    if ("folder" in found && installation !== null) return { state: "installed", installation };
    const progress = this.#progress.get(name) ?? readProgress(runtimesFolder, name);
    if (progress !== null) return { state: "installing", progress };
    const message = this.#failures.get(name)?.message;
    if (message !== undefined) return { state: "failed", message, canInstall: true };
    const canInstall = explainUninstallable(name, lists) === null;
    return { state: "missing", message: "reason" in found ? found.reason : "", canInstall };
  }

  /**
   * Starts an installation, unless the runtime is already installed, is being installed by this
   * process, or cannot be installed.
   */
  start(name: string): void {
    const { state } = this.describe(name);
    const isPossible = explainUninstallable(name, this.#options.lists) === null;
    if (state === "installed" || this.#progress.has(name) || !isPossible) return;
    this.#failures.delete(name);
    this.#progress.set(name, this.#progress.size > 0 ? waiting : this.#describeStart(name));
    this.#work = this.#work.then(() => this.#install(name));
  }

  #describeStart(name: string): InstallProgress {
    const { paths = [] } = findPackages(name, this.#options.lists) ?? {};
    return { phase: "packages", packagesDone: 0, packagesTotal: paths.length };
  }

  /**
   * Returns a runtime for a run, or a sentence that explains why the run cannot start. If the
   * runtime is missing, starts its installation; later runs use the runtime when the installation
   * is complete. Call this method before each run: for an installed runtime it only reads two small
   * files.
   */
  ensureInstalled(requested: string | null): InstalledRuntime | { readonly reason: string } {
    const { runtimesFolder, lists } = this.#options;
    const found = findRuntime(runtimesFolder, requested, lists);
    if ("folder" in found) return found;
    const name = resolveName(requested);
    if (explainUninstallable(name, lists) !== null) return found;
    const failure = this.#failures.get(name);
    const waitMs = (failure?.atMs ?? 0) + retryAfterMs - this.#nowMs();
    if (failure !== undefined && waitMs > 0) {
      const minutes = Math.ceil(waitMs / 60_000);
      return { reason: `${failure.message} The next attempt is in ${minutes} min.` };
    }
    this.start(name);
    const progress = formatProgress(this.#progress.get(name) ?? waiting);
    return { reason: `${titleOf(name)} is being installed: ${progress}. Runs start afterwards.` };
  }

  /** The browser that npm installs on machines without a browser. */
  readonly browser: DownloadedBrowser = {
    find: () => {
      const found = findRuntime(this.#options.runtimesFolder, chromiumName, this.#options.lists);
      return "reason" in found ? null : found.nodePath;
    },
    explainMissing: () => {
      if (explainUninstallable(chromiumName, this.#options.lists) !== null) return null;
      const found = this.ensureInstalled(chromiumName);
      return "reason" in found ? found.reason : null;
    },
  };

  /** Lists the reasons why runtimes or browsers could not be installed, as sentences. */
  listLimitations(): readonly string[] {
    return [...this.#failures.values()].map(({ message }) => message);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  async #install(name: string): Promise<void> {
    const { log, ...options } = this.#options;
    const { signal } = this.#stopping;
    try {
      signal.throwIfAborted();
      log(`installing runtime ${name}`);
      const onProgress = (progress: InstallProgress) => void this.#progress.set(name, progress);
      await installRuntime(name, { ...options, signal, onProgress });
      log(`installed runtime ${name}`);
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof ExplainedError ? error.message : String(error);
      this.#failures.set(name, {
        message: `${titleOf(name)} is not installed. ${message}`,
        atMs: this.#nowMs(),
      });
      log(`runtime ${name} was not installed: ${message}`);
    } finally {
      this.#progress.delete(name);
    }
  }
}
