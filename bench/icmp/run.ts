/** Compares the engine with its peers, then its round-trip times with the wire. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { endsWithParent } from "../../test/support/programs/end-with-parent-option.ts";

for (const script of ["throughput.ts", "accuracy.ts"]) {
  const list = [...endsWithParent, join(import.meta.dirname, script), ...process.argv.slice(2)];
  const child = spawn(process.execPath, list, { stdio: ["pipe", "inherit", "inherit"] });
  const [status] = await once(child, "exit");
  if (status !== 0) process.exitCode = 1;
}
