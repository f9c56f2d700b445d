/** The engine against its peers, then its round-trip times against the wire. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

for (const script of ["throughput.ts", "accuracy.ts"]) {
  const list = [join(import.meta.dirname, script), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, list, { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
