import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Log } from "../log.ts";
import { commandAs, type Operator } from "./operator.ts";

export interface PostgresChild {
  readonly pid: number;
  readonly exited: Promise<void>;
  /** Its last output lines, for the error message if it does not start. */
  readonly lastLines: () => string;
  readonly stop: () => Promise<void>;
}

const keptLines = 20;
const fastStopMs = 6_000;
const immediateStopMs = 1_500;

/** Expected messages: connections that come too early, as ours do, or are idle too long. */
const expectedMessage =
  /: {2}(the database system is (starting|not yet|shutting)|terminating connection due to adm)/;

/** Environment of PostgreSQL's processes; contains no secrets. */
export const childEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Starts a shell that waits on a pipe from this process. When this process is killed the pipe
 * closes, and the shell stops PostgreSQL, so that no orphan remains.
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

export interface PostgresCommand {
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
    // A separate process group: Ctrl-C in a terminal reaches only this process, which stops
    // PostgreSQL in an orderly way.
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
