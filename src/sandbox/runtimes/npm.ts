import { spawn } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { constants as osConstants, setPriority } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { ExplainedError, readCode } from "../../platform/errors.ts";
import type { Environment } from "../../platform/setting-parsers.ts";

export type { Environment };

/** Command that runs npm: a program and the arguments that precede the arguments of npm. */
export interface Npm {
  readonly program: string;
  readonly leading: readonly string[];
}

/**
 * Returns the command for the npm at a path. If npm is a script, the Node.js of this process runs
 * it, because the version of that Node.js is known.
 */
function toNpm(path: string): Npm {
  return path.endsWith(".js")
    ? { program: process.execPath, leading: [path] }
    : { program: path, leading: [] };
}

function findOnPath(name: string, path: string): string | null {
  for (const folder of path.split(delimiter).filter((one) => one !== "")) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return realpathSync(join(folder, name));
    } catch {}
  }
  return null;
}

/** Finds the npm that started this process, or the npm in PATH; `null` if there is none. */
export function findNpm({ npm_execpath: started = "", PATH: path = "" }: Environment): Npm | null {
  // Yarn and pnpm also set this variable, so the file name must be the name of npm's script.
  if (/[\\/]npm-cli\.js$/.test(started)) return toNpm(started);
  const found = findOnPath("npm", path);
  return found === null ? null : toNpm(found);
}

/** Files and settings of npm that a sandbox can use. */
export interface SandboxNpm {
  /** Folder of the npm package. */
  readonly folder: string;
  /** Path of npm's script, relative to the folder of the package. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  /** File with certificate authorities for the registry; `null` if npm has no such setting. */
  readonly authorities: string | null;
}

/**
 * Finds npm for a sandbox; `null` if npm is missing or is not a script. Passes only two settings to
 * the sandbox: the address of the registry without its password, and the file of certificate
 * authorities.
 */
export function findSandboxNpm(environment: Environment): SandboxNpm | null {
  const [script] = findNpm(environment)?.leading ?? [];
  if (script === undefined) return null;
  const folder = dirname(dirname(script));
  const registry = URL.parse(environment.npm_config_registry ?? "");
  if (registry !== null) [registry.username, registry.password] = ["", ""];
  return {
    folder,
    script: relative(folder, script),
    environment: registry === null ? {} : { npm_config_registry: registry.href },
    authorities: environment.npm_config_cafile || null,
  };
}

const passed = new Set([
  ...["PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NPM_TOKEN"],
]);

/**
 * Code that npm loads, so that npm exits when this process ends, even if this process is killed.
 */
const endWithParent = encodeURIComponent(
  "process.on('disconnect', () => process.exit(1)); process.channel?.unref();",
);

/** Selects the environment variables for npm, without settings and secrets of the server. */
export function selectEnvironment(environment: Environment): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const isNeeded = passed.has(name.toUpperCase()) || /^npm_config_/i.test(name);
    if (isNeeded && value !== undefined) selected[name] = value;
  }
  // Removes `npm_config_local_prefix`. If npm started this process, the variable contains the
  // project folder of that npm. The npm that this process starts has another project folder.
  delete selected.npm_config_local_prefix;
  return {
    ...selected,
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
    NODE_OPTIONS: `--import=data:text/javascript,${endWithParent}`,
  };
}

const networkCodes = new Set([
  ...["EAI_AGAIN", "ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EPIPE", "EPROTO", "ESOCKETTIMEDOUT", "ETIMEDOUT", "FETCH_ERROR"],
]);

function isNetworkCode(code: string): boolean {
  return networkCodes.has(code) || /^E5\d\d$|^ERR_|CERT|SIGNATURE/.test(code);
}

interface Failure {
  readonly name: string;
  readonly folder: string;
  readonly output: string;
  /** How the process ended. Used if npm wrote no error message. */
  readonly end: string;
}

/** Reads the error code and the first descriptive line from the output of npm. */
export function readNpmError({ output, end }: Pick<Failure, "output" | "end">) {
  const lines = output.split("\n").map((line) => line.replace(/^npm (?:error|ERR!) ?/, ""));
  const code = lines.find((line) => /^code \S+$/.test(line))?.slice("code ".length) ?? "";
  const isDetail = (line: string) =>
    line.trim() !== "" && !/^(?:code|errno|syscall|path|cwd|network|npm warn)\b/.test(line);
  const detail = (lines.find(isDetail)?.trim() ?? end).slice(0, 300);
  return { code, says: detail.replace(/[.\s]+$/, ""), isNetwork: isNetworkCode(code) };
}

/** Explains why npm failed, based on its error output, as a sentence with advice. */
export function explainNpmFailure({ name, folder, output, end }: Failure): string {
  const { code, says, isNetwork } = readNpmError({ output, end });
  if (code === "ENOSPC" || /ENOSPC/.test(output)) {
    return `The disk of ${folder} is full: free some space and install runtime ${name} again.`;
  }
  if (code === "ENOTCACHED") {
    return `npm is offline and its cache lacks packages of runtime ${name} (${says}): unset npm_config_offline, or install while the npm registry can be reached.`;
  }
  if (["EACCES", "EPERM", "EROFS"].includes(code)) {
    return `npm cannot write (${says}): make ${folder} and npm's cache writable for this user.`;
  }
  if (code === "EINTEGRITY") {
    return `A package differs from its checksum (${says}): run \`npm cache verify\`, and make sure that the npm registry serves unchanged packages.`;
  }
  if (["E404", "ETARGET", "E401", "E403"].includes(code)) {
    return `The npm registry does not provide a package of runtime ${name} (${says}): check npm_config_registry.`;
  }
  if (["EUSAGE", "EJSONPARSE", "EINVALIDPACKAGENAME"].includes(code)) {
    return `The package list of runtime ${name} is damaged (${says}): restore the folder runtimes/${name} of this version of Vedette.`;
  }
  if (isNetwork) {
    return `The npm registry cannot be reached: ${says}. Check the network, HTTPS_PROXY and npm_config_registry, then install runtime ${name} again.`;
  }
  const hint = /SIG(?:KILL|ABRT)|heap out of memory/.test(end + output)
    ? " The machine may lack memory: npm needs about 1 GB."
    : "";
  return `npm failed (${end}): ${says}.${hint}`;
}

const maxOutput = 65_536;
const maxDurationMs = 1_800_000;

const options = [
  ...["--ignore-scripts", "--prefer-offline", "--include=optional", "--omit=dev"],
  ...["--no-audit", "--no-fund", "--no-update-notifier", "--no-save", "--no-global"],
  ...["--install-strategy=hoisted", "--no-dry-run", "--no-package-lock-only", "--loglevel=error"],
  ...["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-factor=2"],
  "--fetch-timeout=60000",
];

/**
 * Installs exactly the packages of the lock file in a folder, from npm's cache where possible and
 * without running scripts of packages. Throws an `ExplainedError` if npm fails.
 */
export async function runNpmCi(
  npm: Npm,
  { name, folder }: { readonly name: string; readonly folder: string },
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<void> {
  const tooLong = AbortSignal.timeout(maxDurationMs);
  const child = spawn(npm.program, [...npm.leading, "ci", `--prefix=${folder}`, ...options], {
    cwd: folder,
    env: selectEnvironment(environment),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    signal: AbortSignal.any([signal, tooLong]),
    killSignal: "SIGKILL",
  });
  lowerPriority(child.pid);
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    output = (output + text).slice(0, maxOutput);
  });
  const end = await new Promise<string>((resolve) => {
    child.on("error", (error) => {
      if (child.pid === undefined) resolve(readCode(error));
    });
    child.on("close", (status, killer) => resolve(killer ?? `status ${status}`));
  });
  if (signal.aborted) throw new ExplainedError(`The installation of runtime ${name} was stopped.`);
  if (end === "status 0") return;
  if (tooLong.aborted) {
    const minutes = maxDurationMs / 60_000;
    throw new ExplainedError(`npm did not finish within ${minutes} minutes: try again.`);
  }
  throw new ExplainedError(explainNpmFailure({ name, folder, output, end }));
}

/** Lowers the priority of npm, because checks on this machine are more important. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, osConstants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}
