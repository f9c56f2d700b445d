/**
 * Runs several commands of the public command line in one process, because loading it costs most
 * of a command. Reads the commands as JSON from its first argument after the entry, and writes
 * their codes and output as JSON to file descriptor 3.
 */
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

interface Oclif {
  run(list: readonly string[], options: { readonly root: string }): Promise<unknown>;
}

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const [entry = "", commands = "[]"] = process.argv.slice(2);
const path = createRequire(entry).resolve("@oclif/core");
const oclif: Oclif = await import(pathToFileURL(path).href);

process.exit = (code) => {
  throw new Exit(Number(code ?? process.exitCode ?? 0));
};

let output = "";
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text: string | Uint8Array) => {
    output += text;
    return true;
  };
}

/** oclif throws errors with the exit code; its message is what the entry point would print. */
function readFailure(error: unknown): { readonly code: number; readonly text: string } {
  if (error instanceof Exit) return { code: error.code, text: "" };
  const { oclif, message } = error as { oclif?: { exit?: number }; message: string };
  const code = oclif?.exit ?? 1;
  return { code, text: code === 0 ? "" : `${message}\n` };
}

async function run(list: readonly string[]): Promise<{ code: number; output: string }> {
  output = "";
  process.exitCode = 0;
  try {
    await oclif.run(list, { root: dirname(entry) });
    return { code: Number(process.exitCode), output };
  } catch (error) {
    const { code, text } = readFailure(error);
    return { code, output: `${output}${text}` };
  }
}

const results: unknown[] = [];
for (const list of JSON.parse(commands)) results.push(await run(list));
process.exitCode = 0;
writeSync(3, JSON.stringify(results));
