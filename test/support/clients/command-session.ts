/**
 * Runs several commands of the public command-line tool in one process, because loading the tool is
 * most of the cost of a command. The first argument is the tool's entry point, the second contains
 * the commands as JSON. The exit codes and the output are written as JSON to file descriptor 3.
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

/**
 * Returns the exit code and message of an error that oclif has thrown. The tool's entry point would
 * print this message.
 */
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
