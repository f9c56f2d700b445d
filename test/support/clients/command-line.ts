/** Runs the public command line, unmodified, against a server. */
import { execFile, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dirname, "..", "..", "clients", "command-line");
const version = "9.5.0";

const cache = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache");
/** Installed once for all runs; `COMMAND_LINE_DIR` names an existing installation. */
const folder = process.env.COMMAND_LINE_DIR ?? join(cache, `command-line-${version}`);
const entry = join(folder, "node_modules", "checkly", "bin", "run.cjs");

/** Returns why the command line cannot run; `false` if it can. */
export function findCommandLineLack(): string | false {
  if (existsSync(entry)) return false;
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    cpSync(join(source, file), join(folder, file));
  }
  const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"];
  const installed = spawnSync("npm", options, { cwd: folder, timeout: 120_000 });
  if (installed.status === 0 && existsSync(entry)) return false;
  return `checkly@${version} could not be installed: the package registry is not reachable`;
}

export interface CommandLineRun {
  readonly code: number;
  readonly output: string;
}

/** Copies the sample project, because the command line resolves its own package from there. */
export function copySampleProject(target: string): void {
  cpSync(join(source, "project"), target, { recursive: true });
  symlinkSync(join(folder, "node_modules"), join(target, "node_modules"));
}

export function runCommandLine(
  about: {
    readonly url: string;
    readonly key: string;
    readonly accountId: string;
    readonly project: string;
    readonly variables?: Readonly<Record<string, string>>;
  },
  list: readonly string[],
): Promise<CommandLineRun> {
  const { PATH = "", HOME = "" } = process.env;
  const env = {
    ...{ PATH, HOME },
    CHECKLY_ENV: "local",
    CHECKLY_API_URL: about.url,
    CHECKLY_MQTT_URL: "ws://127.0.0.1:1",
    CHECKLY_API_KEY: about.key,
    CHECKLY_ACCOUNT_ID: about.accountId,
    CHECKLY_NO_DOTENV: "1",
    CHECKLY_SKIP_NEW_VERSION_CHECK: "true",
    CHECKLY_CLI_MODE: "interactive",
    NO_COLOR: "1",
    ...about.variables,
  };
  return new Promise((resolve) => {
    const options = { cwd: about.project, env, timeout: 120_000 };
    execFile(process.execPath, [entry, ...list], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}
