import { join, resolve } from "node:path";
import type { RuntimesContext } from "../checks/runtimes/index.ts";
import { type Config, readEnvironment } from "../config.ts";
import type { Log } from "../platform/log.ts";
import { describeMachine, rememberMachine } from "../sandbox/machine.ts";
import { RuntimeInstaller } from "../sandbox/runtimes/installer.ts";
import type { AppTools, Foundation } from "./foundation.ts";
import type { Started } from "./started.ts";

/** Returns the folder in which this machine installs runtimes. */
export function findRuntimesFolder({ DATA_DIR }: Pick<Config, "DATA_DIR">): string {
  return join(resolve(DATA_DIR), "runtimes");
}

/** Creates the installer of runtimes for a server or a probe. */
export function createRuntimeInstaller(
  config: Config,
  log: Log,
  environment = readEnvironment(),
): RuntimeInstaller {
  const runtimesFolder = findRuntimesFolder(config);
  return new RuntimeInstaller({ runtimesFolder, environment, log: (line) => log.info(line) });
}

/** Creates the dependencies of the routes for runtimes. */
export function createRuntimes(
  config: Config,
  started: Started,
  { db, clock, log }: Foundation,
  tools: AppTools,
): RuntimesContext {
  const installer = createRuntimeInstaller(config, log, tools.npmEnvironment);
  started.add(() => installer.stop());
  const describe =
    tools.describeMachine ?? (() => describeMachine(config, findRuntimesFolder(config)));
  const runsChecks = config.BUILT_IN_PROBE === "true";
  return { db, clock, installer, describeMachine: runsChecks ? rememberMachine(describe) : null };
}
