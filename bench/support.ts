import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { endsWithParent } from "../test/support/programs/end-with-parent-option.ts";

export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The limit: a minimum or a maximum. */
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit?: string;
}

export function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints the figures with their limits, and exits with failure if one is missed. */
export function report(title: string, figures: readonly Figure[]): void {
  write(`\n${title}`);
  for (const { name, value, atLeast, atMost, unit = "" } of figures) {
    const isMissed =
      (atLeast !== undefined && value < atLeast) || (atMost !== undefined && value > atMost);
    const bar = [
      atLeast === undefined ? null : `at least ${atLeast}`,
      atMost === undefined ? null : `at most ${atMost}`,
    ].filter((part) => part !== null);
    const shown = Number.isInteger(value) ? String(value) : value.toFixed(3);
    const verdict = bar.length === 0 ? "" : `  (${bar.join(", ")}: ${isMissed ? "MISSED" : "met"})`;
    write(`  ${name.padEnd(52)} ${shown.padStart(12)} ${unit}${verdict}`);
    if (isMissed) process.exitCode = 1;
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export interface Spawned {
  readonly child: ChildProcess;
  readonly url: string;
  /** Output until the server listened. */
  readonly printed: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Starts a server program and waits for the line with its address. */
export async function spawnServer(
  script: string,
  list: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  announcement = /listens on (http\S+)/,
): Promise<Spawned> {
  const child = spawn(process.execPath, [...endsWithParent, script, ...list], {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const printed: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      printed.push(line);
      const found = announcement.exec(line)?.[1];
      if (found === undefined) return;
      lines.removeAllListeners("line").on("line", () => {});
      resolve(found);
    });
    child.once("exit", () => reject(new Error(`${script} ended before it listened`)));
  });
  const stop = async () => {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  };
  return { child, url, printed, stop };
}
