import type { Order } from "../contract/order.ts";
import type { OnStep } from "../contract/progress.ts";
import type { Outcome } from "../contract/result.ts";
import type { Prober, ProberTools, StartProber } from "../kinds/prober.ts";
import { runFilled } from "../kinds/variables/run-filled.ts";
import { invalidateOutcome } from "./anchors.ts";

/** The probers of one process, by check type. */
export interface ProberSet {
  /** While the anchors are lost, a failed measurement becomes `cannot-check`. */
  readonly run: (order: Order, areAnchorsLost: boolean, onStep?: OnStep) => Promise<Outcome>;
  readonly isReachable: (host: string) => Promise<boolean>;
  /** Warnings for the kinds of check that cannot run here at all. */
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
  const run: ProberSet["run"] = async (order, areAnchorsLost, onStep) => {
    const prober = byType.get(order.kind);
    if (prober === undefined) {
      return { kind: "cannot-check", message: "This probe does not support this kind of check." };
    }
    return invalidateOutcome(
      await runFilled(prober, order, onStep),
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
