import type { Outcome } from "../contract/result.ts";
import type { Log } from "../platform/log.ts";
import { type Loop, startLoop } from "../platform/loop.ts";

/** Hosts that a probe can reach unless its own network is down. */
export interface Anchors {
  /** Whether no anchor responds, so that failures may be caused by the probe's network. */
  readonly areLost: () => boolean;
  readonly loop: Loop;
}

export interface AnchorOptions {
  readonly hosts: readonly string[];
  readonly log: Log;
  readonly isReachable: (host: string) => Promise<boolean>;
}

const everyMs = 10_000;

/**
 * Monitors the probe's own network, so that its failures are not reported as failures of targets.
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

/** Replaces any failed measurement by `cannot-check` while the anchors are lost. */
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
