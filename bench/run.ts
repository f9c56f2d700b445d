/** `npm run bench` lists the benchmarks; `npm run bench <name>` runs one. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { write } from "./support.ts";

const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const [name, ...rest] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  write(`Usage: npm run bench <name>, one of: ${names.join(", ")}`);
  process.exitCode = name === undefined ? 0 : 1;
} else {
  const folder = join(import.meta.dirname, name);
  const scripts = existsSync(join(folder, "run.ts"))
    ? ["run.ts"]
    : readdirSync(folder).filter((file) => file.endsWith(".ts"));
  for (const script of scripts) {
    const { status } = spawnSync(process.execPath, [join(folder, script), ...rest], {
      stdio: "inherit",
    });
    if (status !== 0) process.exitCode = 1;
  }
}
