/**
 * Minimum number of runs of a check per probe, and the share that must agree for a clear verdict.
 */
export const leastRuns = 2;
export const sureShare = 0.75;
/** Besides the probe itself; at least one of them at the same place. */
export const leastWitnesses = 2;
export const leastDisagreements = 3;

/** Decides whether probes agree with each other. Pure. */

/** The final runs of one probe for one check in the window. */
export interface ProbeVote {
  readonly checkId: string;
  readonly probeId: string;
  readonly route: string;
  /** Passing and degraded runs. */
  readonly up: number;
  readonly down: number;
}

export interface ComparedProbe {
  readonly id: string;
  readonly route: string;
  /** Alive and not in quarantine. */
  readonly isTrusted: boolean;
}

export interface Agreement {
  readonly probeId: string;
  /** Checks on which this probe and enough others have a clear verdict. */
  readonly compared: number;
  readonly disagreeing: number;
  readonly isToBeQuarantined: boolean;
}

type Side = "up" | "down";

function sideOf({ up, down }: ProbeVote): Side | null {
  const runs = up + down;
  if (runs < leastRuns) return null;
  if (up >= runs * sureShare) return "up";
  return down >= runs * sureShare ? "down" : null;
}

interface Sure {
  readonly probeId: string;
  readonly route: string;
  readonly side: Side;
}

type Comparison = "agrees" | "disagrees" | "cannot-be-compared";

/**
 * A probe is compared if at least two others have a clear verdict, one of them at the same place,
 * because a target may look different from elsewhere. It disagrees if two thirds of them see the
 * opposite, and more than half of those at its own place.
 */
function compare(own: Sure, all: readonly Sure[]): Comparison {
  const others = all.filter(({ probeId }) => probeId !== own.probeId);
  const beside = others.filter(({ route }) => route === own.route);
  if (others.length < leastWitnesses || beside.length === 0) return "cannot-be-compared";
  const against = (some: readonly Sure[]) => some.filter(({ side }) => side !== own.side).length;
  const isAlone = against(others) * 3 >= others.length * 2;
  return isAlone && against(beside) * 2 > beside.length ? "disagrees" : "agrees";
}

/**
 * Judges every trusted probe. A probe is quarantined if it disagrees on at least three checks and
 * on at least half of those compared. A place always keeps at least one trusted probe, and at least
 * as many as are quarantined at once.
 */
export function judgeProbes(
  votes: readonly ProbeVote[],
  probes: readonly ComparedProbe[],
): Agreement[] {
  const trusted = probes.filter(({ isTrusted }) => isTrusted);
  const known = new Set(trusted.map(({ id }) => id));
  const tallies = new Map(trusted.map(({ id }) => [id, { compared: 0, disagreeing: 0 }]));
  const counted = votes.filter(({ probeId }) => known.has(probeId));
  for (const some of Map.groupBy(counted, ({ checkId }) => checkId).values()) {
    const sure = some.flatMap((vote): Sure[] => {
      const side = sideOf(vote);
      return side === null ? [] : [{ probeId: vote.probeId, route: vote.route, side }];
    });
    for (const own of sure) {
      const tally = tallies.get(own.probeId);
      const outcome = compare(own, sure);
      if (tally === undefined || outcome === "cannot-be-compared") continue;
      tally.compared += 1;
      if (outcome === "disagrees") tally.disagreeing += 1;
    }
  }
  const isWrong = (id: string) => {
    const { compared, disagreeing } = tallies.get(id) ?? { compared: 0, disagreeing: 0 };
    return disagreeing >= leastDisagreements && disagreeing * 2 >= compared;
  };
  return trusted.map(({ id, route }) => {
    const beside = trusted.filter((other) => other.route === route);
    const wrong = beside.filter((other) => isWrong(other.id)).length;
    const { compared, disagreeing } = tallies.get(id) ?? { compared: 0, disagreeing: 0 };
    const othersTakeOver = wrong < beside.length && wrong * 2 <= beside.length;
    return {
      probeId: id,
      compared,
      disagreeing,
      isToBeQuarantined: isWrong(id) && othersTakeOver,
    };
  });
}

export function describeDisagreement({ compared, disagreeing }: Agreement): string {
  return `It disagreed with the other probes on ${disagreeing} of ${compared} checks.`;
}
