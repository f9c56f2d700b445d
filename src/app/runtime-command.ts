import type { Config } from "../config.ts";
import { installRuntime, removeRuntime } from "../sandbox/runtimes/install.ts";
import { formatProgress, RuntimeInstaller } from "../sandbox/runtimes/installer.ts";
import { chromiumName, titleOf } from "../sandbox/runtimes/packages.ts";
import { runtimes } from "../sandbox/runtimes/runtime.ts";
import type { InstallProgress } from "../sandbox/runtimes/workspace.ts";
import { findRuntimesFolder } from "./runtimes.ts";

interface RuntimeRequest {
  readonly config: Config;
  /** Environment variables of npm. `PATH` and npm's own variables determine which npm is used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly names: readonly string[];
  readonly json: boolean;
}

interface Terminal {
  readonly write: (line: string) => void;
  readonly error: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly signal: AbortSignal;
}

const inMb = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;

/**
 * Writes progress. On a terminal, updates a single line. On other outputs, writes a line for each
 * phase and for each tenth of the packages.
 */
function createProgressWriter(name: string, { error }: Terminal) {
  let last = "";
  return {
    show: (progress: InstallProgress) => {
      const { phase, packagesDone, packagesTotal } = progress;
      const text = `${name}: ${formatProgress(progress)}`;
      const key = error.isTTY
        ? text
        : `${phase} ${Math.floor((10 * packagesDone) / packagesTotal)}`;
      if (key === last) return;
      last = key;
      error.write(error.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end: () => void (error.isTTY && error.write("\r\u001b[K")),
  };
}

async function install(request: RuntimeRequest, terminal: Terminal): Promise<void> {
  const { environment, names } = request;
  for (const name of names) {
    const progress = createProgressWriter(name, terminal);
    const { sizeBytes, nodeVersion, packageCount } = await installRuntime(name, {
      ...{
        runtimesFolder: findRuntimesFolder(request.config),
        environment,
        signal: terminal.signal,
      },
      onProgress: progress.show,
    }).finally(progress.end);
    const version = name === chromiumName ? nodeVersion : `Node.js ${nodeVersion}`;
    const what = `${packageCount} packages, ${version}, ${inMb(sizeBytes)}`;
    terminal.write(`${titleOf(name)} is installed: ${what}.`);
  }
}

async function list(request: RuntimeRequest, { write }: Terminal): Promise<void> {
  const { environment, json } = request;
  const runtimesFolder = findRuntimesFolder(request.config);
  const installer = new RuntimeInstaller({ runtimesFolder, environment, log: () => {} });
  const listed = runtimes.map(({ name, stage }) => ({ name, stage, ...installer.describe(name) }));
  if (json) return write(JSON.stringify(listed, null, 2));
  for (const { name, stage, ...status } of listed) {
    const { state } = status;
    const detail =
      state === "installed"
        ? `Node.js ${status.installation.nodeVersion}, ${inMb(status.installation.sizeBytes)}`
        : state === "installing"
          ? formatProgress(status.progress)
          : status.message;
    write(`${name}  ${stage.toLowerCase().padEnd(8)}  ${state.padEnd(10)}  ${detail}`);
  }
}

async function remove(request: RuntimeRequest, { write }: Terminal): Promise<void> {
  for (const name of request.names) {
    const wasInstalled = await removeRuntime(name, {
      runtimesFolder: findRuntimesFolder(request.config),
    });
    write(`${titleOf(name)} ${wasInstalled ? "was removed" : "is not installed"}.`);
  }
}

type Task = (request: RuntimeRequest, terminal: Terminal) => Promise<void>;

/** Subcommands of `vedette runtime`, by name. */
export const runtimeTasks: Readonly<Record<string, Task>> = { install, list, remove };
