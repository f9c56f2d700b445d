import { existsSync, lstatSync, realpathSync } from "node:fs";
import { chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import type { EgressOptions } from "../isolation/egress.ts";
import {
  findUserId,
  type Isolation,
  runInSandbox,
  type SandboxResult,
} from "../isolation/sandbox.ts";
import { readNpmError, type SandboxNpm } from "../runtimes/npm.ts";
import { run } from "../runtimes/workspace.ts";
import { limitFolder, measureFolder } from "./limit-folder.ts";
import type { Dependencies } from "./suite.ts";
import type { Unusable } from "./suite-store.ts";

export interface PackageInstallation extends Pick<Dependencies, "files" | "nested"> {
  /** An empty folder, in which the packages are installed. */
  readonly folder: string;
  /** npm for the sandbox; `null` if this machine has no npm. */
  readonly npm: SandboxNpm | null;
  readonly isolation: Isolation;
  readonly slot: number;
  readonly memoryBytes: number;
  readonly egress: EgressOptions;
  /**
   * Environment variables of the check, such as tokens to which the npm settings of the code refer.
   */
  readonly variables: Readonly<Record<string, string>>;
}

const installFolder = "/vedette/install";
const cacheName = ".npm";
const node = "/vedette/node";
const npmFolder = "/vedette/npm";

const timeoutMs = 600_000;
const maxPackagesBytes = 2 ** 30;
const folderBytes = 256 * 2 ** 20;
const processes = 400;
const maxOutput = 65_536;

const options = [
  ...["--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"],
  ...["--no-update-notifier", "--no-global", "--no-dry-run", "--no-package-lock-only"],
  ...["--install-strategy=hoisted", "--loglevel=error", "--fetch-retries=2"],
  ...["--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"],
];

/**
 * Installs the packages of a lock file with `npm ci` and returns their size. npm runs in a sandbox,
 * because settings in the code can make npm start programs and connect to any address.
 */
export async function installPackages(
  installation: PackageInstallation,
): Promise<Unusable | { readonly bytes: number }> {
  const { folder, files, npm } = installation;
  if (npm === null) {
    const reason =
      "Packages of suites are installed with npm, and this machine has none: install npm.";
    return { reason, isFault: false };
  }
  for (const { path, content } of files) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o755 });
    await writeFile(place, content);
  }
  const { isolation, slot } = installation;
  const userId = findUserId(isolation, slot);
  if (userId !== null) await run("chown", ["-hR", `${userId}:${userId}`, folder]);
  let output = "";
  const { result, isTooLarge } = await limitFolder(folder, maxPackagesBytes, (signal) =>
    runNpm(installation, {
      ...{ npm, signal },
      onOutput: (bytes) => {
        output = `${output}${bytes.toString()}`.slice(0, maxOutput);
      },
    }),
  );
  if (isTooLarge) {
    const reason = `The packages of the code are larger than ${maxPackagesBytes / 2 ** 30} GiB, or this machine has less than that left.`;
    return { reason, isFault: true };
  }
  const failure = explainFailure(result, output);
  return failure ?? finish(installation);
}

interface NpmRun {
  readonly npm: SandboxNpm;
  readonly signal: AbortSignal;
  onOutput(bytes: Buffer): void;
}

function runNpm(installation: PackageInstallation, { npm, signal, onOutput }: NpmRun) {
  const { folder, isolation, slot, egress, memoryBytes, variables } = installation;
  const network = npm.authorities === null ? egress : { ...egress, authorities: npm.authorities };
  // Without a file tree, the install folder is a link, and npm finds no workspaces behind a link.
  // In this case, npm receives the path to which the link points.
  const placeOf = (root: string) => (root === "" ? installFolder : folder);
  return runInSandbox({
    ...{ isolation, slot, egress: network, timeoutMs, signal, files: [] },
    mounts: [
      { source: process.execPath, target: node },
      { source: npm.folder, target: npmFolder },
      { source: folder, target: installFolder, isWritable: true },
    ],
    program: (root) => ({
      command: [
        join(root, node),
        ...[join(root, npmFolder, npm.script), "ci"],
        ...[`--prefix=${placeOf(root)}`, ...options, `--cache=${join(placeOf(root), cacheName)}`],
      ],
      environment: {
        ...npm.environment,
        ...variables,
        PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
      },
    }),
    limits: {
      ...{ memoryBytes, processes, folderBytes },
      cpuSeconds: Math.ceil((timeoutMs / 1_000) * availableParallelism()),
    },
    onOutput: (_stream, bytes) => {
      onOutput(bytes);
      return true;
    },
  });
}

function explainFailure(result: SandboxResult, output: string): Unusable | null {
  if (result.kind === "refused") {
    const reason = `The sandbox for npm could not be built: ${result.message}`;
    return { reason, isFault: false };
  }
  const { end, exit, connections } = result;
  if (end === "exited" && exit?.code === 0) return null;
  const denied = connections.find(({ denial }) => denial !== null);
  if (denied !== undefined) {
    const reason = `npm may not connect to ${denied.host}: ${denied.denial}`;
    return { reason, isFault: true };
  }
  if (end === "timed-out") {
    return { reason: `npm did not finish within ${timeoutMs / 60_000} minutes.`, isFault: true };
  }
  if (end === "memory") {
    return { reason: "npm used more memory than a suite may use.", isFault: true };
  }
  const how = exit?.signal ?? `status ${exit?.code ?? "unknown"}`;
  const { says, isNetwork } = readNpmError({ output, end: how });
  const reason = isNetwork
    ? `The npm registry cannot be reached: ${says}.`
    : `The packages of the code were not installed: ${says}.`;
  return { reason, isFault: !isNetwork };
}

/**
 * Makes the packages readable for every user and writable for none, and checks them. No command
 * here follows links, because npm may have left links to any path.
 */
async function finish({
  folder,
  nested,
}: PackageInstallation): Promise<Unusable | { readonly bytes: number }> {
  await rm(join(folder, cacheName), { recursive: true, force: true });
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) await run("chown", ["-hR", `${uid}:${gid}`, folder]);
  await run("chmod", ["-R", "a-w,a+rX", folder]);
  await chown(folder, uid, gid);
  await chmod(folder, 0o755);
  const moved = ["node_modules", ...nested].find((path) => !isOwnFolder(folder, path));
  if (moved !== undefined && existsSync(join(folder, moved))) {
    return { reason: `npm replaced the folder ${moved} by a link.`, isFault: true };
  }
  const cli = join(folder, "node_modules/@playwright/test/cli.js");
  if (!existsSync(cli)) {
    const reason =
      "The code does not install @playwright/test: add it to the dependencies in package.json and run `npm install`.";
    return { reason, isFault: true };
  }
  return { bytes: await measureFolder(folder) };
}

/** Returns whether a path is a real folder and contains no symbolic link. */
function isOwnFolder(folder: string, path: string): boolean {
  try {
    const place = join(realpathSync(folder), path);
    return lstatSync(place).isDirectory() && realpathSync(place) === place;
  } catch {
    return false;
  }
}
