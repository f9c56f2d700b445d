import type { Order } from "../contract/order.ts";
import type { OnStep, Outcome } from "../contract/result.ts";
import type { Prober, ProberTools, StartProber } from "../kinds/kit/prober.ts";
import { runFilled } from "../kinds/kit/variables/variables.ts";
import { createCaptures } from "../kinds/wire/kernel/captures.ts";
import type { Log } from "../platform/log.ts";
import { type Loop, startLoop } from "../platform/loop.ts";

const everyMs = 10_000;

/** The probers of a process. There is one prober per check type. */
export interface ProberSet {
  /**
   * Executes a run order. `areAnchorsLost` is true if no anchor host responds, so that the probe's
   * own network is probably down. The outcome is then `cannot-check`, unless it is a measurement
   * without a failure.
   */
  readonly run: (order: Order, areAnchorsLost: boolean, onStep?: OnStep) => Promise<Outcome>;
  /** Returns the request of a run order in the shorter form that results contain. */
  readonly shortenRequest: (order: Order) => unknown;
  readonly isReachable: (host: string) => Promise<boolean>;
  /** Returns warnings for the kinds of checks that cannot run on this machine. */
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
  const runCaptured = createCaptures(tools);
  const run: ProberSet["run"] = async (order, areAnchorsLost, onStep) => {
    const prober = byType.get(order.kind);
    if (prober === undefined) {
      return { kind: "cannot-check", message: "This probe does not support this kind of check." };
    }
    const measure = () => runFilled(prober, order, onStep);
    const outcome = await (order.capture === undefined ? measure() : runCaptured(order, measure));
    return invalidateOutcome(outcome, areAnchorsLost, prober.isFlawless);
  };
  return {
    run,
    shortenRequest: ({ kind, request }) => byType.get(kind)?.shortenRequest?.(request) ?? request,
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

/** State of the anchor hosts. A probe can always reach them, unless its own network is down. */
export interface Anchors {
  /** Whether no anchor host responds, so that the probe's own network may cause failures. */
  readonly areLost: () => boolean;
  readonly loop: Loop;
}

interface AnchorOptions {
  readonly hosts: readonly string[];
  readonly log: Log;
  readonly isReachable: (host: string) => Promise<boolean>;
}

/**
 * Monitors the anchor hosts, so that targets do not count as failed during an outage of the probe's
 * network.
 */
export async function watchAnchors({ hosts, log, isReachable }: AnchorOptions): Promise<Anchors> {
  let areLost = false;
  const poll = async () => {
    const answers = await Promise.all(hosts.map((host) => isReachable(host)));
    const wereLost = areLost;
    areLost = hosts.length > 0 && !answers.includes(true);
    if (areLost !== wereLost) log.warn({ areLost }, "reachability of the anchors changed");
  };
  await poll();
  const loop = startLoop({ name: "check the anchors", everyMs, log, turn: poll });
  return { areLost: () => areLost, loop };
}

/**
 * Replaces an outcome by `cannot-check` while no anchor host responds, unless it is a measurement
 * without a failure.
 */
export function invalidateOutcome(
  outcome: Outcome,
  areAnchorsLost: boolean,
  isFlawless: (measurement: unknown) => boolean,
): Outcome {
  if (!areAnchorsLost) return outcome;
  if (outcome.kind === "measured" && isFlawless(outcome.measurement)) return outcome;
  const message = "This probe cannot reach its anchor hosts; its own network is probably down.";
  return { kind: "cannot-check", message };
}
