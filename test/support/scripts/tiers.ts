import { spawnSync } from "node:child_process";
import { type Isolation, needsRoot } from "../../../src/sandbox/isolation/sandbox.ts";
import type { ScriptRunnerOptions } from "../../../src/sandbox/runner/script-runner.ts";
import { startScriptRunner } from "./script-runner.ts";

/** Isolation tiers that tests can use on this machine. Root can also test those of other users. */

export const isRoot = process.getuid?.() === 0;
export const nobody = 65_534;

/** Returns why a tier cannot be tested here; `false` if it can. */
export function explainImpossible(isolation: Isolation): string | false {
  if (needsRoot(isolation)) return !isRoot && "needs root";
  return isRoot && !isProjectPublic() && "ordinary users cannot read the project";
}

/** Whether an ordinary user can load the project. */
function isProjectPublic(): boolean {
  const { status } = spawnSync(process.execPath, ["--check", import.meta.filename], {
    uid: nobody,
    gid: nobody,
  });
  return status === 0;
}

/** Starts a runner that uses only one tier. */
export function startRunnerIn(isolation: Isolation, options: Partial<ScriptRunnerOptions> = {}) {
  return startScriptRunner({
    isolations: [isolation],
    // Only root can use the folder of the tests.
    ...(isRoot && !needsRoot(isolation) && { userId: nobody, temporaryFolder: "/tmp" }),
    ...options,
  });
}
