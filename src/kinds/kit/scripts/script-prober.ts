import { setTimeout as sleep } from "node:timers/promises";
import type { AssetRun, RunAsset } from "../../../contract/run-asset.ts";
import type { ScriptMeasurement, ScriptOrder, ScriptRequest } from "../../../sandbox/script-run.ts";
import type { Prober, ProberTools } from "../prober.ts";
import { isScriptRequest, shortenRequest } from "./request.ts";
import { texts } from "./texts.ts";

const saveWaitMs = 5_000;

type Tools = Pick<ProberTools, "scripts" | "assets" | "log">;

/** Options that differ between the kinds that run scripts. */
interface ScriptProberOptions {
  readonly usesBrowser: boolean;
  isRequest(request: unknown): request is ScriptRequest;
  /**
   * Completes the order for a run of a script. Some kinds add members, such as a function that
   * loads uploaded code.
   */
  complete?(order: ScriptOrder, run: AssetRun): ScriptOrder;
}

/** Starts the prober for scripts without a browser. All script kinds share one script runner. */
export const startScriptProber = (tools: Tools) =>
  startProber(tools, { usesBrowser: false, isRequest: isScriptRequest });

export async function startProber(
  { scripts, assets, log }: Tools,
  { usesBrowser, isRequest, complete = (order) => order }: ScriptProberOptions,
): Promise<Prober> {
  /**
   * Saves the files of a run. Waits at most a few seconds, so that the files normally exist before
   * the result.
   */
  const save = async (run: AssetRun, files: readonly RunAsset[]) => {
    const saved = assets.save(run, files).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      log(`The files of run ${run.runId} were not saved: ${message}`);
    });
    await Promise.race([saved, sleep(saveWaitMs, undefined, { ref: false })]);
  };
  return {
    run: async (order, onStep) => {
      const { runId, checkId, accountId = checkId, request, variables = [], deadlineAtMs } = order;
      if (!isRequest(request)) {
        return {
          kind: "cannot-check",
          message: "This probe does not support the request. Update the probe.",
        };
      }
      const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
      let files: readonly RunAsset[] = [];
      const run = { accountId, checkId, runId };
      const basic = { runId, accountId, request, usesBrowser, variables: values, deadlineAtMs };
      const outcome = await scripts.run(complete(basic, run), onStep, (received) => {
        files = received;
      });
      if (files.length > 0) await save(run, files);
      return outcome;
    },
    texts,
    shortenRequest: (request) => shortenRequest(request as ScriptRequest),
    isFlawless: (measurement) => (measurement as ScriptMeasurement).end === "passed",
    canRun: () => true,
    listLimitations: () => scripts.listLimitations(),
    close: () => scripts.close(),
  };
}
