/** Plans faults at random times. The plan depends only on the seed, so that it can be repeated. */

export const faultKinds = ["kill", "restart", "pause", "cut", "freeze", "slow"] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Name of the machine or link that the fault affects. */
  readonly subject: string;
  /**
   * Duration of the fault. A restart ignores it, because a restart takes as long as the machine
   * needs.
   */
  readonly forMs: number;
}

export interface PlannedFault extends Fault {
  readonly atMs: number;
}

/** Period in which a target is down. */
export interface PlannedOutage {
  readonly target: number;
  readonly atMs: number;
  readonly forMs: number;
}

export interface FaultPlan {
  readonly faults: readonly PlannedFault[];
  readonly outages: readonly PlannedOutage[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly lastsMs: number;
  readonly machines: readonly string[];
  readonly links: readonly string[];
  readonly targets: number;
  /** Pause after a fault before the next fault starts. Some faults overlap in spite of this. */
  readonly restMs: number;
  readonly maxFaultMs: number;
}

/**
 * Returns a generator of random numbers from 0 to 1, which is a linear congruential generator with
 * mixed bits (public domain constants).
 */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let mixed = state ^ (state >>> 15);
    mixed = Math.imul(mixed, 0x2c1b3c6d);
    mixed ^= mixed >>> 12;
    mixed = Math.imul(mixed, 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

const machineFaults = ["kill", "restart", "pause"] as const;
const linkFaults = ["cut", "freeze", "slow"] as const;
/** Share of faults that start before the previous fault has ended. */
const overlapShare = 0.3;
const minFaultMs = 2_000;
/**
 * Minimum duration of an outage. It is longer than the period of a check, so that at least one run
 * observes the outage.
 */
const minOutageMs = 12_000;
const outagesPerTargetMinute = 0.7;

export function planFaults(options: PlanOptions): FaultPlan {
  const { seed, lastsMs, machines, links, restMs, maxFaultMs } = options;
  const chance = createChance(seed);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(chance() * items.length)];
    if (item === undefined) throw new RangeError("there is nothing to choose from");
    return item;
  };
  const faults: PlannedFault[] = [];
  for (let atMs = restMs * chance(); ; ) {
    const isMachine = links.length === 0 || chance() < 0.6;
    const subject = pick(isMachine ? machines : links);
    const kind = pick<FaultKind>(isMachine ? machineFaults : linkFaults);
    const forMs = Math.round(minFaultMs + (maxFaultMs - minFaultMs) * chance() ** 3);
    if (atMs + forMs > lastsMs) break;
    faults.push({ kind, subject, forMs, atMs: Math.round(atMs) });
    atMs += (chance() < overlapShare ? forMs * chance() : forMs) + restMs * chance();
  }
  return { faults, outages: planOutages(options, chance) };
}

function planOutages({ lastsMs, targets }: PlanOptions, chance: () => number): PlannedOutage[] {
  return Array.from({ length: targets }, (_, target) => {
    const outages: PlannedOutage[] = [];
    const meanMs = 60_000 / outagesPerTargetMinute;
    for (let atMs = meanMs * chance(); ; ) {
      const forMs = Math.round(minOutageMs * (1 + chance()));
      if (atMs + forMs > lastsMs) return outages;
      outages.push({ target, atMs: Math.round(atMs), forMs });
      atMs += forMs + minOutageMs + meanMs * chance();
    }
  }).flat();
}
