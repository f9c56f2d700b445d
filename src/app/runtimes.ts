import { join, resolve } from "node:path";
import { type Config, readEnvironment } from "../config.ts";
import { RuntimeInstaller } from "../kinds/scripts/runtimes/installer.ts";
import type { Log } from "../platform/log.ts";

/** Returns the folder of the runtimes of this machine. */
export function findRuntimesFolder({ DATA_DIR }: Pick<Config, "DATA_DIR">): string {
  return join(resolve(DATA_DIR), "runtimes");
}

/** Creates the installer of a server or probe. */
export function createRuntimeInstaller(
  config: Config,
  log: Log,
  environment = readEnvironment(),
): RuntimeInstaller {
  const runtimesFolder = findRuntimesFolder(config);
  return new RuntimeInstaller({ runtimesFolder, environment, log: (line) => log.info(line) });
}
