import type { Outcome } from "../contract/result.ts";
import type { Log } from "../platform/log.ts";
import { type Loop, startLoop } from "../platform/loop.ts";

/** Hosts that a probe can always reach unless its own network is in trouble. */
export interface Anchors {
  /** None of them answers: what looks down from here may be up. */
  readonly areLost: () => boolean;
  readonly loop: Loop;
}

export interface AnchorOptions {
  readonly hosts: readonly string[];
  readonly log: Log;
  /** Whether a host answers. */
  readonly isReachable: (host: string) => Promise<boolean>;
}

const everyMs = 10_000;

/** Tests this probe's own network, so that its trouble is not reported as that of targets. */
export async function watchAnchors({ hosts, log, isReachable }: AnchorOptions): Promise<Anchors> {
  let areLost = false;
  const look = async () => {
    const answers = await Promise.all(hosts.map((host) => isReachable(host)));
    const wereLost = areLost;
    areLost = hosts.length > 0 && !answers.includes(true);
    if (areLost !== wereLost) log.warn({ areLost }, "the anchors of this probe");
  };
  await look();
  const loop = startLoop({ name: "watch the anchors", everyMs, log, turn: look });
  return { areLost: () => areLost, loop };
}

/** A probe that cannot reach its anchors has learned nothing about a host in trouble. */
export function invalidateOutcome(
  outcome: Outcome,
  areAnchorsLost: boolean,
  isFlawless: (measurement: unknown) => boolean,
): Outcome {
  if (!areAnchorsLost) return outcome;
  if (outcome.kind === "measured" && isFlawless(outcome.measurement)) return outcome;
  const message = "This probe cannot reach its own anchors: the trouble is likely its own.";
  return { kind: "cannot-check", message };
}
