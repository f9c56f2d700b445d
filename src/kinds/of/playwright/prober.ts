import type { Prober, ProberTools } from "../../kit/prober.ts";
import { startProber } from "../../kit/scripts/script-prober.ts";
import { isSuiteRequest } from "./request.ts";

/** Starts the prober of test suites. Before a run, the prober loads the code of the suite. */
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
