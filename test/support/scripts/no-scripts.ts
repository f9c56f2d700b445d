import type { AssetSink } from "../../../src/contract/run-asset.ts";
import type { ScriptRunner } from "../../../src/sandbox/script-run.ts";

/** Script runner for probers of check types that run no scripts. */
export const noScripts: ScriptRunner = {
  run: async () => ({ kind: "cannot-check", message: "There is no runner." }),
  listLimitations: () => [],
  close: async () => {},
};

/** Asset sink for probers of check types whose runs have no files. */
export const noAssets: AssetSink = { save: async () => {} };
