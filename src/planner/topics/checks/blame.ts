import { speechOf } from "../../kinds.ts";
import { callTool, callToolEach, type Found, type Plan, settle, together } from "../../plan.ts";
import type { GetStatusData, StatusData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import { checkIdsOf, isUnclear, type Situation } from "../situation.ts";
import { reportMissing } from "./status.ts";
import { describePlaces, describeStatus } from "./status-wording.ts";

type Blame =
  | "nothing-is-wrong"
  | "no-data"
  | "our-network"
  | "one-place"
  | "path-from-some-places"
  | "host"
  | "own-reason"
  | "expectation"
  | "cannot-tell";

interface BlameEvidence {
  readonly target: StatusData | null;
  readonly others: readonly StatusData[];
  readonly otherCount: number;
  readonly otherFailingCount: number;
}

const isBad = ({ verdict }: { readonly verdict: string }) =>
  verdict === "failing" || verdict === "degraded";

/**
 * Decides the likely cause of a failure. A reason that identifies the cause comes first. If at
 * least half of the other checks fail too, the cause is the network of the probes. If the check
 * passes from some locations, the cause is at the failing locations or on the network path from
 * there. Otherwise, the cause is the host.
 */
export function decideBlame(evidence: BlameEvidence): Blame {
  const { target, others, otherCount, otherFailingCount } = evidence;
  if (target === null) {
    if (otherFailingCount === 0) return "nothing-is-wrong";
    const isMost = otherFailingCount >= 3 && otherFailingCount >= otherCount / 2;
    return isMost ? "our-network" : "host";
  }
  if (target.status === "unknown") return "no-data";
  if (target.status === "passing") return "nothing-is-wrong";
  if (hasAnswered(target)) return "expectation";
  if (findCulprit(target) !== null) return "own-reason";
  const isMost = otherFailingCount >= 2 && otherFailingCount >= otherCount / 2;
  if (isMost) return "our-network";
  const bad = target.locations.filter(isBad);
  const good = target.locations.filter(({ verdict }) => verdict === "passing");
  if (bad.length > 0 && good.length > 0) {
    const isShared = bad.every(({ location }) => sharesTrouble(others, location));
    return isShared ? "one-place" : "path-from-some-places";
  }
  if (otherCount === 0) return "cannot-tell";
  return "host";
}

/**
 * Returns the sentence that explains the failure. Returns `null` unless all reasons have the same
 * explanation.
 */
function findCulprit(target: StatusData): string | null {
  const { culprits } = speechOf(target);
  const reasons = target.why.flatMap(({ reasons: own }) => own.map(({ name }) => name));
  const found = new Set(reasons.map((name) => culprits[name] ?? null));
  const [culprit = null] = found;
  return found.size === 1 ? culprit : null;
}

/**
 * Returns whether the check fails because its target responds although no response is expected.
 * Such a failure does not involve the network.
 */
function hasAnswered({ why }: StatusData): boolean {
  const isAnswer = ({ name }: { readonly name: string }) => name === "passed-against-expectation";
  return why.length > 0 && why.every(({ reasons }) => reasons.some(isAnswer));
}

/**
 * Returns whether other checks also have a problem at a location. A single other check is
 * sufficient evidence if it fails or is degraded at this location and passes at another location.
 * Otherwise, at least two other checks must fail or be degraded at this location, and they must be
 * at least half of the other checks that run there.
 */
function sharesTrouble(others: readonly StatusData[], place: string): boolean {
  const seen = others.filter(({ locations }) => locations.some((one) => one.location === place));
  const bad = seen.filter(({ locations }) =>
    locations.some((one) => one.location === place && isBad(one)),
  );
  const isOnlyThere = bad.some(({ locations }) =>
    locations.some(({ verdict }) => verdict === "passing"),
  );
  return isOnlyThere || (bad.length >= 2 && bad.length >= seen.length / 2);
}

const conclusions: Readonly<Record<Exclude<Blame, "own-reason">, string>> = {
  "nothing-is-wrong": "Neither: nothing is failing now.",
  "no-data": "I cannot tell: the check has no data.",
  "our-network":
    "It looks like the network that the probes use, not the hosts: most checks fail at the same time.",
  "one-place":
    "It looks like the place, not the host: from there other checks fail too, and from elsewhere this one passes.",
  "path-from-some-places":
    "It looks like the network path from some places to the host: it passes from elsewhere, and other checks from those places pass.",
  host: "It looks like the host, or the network next to it: it fails while others pass.",
  expectation: "Neither: the host answers, and this check fails because it is expected not to.",
  "cannot-tell":
    "I cannot tell: this is the only check, so there is nothing to compare it with. Add a check of your own gateway or of a host elsewhere.",
};

/** Answers "is it the network or the host?". */
export function* planBlame(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "that")) return;
  const checkIds = checkIdsOf(intent);
  const [found, own] = yield* together(
    callTool("get_status", {}),
    checkIds.length === 0 ? settle(null) : callTool("get_status", { checkIds }),
  );
  if (found === null) return;
  if (checkIds.length > 0 && own === null) return;
  const { all, answered } = splitAnswered(found);
  const failing = all.data.counts.failing > 0 ? findFailing(all.data) : answered;
  const targets = checkIds.length > 0 ? (own?.data.checks ?? []) : failing;
  if (targets.length === 0) writeVerdict(situation, all, null);
  for (const target of targets.slice(0, checkIds.length > 0 ? 3 : maxTargets)) {
    writeVerdict(situation, all, target);
    answer.item(describeStatus(own ?? found, target, situation));
    if (target.locations.length > 1) {
      const cited = answer.cite(own ?? found, target.checkId);
      answer.item(`${describePlaces(target)}.${cited}`);
    }
    yield* writeErrors(situation, target);
  }
  if (own !== null) reportMissing(situation, own);
}

const maxTargets = 2;

/**
 * Returns the failing checks to examine for "is it the network or the host?". Returns none if at
 * least three checks, and at least half of all checks, are failing: the cause is then probably
 * shared, and examining checks one by one would not find it.
 */
function findFailing({ checks, counts, total }: GetStatusData): readonly StatusData[] {
  if (counts.failing >= 3 && counts.failing >= total / 2) return [];
  return checks.filter(({ status }) => status === "failing");
}

/**
 * Separates the checks that fail because their target responds. They are no evidence about the
 * network.
 */
function splitAnswered(all: Found<GetStatusData>): {
  readonly all: Found<GetStatusData>;
  readonly answered: readonly StatusData[];
} {
  const { data } = all;
  const answered = data.checks.filter(hasAnswered);
  const failing = data.counts.failing - answered.length;
  const checks = data.checks.filter((check) => !answered.includes(check));
  const total = data.total - answered.length;
  const counts = { ...data.counts, failing };
  return { all: { ...all, data: { ...data, checks, counts, total } }, answered };
}

function writeVerdict(
  { answer }: Situation,
  all: Found<GetStatusData>,
  target: StatusData | null,
): void {
  const others = all.data.checks.filter(({ checkId }) => checkId !== target?.checkId);
  const { counts, total } = all.data;
  const isCounted = target !== null && !hasAnswered(target);
  const ownFailure = isCounted && target.status === "failing" ? 1 : 0;
  const evidence: BlameEvidence = {
    target,
    others,
    otherCount: total - (isCounted ? 1 : 0),
    otherFailingCount: Math.max(0, counts.failing - ownFailure),
  };
  const name = target === null ? "" : `${quote(target.name)}: `;
  const blame = decideBlame(evidence);
  const conclusion = blame === "own-reason" ? target && findCulprit(target) : conclusions[blame];
  answer.line(`${name}${conclusion}`);
  const failing = others.filter(({ status }) => status === "failing");
  const who = writeList(
    failing.map((check) => quote(check.name)),
    4,
  );
  const cited = failing.slice(0, 4).map(({ checkId }) => checkId);
  const first = failing.length > 0 ? answer.cite(all, ...cited) : answer.cite(all);
  answer.item(
    `${evidence.otherFailingCount} of ${writeCount(evidence.otherCount, target === null ? "check" : "other check")} failing${who === "" ? "" : `: ${who}`}.${first}`,
  );
}

/**
 * Adds errors that other hosts on the path reported, because they are the best evidence about the
 * path.
 */
function* writeErrors({ answer }: Situation, target: StatusData): Plan<void> {
  const runs = yield* callToolEach(
    "get_result",
    target.why.slice(0, 2).map(({ resultId }) => ({ checkId: target.checkId, resultId })),
  );
  for (const run of runs) {
    const errors = run === null ? null : speechOf(run.data).findEvidence(run.data);
    if (run === null || errors === null) continue;
    answer.item(`From ${run.data.location}, ${errors}.${answer.cite(run, run.data.resultId)}`);
  }
}
