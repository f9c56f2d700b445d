import type { Prober, ProberTools } from "../prober.ts";
import { startProber } from "../scripts/script-prober.ts";
import { isSuiteRequest } from "./request.ts";

/** Starts the prober of test suites. It loads the code of a suite before each run. */
export function startSuiteProber(
  tools: Pick<ProberTools, "scripts" | "assets" | "code" | "log">,
): Promise<Prober> {
  return startProber(tools, {
    usesBrowser: true,
    isRequest: isSuiteRequest,
    complete: (order, run) => ({
      ...order,
      loadCode: async () =>
        (await tools.code?.load(run, order.request.suite?.bundle ?? "")) ?? {
          reason: "This probe cannot load the code of suites.",
        },
    }),
  });
}
