import type { Order } from "../contract/order.ts";
import type { OnStep } from "../contract/progress.ts";
import type { Outcome } from "../contract/result.ts";
import type { Prober, ProberTools, StartProber } from "../kinds/prober.ts";
import { runFilled } from "../kinds/variables/run-filled.ts";
import { invalidateOutcome } from "./anchors.ts";

/** The probers of one process, by the type of check that they run. */
export interface ProberSet {
  /** While the anchors are lost, trouble says nothing about the target. */
  readonly run: (order: Order, areAnchorsLost: boolean, tell?: OnStep) => Promise<Outcome>;
  readonly isReachable: (host: string) => Promise<boolean>;
  /** What the kinds of check that cannot run here at all say about it. */
  readonly listWarnings: () => readonly string[];
  readonly listLimitations: () => readonly string[];
  readonly close: () => Promise<void>;
}

function listOnce(probers: readonly Prober[]): readonly string[] {
  return [...new Set(probers.flatMap((prober) => prober.listLimitations()))];
}

export async function startProbers(
  starters: Readonly<Record<string, StartProber>>,
  tools: ProberTools,
): Promise<ProberSet> {
  const byType = new Map<string, Prober>();
  for (const [type, start] of Object.entries(starters)) byType.set(type, await start(tools));
  const all = [...byType.values()];
  const run: ProberSet["run"] = async (order, areAnchorsLost, tell) => {
    const prober = byType.get(order.kind);
    if (prober === undefined) {
      return { kind: "cannot-check", message: "This probe does not know this kind of check." };
    }
    return invalidateOutcome(
      await runFilled(prober, order, tell),
      areAnchorsLost,
      prober.isFlawless,
    );
  };
  return {
    run,
    isReachable: async (host) => {
      const asker = all.find((prober) => prober.isReachable !== undefined);
      return (await asker?.isReachable?.(host)) ?? true;
    },
    listWarnings: () => listOnce(all.filter((prober) => !prober.canRun())),
    listLimitations: () => listOnce(all),
    close: async () => {
      await Promise.all(all.map((prober) => prober.close()));
    },
  };
}
