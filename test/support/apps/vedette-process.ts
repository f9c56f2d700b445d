/** The product as people run it: `bin/vedette.ts` in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { endsWithParent } from "../programs/end-with-parent-option.ts";
import { waitUntil } from "../time/wait-until.ts";

export interface VedetteProcess {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  readonly hasExited: () => boolean;
}

const script = join(import.meta.dirname, "..", "..", "..", "bin", "vedette.ts");

/**
 * Whatever a test leaves running is killed at its end; PostgreSQL's watcher does the rest. A
 * launcher is a command that becomes the command it is given, as `setpriv` does.
 */
export function spawnVedette(
  t: TestContext,
  list: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  launcher: readonly string[] = [],
): VedetteProcess {
  const command = [process.execPath, ...endsWithParent, script, ...list];
  const [program = "", ...rest] = [...launcher, ...command];
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  // One that is killed keeps no compiled code: the next would compile the whole product again.
  const kept = { PATH, NODE_COMPILE_CACHE };
  const child = spawn(program, rest, {
    // Nothing else of the test's own environment may change what is tested.
    env: { ...kept, EXAMPLE: "false", DRAIN_SECONDS: "0", ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const texts = { output: "", errors: "" };
  child.stdout.on("data", (chunk) => {
    texts.output += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    texts.errors += String(chunk);
  });
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const exited = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  t.after(async () => {
    if (!hasExited()) child.kill("SIGKILL");
    await exited;
  });
  return {
    pid: child.pid ?? 0,
    process: child,
    output: () => texts.output,
    errors: () => texts.errors,
    exited,
    hasExited,
  };
}

/** Waits for the line that says where it listens. */
export async function waitForAddress(vedette: VedetteProcess): Promise<string> {
  const find = () => /^Vedette .* listens on (\S+)$/m.exec(vedette.output())?.[1];
  await waitUntil("it listens or ended", () => find() !== undefined || vedette.hasExited());
  const address = find();
  if (address === undefined) throw new Error(`It ended: ${vedette.output()}${vedette.errors()}`);
  return address;
}

export function readPostmasterPid(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

/** Runs a command to its end. */
export async function runVedette(
  t: TestContext,
  list: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | string; output: string; errors: string }> {
  const vedette = spawnVedette(t, list, environment);
  const code = await vedette.exited;
  return { code, output: vedette.output(), errors: vedette.errors() };
}
