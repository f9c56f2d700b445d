/** `npm run bench` lists the benchmarks; `npm run bench <name>` runs one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { endsWithParent } from "../test/support/programs/end-with-parent-option.ts";
import { write } from "./support.ts";

const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const [name, ...rest] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  write(`Usage: npm run bench <name>, one of: ${names.join(", ")}`);
  process.exitCode = name === undefined ? 0 : 1;
} else {
  const script = join(import.meta.dirname, name, "run.ts");
  const list = [...endsWithParent, script, ...rest];
  const child = spawn(process.execPath, list, { stdio: ["pipe", "inherit", "inherit"] });
  const [status] = await once(child, "exit");
  process.exitCode = status ?? 1;
}
