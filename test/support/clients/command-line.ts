/** Runs the public command-line tool, unmodified, against a server. */
import { execFile, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { waitUntil } from "../time/wait-until.ts";

const source = join(import.meta.dirname, "..", "..", "clients", "command-line");
const version = "9.5.0";

const cache = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache");
/**
 * Folder of the installed tool, which all test runs share. `COMMAND_LINE_DIR` can name an existing
 * installation.
 */
const folder = process.env.COMMAND_LINE_DIR ?? join(cache, `command-line-${version}`);
const entry = join(folder, "node_modules", "checkly", "bin", "run.cjs");
const lock = join(folder, "installing");
const lack = `checkly@${version} could not be installed: the package registry is not reachable`;

/** Whether the process that holds the installation lock is alive. */
function isLocked(): boolean {
  try {
    return process.kill(Number(readFileSync(lock, "utf8")), 0);
  } catch {
    return false;
  }
}

/**
 * Returns why the tool cannot run, or `false` if it can. If several test files call this, only one
 * of them installs the tool.
 */
export async function findCommandLineLack(): Promise<string | false> {
  await waitUntil("the command line is installed by another test file", () => !isLocked());
  if (existsSync(entry)) return false;
  mkdirSync(folder, { recursive: true });
  rmSync(lock, { force: true });
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
  } catch {
    return findCommandLineLack();
  }
  try {
    return install();
  } finally {
    rmSync(lock, { force: true });
  }
}

function install(): string | false {
  for (const file of ["package.json", "package-lock.json"]) {
    cpSync(join(source, file), join(folder, file));
  }
  const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"];
  const installed = spawnSync("npm", options, { cwd: folder, timeout: 120_000 });
  return installed.status === 0 && existsSync(entry) ? false : lack;
}

export interface CommandLineRun {
  readonly code: number;
  readonly output: string;
}

/**
 * Links the installed tool into a project folder, because the project resolves the package from
 * there.
 */
export function linkCommandLine(project: string): void {
  symlinkSync(join(folder, "node_modules"), join(project, "node_modules"));
}

export function copySampleProject(target: string): void {
  cpSync(join(source, "project"), target, { recursive: true });
  linkCommandLine(target);
}

export interface CommandLineUser {
  readonly url: string;
  readonly key: string;
  readonly accountId: string;
  readonly project: string;
  readonly variables?: Readonly<Record<string, string>>;
}

function buildOptions(user: CommandLineUser) {
  const { PATH = "", HOME = "" } = process.env;
  const env = {
    ...{ PATH, HOME },
    CHECKLY_ENV: "local",
    CHECKLY_API_URL: user.url,
    CHECKLY_MQTT_URL: user.url.replace(/^http/, "ws"),
    CHECKLY_API_KEY: user.key,
    CHECKLY_ACCOUNT_ID: user.accountId,
    CHECKLY_NO_DOTENV: "1",
    CHECKLY_SKIP_NEW_VERSION_CHECK: "true",
    CHECKLY_CLI_MODE: "interactive",
    NO_COLOR: "1",
    ...user.variables,
  };
  return { cwd: user.project, env, timeout: 120_000 };
}

export function runCommandLine(
  user: CommandLineUser,
  list: readonly string[],
): Promise<CommandLineRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entry, ...list], buildOptions(user), (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}

/**
 * Runs several commands one after the other in one process, which costs much less than a process
 * per command.
 */
export async function runCommands(
  user: CommandLineUser,
  commands: readonly (readonly string[])[],
): Promise<CommandLineRun[]> {
  const session = join(import.meta.dirname, "command-session.ts");
  const child = spawn(process.execPath, [session, entry, JSON.stringify(commands)], {
    ...buildOptions(user),
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [, , errors, results] = child.stdio;
  if (errors === null || !(results instanceof Readable)) throw new Error("no pipes");
  const [problem, answer] = await Promise.all([text(errors), text(results)]);
  if (answer === "") throw new Error(`the session of commands ended early: ${problem}`);
  return JSON.parse(answer);
}
