import type { AssetSink } from "../../../src/kinds/assets.ts";
import type { ScriptRunner } from "../../../src/kinds/scripts/script-run.ts";

/** For probers of kinds that run no scripts. */
export const noScripts: ScriptRunner = {
  run: async () => ({ kind: "cannot-check", message: "There is no runner." }),
  listLimitations: () => [],
  close: async () => {},
};

/** For probers of kinds whose runs have no files. */
export const noAssets: AssetSink = { save: async () => {} };
