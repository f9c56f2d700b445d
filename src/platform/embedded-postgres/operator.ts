import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { userInfo } from "node:os";
import { createInterface } from "node:readline";
import type { Log } from "../log.ts";

/**
 * The user that runs PostgreSQL. PostgreSQL refuses to run as root. An "unlisted" user runs it
 * without an entry in the password file, and copies an empty database instead of creating one.
 */
export type Operator =
  | { readonly kind: "self" | "unlisted" }
  | { readonly kind: "dedicated-user"; readonly uid: number; readonly initUid: number }
  | { readonly kind: "user-namespace" };

export interface OperatorFacts {
  readonly isRoot: boolean;
  /** Whether the current user has an entry in the password file, which initdb requires. */
  readonly isListed: boolean;
  /** Whether there is a database, or an empty one that can be copied. */
  readonly hasCluster: boolean;
  /** Uid of `nobody`, or `null` if the system has none. */
  readonly nobodyUid: number | null;
  readonly isDataReachable: boolean;
  readonly canUnshare: boolean;
}

/**
 * Uid under which PostgreSQL runs if Vedette runs as root. No user in the password file should have
 * this uid. Otherwise, the programs of that user could read the data.
 */
const dedicatedUid = 54_329;
const namespaceUid = 65_534;

const unshareArguments = ["-U", `--map-user=${namespaceUid}`, `--map-group=${namespaceUid}`, "--"];

export function decideOperator(facts: OperatorFacts): Operator | { readonly problem: string } {
  if (!facts.isRoot && facts.isListed) return { kind: "self" };
  if (!facts.isRoot && facts.hasCluster) return { kind: "unlisted" };
  if (facts.isRoot && facts.isDataReachable && facts.nobodyUid !== null) {
    return { kind: "dedicated-user", uid: dedicatedUid, initUid: facts.nobodyUid };
  }
  if (facts.canUnshare) return { kind: "user-namespace" };
  return { problem: facts.isRoot ? rootProblem : unlistedProblem };
}

const rootProblem =
  "PostgreSQL does not run as root, and no other user can reach DATA_DIR.\n" +
  "Do one of these: set DATA_DIR=/var/lib/vedette, start Vedette as an ordinary user, or set\n" +
  "DATABASE_URL to a PostgreSQL server.";
const unlistedProblem =
  "PostgreSQL needs a user with an entry in /etc/passwd, and this one has none.\n" +
  "Start Vedette as a listed user, or set DATABASE_URL to a PostgreSQL server.";

function isListedUser(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

function findNobodyUid(): number | null {
  const answer = spawnSync("id", ["-u", "nobody"], { encoding: "utf8" });
  const uid = Number.parseInt(answer.stdout ?? "", 10);
  return Number.isInteger(uid) ? uid : null;
}

function isReachableBy(uid: number, folder: string): boolean {
  const answer = spawnSync("/bin/sh", ["-c", 'cd "$1" && : <"$2"', "sh", folder, "/dev/null"], {
    uid,
    gid: uid,
    cwd: "/",
  });
  return answer.status === 0;
}

/** Whether users without special permissions can enter the folder. */
export const isReachableByOthers = (folder: string) => isReachableBy(dedicatedUid, folder);

export function gatherOperatorFacts(dataFolder: string, hasCluster: boolean): OperatorFacts {
  const isRoot = process.getuid?.() === 0;
  const isListed = isListedUser();
  const known = { isRoot, isListed, hasCluster };
  if (!isRoot && (isListed || hasCluster)) {
    return { ...known, nobodyUid: null, isDataReachable: true, canUnshare: false };
  }
  return {
    ...known,
    nobodyUid: isRoot ? findNobodyUid() : null,
    isDataReachable: isRoot && isReachableByOthers(dataFolder),
    canUnshare: spawnSync("unshare", [...unshareArguments, "true"]).status === 0,
  };
}

/** Whether the user that runs PostgreSQL can enter the folder without the permissions of root. */
export function canOperatorReach(operator: Operator, folder: string): boolean {
  return operator.kind !== "dedicated-user" || isReachableBy(operator.uid, folder);
}

interface OperatorCommand {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly identity: { readonly uid?: number; readonly gid?: number };
}

export function commandAs(
  operator: Operator,
  command: { file: string; arguments: readonly string[]; isInit: boolean },
): OperatorCommand {
  if (operator.kind === "user-namespace") {
    return {
      file: "unshare",
      arguments: [...unshareArguments, command.file, ...command.arguments],
      identity: {},
    };
  }
  const { file, arguments: list } = command;
  if (operator.kind !== "dedicated-user") return { file, arguments: list, identity: {} };
  const uid = command.isInit ? operator.initUid : operator.uid;
  return { file, arguments: list, identity: { uid, gid: uid } };
}

export interface PostgresChild {
  readonly pid: number;
  readonly exited: Promise<void>;
  /**
   * Returns the last output lines of PostgreSQL. If PostgreSQL does not start, the error message
   * contains them.
   */
  readonly lastLines: () => string;
  readonly stop: () => Promise<void>;
}

const keptLines = 20;
const fastStopMs = 6_000;
const immediateStopMs = 1_500;

/**
 * Errors of PostgreSQL that are expected and not logged as problems: it rejects connections while
 * it starts or stops, and an administrator may end connections.
 */
const expectedMessage =
  /: {2}(the database system is (starting|not yet|shutting)|terminating connection due to adm)/;

/** Environment variables of PostgreSQL's processes. They contain no secret. */
export const childEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Starts a shell that waits for the end of this process by reading from a pipe. If this process is
 * killed, the pipe closes and the shell stops PostgreSQL, so that no orphaned PostgreSQL remains.
 */
function watch(pid: number): ChildProcess {
  const script =
    'read -r _; kill -INT "$1" 2>/dev/null; n=0; ' +
    'while kill -0 "$1" 2>/dev/null && [ "$n" -lt 8 ]; do sleep 1; n=$((n+1)); done; ' +
    'kill -QUIT "$1" 2>/dev/null';
  const watcher = spawn("/bin/sh", ["-c", script, "vedette-watcher", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: childEnvironment,
  });
  watcher.on("error", () => {});
  watcher.stdin?.on("error", () => {});
  watcher.unref();
  return watcher;
}

function timeout(ms: number): Promise<"late"> {
  return new Promise((resolve) => setTimeout(resolve, ms, "late").unref());
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const steps = [
    ["SIGINT", fastStopMs],
    ["SIGQUIT", immediateStopMs],
    ["SIGKILL", immediateStopMs],
  ] as const;
  for (const [signal, patienceMs] of steps) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    if ((await Promise.race([exited, timeout(patienceMs)])) !== "late") return;
  }
}

interface PostgresCommand {
  readonly operator: Operator;
  readonly file: string;
  readonly arguments: readonly string[];
}

export async function spawnPostgres(command: PostgresCommand, log: Log): Promise<PostgresChild> {
  const { operator, file } = command;
  const as = commandAs(operator, { file, arguments: command.arguments, isInit: false });
  const child = spawn(as.file, as.arguments, {
    ...as.identity,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
    // PostgreSQL runs in a separate process group, so that Ctrl-C in a terminal reaches only this
    // process. This process then stops PostgreSQL in an orderly way.
    detached: true,
    env: childEnvironment,
  });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    const isTrouble = /(FATAL|PANIC|ERROR):/.test(line) && !expectedMessage.test(line);
    log[isTrouble ? "warn" : "debug"]({ line }, "postgres");
  });
  const watcher = watch(pid);
  const exited = once(child, "exit").then(() => {
    watcher.kill("SIGKILL");
  });
  return {
    pid,
    exited,
    lastLines: () => lines.join("\n"),
    stop: () => stopChild(child, exited),
  };
}
