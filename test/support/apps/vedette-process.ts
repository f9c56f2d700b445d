/** Runs `bin/vedette.ts` in a separate process. */
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
  /** Resolves with the exit code, or with the signal that ended the process. */
  readonly exited: Promise<number | string>;
  readonly hasExited: () => boolean;
}

const script = join(import.meta.dirname, "..", "..", "..", "bin", "vedette.ts");

/**
 * Starts the product in a process that is killed at the end of the test. PostgreSQL stops by
 * itself, because it watches its owner process. `launcher` is a command that executes the given
 * command, such as `setpriv`.
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
  // The compile cache is shared. A killed process writes no cache, so otherwise every process would
  // compile all code.
  const kept = { PATH, NODE_COMPILE_CACHE };
  const child = spawn(program, rest, {
    // Other environment variables of the test must not affect the product.
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

/** Waits until the product reports the address that it listens on, and returns the address. */
export async function waitForAddress(vedette: VedetteProcess): Promise<string> {
  const find = () => /^Vedette .* listens on (\S+)$/m.exec(vedette.output())?.[1];
  await waitUntil("it listens or has exited", () => find() !== undefined || vedette.hasExited());
  const address = find();
  if (address === undefined) throw new Error(`It ended: ${vedette.output()}${vedette.errors()}`);
  return address;
}

export function readPostmasterPid(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

/** Runs a command of the product and waits until it ends. */
export async function runVedette(
  t: TestContext,
  list: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | string; output: string; errors: string }> {
  const vedette = spawnVedette(t, list, environment);
  const code = await vedette.exited;
  return { code, output: vedette.output(), errors: vedette.errors() };
}
