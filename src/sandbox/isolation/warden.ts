// The warden is the first process of a sandbox. It builds the sandbox, starts the script and
// enforces the limits that the kernel does not enforce. With namespaces, the warden also opens the
// listeners whose connections the runner accepts, and the kernel ends every other process of the
// sandbox when the warden ends. Without namespaces, the warden itself ends the other processes.

import { type ChildProcess, type SendHandle, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { flushCompileCache } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { confinePrograms, lowerPriority } from "./confine.ts";
import { buildTree } from "./file-tree.ts";
import { checkLandlock } from "./landlock.ts";
import {
  eventsDescriptor,
  type Project,
  proxyPort,
  type SandboxExit,
  type SandboxMessage,
  type SandboxPlan,
  scriptFolder,
  temporaryFolder,
  transparentPorts,
  type WardenMessage,
} from "./plan.ts";
import {
  countThreadsOfUser,
  endDescendants,
  listDescendants,
  measureFolder,
  readChildrenCpuMs,
  removeFolder,
} from "./processes.ts";
import {
  makeEveryAddressLocal,
  reapChildren,
  setHostName,
  setProcessOption,
  startLoopback,
} from "./system-calls.ts";
import { countSocketsOfNetwork, findExcess, type MeasuredParts, measureUsage } from "./usage.ts";

const pollMs = 200;

// Writes the compile cache now, because the file tree will hide the folder of the cache.
flushCompileCache();

/** Removes all processes and files of the run. */
let removeAll = () => {};

let isStopping = false;

function stop(): void {
  isStopping = true;
  removeAll();
  void reapAll().then(() => process.exit(1));
}

const maxReapMs = 5_000;
const reapEveryMs = 10;

/**
 * Waits until killed processes are gone, because they still count towards the process limit of
 * their user.
 */
async function reapAll(): Promise<void> {
  const untilMs = performance.now() + maxReapMs;
  while (reapChildren() && performance.now() < untilMs) await sleep(reapEveryMs);
}

// Ends the whole sandbox when the runner has ended. Node.js emits no "disconnect" event if the
// runner ends while this process is sending a listener to the runner. A timer therefore also checks
// the connection.
process.once("disconnect", stop);
setInterval(() => {
  if (!process.connected) stop();
}, pollMs).unref();
process.on("message", (message: SandboxMessage) => {
  if (message.kind === "stop") stop();
  else void run(message.plan).catch(refuse);
});

function refuse(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  send({ kind: "refused", message }, () => process.exit(1));
}

function send(message: WardenMessage, onSent: () => void = () => {}, handle?: SendHandle): void {
  process.send?.(message, handle, {}, onSent);
}

async function run(plan: SandboxPlan): Promise<void> {
  const sandbox = plan.port === null ? await enterNamespaces(plan) : prepareFolder(plan);
  removeAll = () => {
    sandbox.endAll();
    if (plan.root !== "") removeFolder(plan.root);
  };
  const script = sandbox.start();
  send({ kind: "started" });
  const exit = await watch(script, sandbox, plan);
  send({ kind: "ended", exit }, () => process.exit(0));
}

/** A prepared sandbox, with functions for its script, its processes and its files. */
interface RunningSandbox extends Pick<MeasuredParts, "countSockets" | "folder"> {
  start(): ChildProcess;
  listProcesses(): readonly string[];
  measureFiles(): number;
  endAll(): void;
}

async function enterNamespaces(plan: SandboxPlan): Promise<RunningSandbox> {
  setHostName("sandbox");
  startLoopback();
  makeEveryAddressLocal();
  buildTree({ mounts: plan.mounts, limits: plan.limits, userId: plan.userId ?? 0 });
  for (const port of [proxyPort, ...transparentPorts]) await handOverListener(port);
  await handOverNameServer();
  writeFiles(plan);
  confinePrograms(plan.limits);
  const { userId, program } = plan;
  return {
    start: () => {
      const [path, ...values] = program.command;
      const script = spawn(path, values, {
        cwd: join(scriptFolder, plan.workingDir),
        env: { ...program.environment },
        stdio: ["ignore", "inherit", "inherit", eventsDescriptor],
        ...(userId !== null && { uid: userId, gid: userId }),
      });
      if (script.pid !== undefined) lowerPriority(script.pid);
      return script;
    },
    listProcesses: () => readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== "1"),
    // The script's files are in memory, so they count towards the memory limit of the script.
    measureFiles: () =>
      [scriptFolder, temporaryFolder, "/dev/shm"]
        .map((path) => statfsSync(path))
        .reduce((sum, { bsize, blocks, bfree }) => sum + bsize * (blocks - bfree), 0),
    countSockets: countSocketsOfNetwork,
    folder: null,
    endAll: () => {
      // Kills every process except this process. Processes that start later end together with this
      // process.
      try {
        process.kill(-1, "SIGKILL");
      } catch {
        // There are no other processes.
      }
    },
  };
}

const topSettings = ["package.json", "tsconfig.json"];

/**
 * Prepares a sandbox without a file tree: a folder with the paths of a file tree, in which mounts
 * are symbolic links.
 */
function prepareFolder(plan: SandboxPlan): RunningSandbox {
  const { root, userId, mounts, limits } = plan;
  checkLandlock(userId !== null);
  setProcessOption("adoptOrphans", 1);
  for (const { source, target, isCopied = false } of mounts) {
    const place = join(root, target);
    mkdirSync(dirname(place), { recursive: true });
    if (isCopied) cpSync(source, place, { recursive: true });
    else symlinkSync(source, place);
  }
  // Tools search the parent folders for settings files. Empty files end this search at the root of
  // the sandbox.
  for (const name of topSettings) writeFileSync(join(root, name), "{}\n");
  const folders = [scriptFolder, temporaryFolder].map((path) => join(root, path));
  for (const path of folders) {
    mkdirSync(path, { mode: 0o700 });
    if (userId !== null) chownSync(path, userId, userId);
  }
  writeFiles(plan);
  const processes = userId === null ? limitForSharedUser(limits.processes) : limits.processes;
  const entry = join(import.meta.dirname, "landlock-entry.ts");
  return {
    start: () => {
      const script = spawn(process.execPath, [...process.execArgv, entry], {
        stdio: ["pipe", "inherit", "inherit", eventsDescriptor],
      });
      script.stdin?.on("error", () => {});
      script.stdin?.end(JSON.stringify({ ...plan, files: [], limits: { ...limits, processes } }));
      return script;
    },
    listProcesses: listDescendants,
    measureFiles: () => folders.reduce((sum, path) => sum + measureFolder(path), 0),
    countSockets: null,
    // The size of the folders excludes files that a script deletes but keeps open.
    folder: root,
    endAll: endDescendants,
  };
}

const headroom = 4;

/**
 * Returns the kernel's process limit for a user that several runs share. The kernel counts the
 * processes of all runs of the user, so the limit has headroom and is only a second line of
 * defence. The warden counts the processes of each run.
 */
function limitForSharedUser(processes: number): number {
  return countThreadsOfUser(process.getuid?.() ?? 0) + processes * headroom;
}

/** Opens a listener and passes it to the runner, which connects to targets outside the sandbox. */
async function handOverListener(port: number): Promise<void> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(port, "::");
  await once(server, "listening");
  await new Promise<void>((resume) => send({ kind: "listener", port }, resume, server));
  server.close();
}

async function handOverNameServer(): Promise<void> {
  const socket = createSocket("udp4");
  socket.bind(53, "127.0.0.1");
  await once(socket, "listening");
  await new Promise<void>((resume) => send({ kind: "name-server" }, resume, socket));
  socket.close();
}

function writeFiles({ root, files, project, userId }: SandboxPlan): void {
  const folder = join(root, scriptFolder);
  if (project !== null) copyProject(root, folder, project);
  for (const { path, content, isBase64 = false } of files) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content, isBase64 ? "base64" : "utf8");
  }
  if (userId !== null) changeOwner(folder, userId);
}

/**
 * Makes a user the owner of everything in a folder. Links are not followed: they may lead to
 * packages that several runs share, or in a circle.
 */
function changeOwner(folder: string, userId: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    lchownSync(path, userId, userId);
    if (entry.isDirectory()) changeOwner(path, userId);
  }
}

/** Copies the files of a project. The runner has checked that no link leads out of the project. */
function copyProject(root: string, folder: string, project: Project): void {
  // Resolves the path, because a mount is a link in a sandbox without a file tree.
  const source = realpathSync(join(root, project.folder));
  cpSync(source, folder, { recursive: true, verbatimSymlinks: true });
  for (const { path, target } of project.links) {
    const place = join(folder, path);
    if (existsSync(place)) continue;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, target), place);
  }
}

/** Waits for the script to end, enforces its limits, and ends all processes of the sandbox. */
async function watch(
  script: ChildProcess,
  sandbox: RunningSandbox,
  { limits }: SandboxPlan,
): Promise<SandboxExit> {
  let excess: ReturnType<typeof findExcess> = null;
  let memoryBytes = 0;
  const measure = () =>
    measureUsage({
      ...sandbox,
      ids: sandbox.listProcesses(),
      filesBytes: sandbox.measureFiles(),
      limits,
    });
  const before = measure();
  const ended = once(script, "exit") as Promise<[number | null, string | null]>;
  const poll = setInterval(() => {
    if (isStopping) return;
    const usage = measure();
    memoryBytes = Math.max(memoryBytes, usage.memoryBytes);
    // The first excess is the cause: later, ending processes hide their descriptors, which count
    // as sockets.
    excess ??= findExcess(usage, before, limits);
    if (excess !== null) sandbox.endAll();
  }, pollMs);
  const [code, signal] = await ended;
  clearInterval(poll);
  sandbox.endAll();
  await reapAll();
  const { limit, reason } = excess ?? { limit: null, reason: null };
  return { code, signal, limit, reason, cpuMs: readChildrenCpuMs(), memoryBytes };
}
