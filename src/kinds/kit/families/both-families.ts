import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { noDataKinds, type Outcome, type Trouble } from "../../../contract/result.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import type { Run } from "../definition.ts";
import {
  allWithinLimits,
  type Judge,
  type Judgement,
  judgeConclusion,
  type OneFamilyFails,
  type Reason,
  type Verdict,
  type VerdictSettings,
} from "../verdict.ts";

/** Value of `ipFamily` for runs that measure IPv4 and IPv6 at the same time. */
const both = "BOTH";
export const families = ["IPv4", "IPv6"] as const satisfies readonly IpFamily[];

/**
 * Schema of `ipFamily` in API requests and responses. The static type excludes `BOTH`, because
 * `addFamilies` splits runs with both families before a kind receives the request.
 */
export const FamilyChoice = Type.Unsafe<IpFamily>(
  Type.Enum([...families, both], { type: "string" }),
);

export const familyMeaning =
  "The IP family used to connect to the host. `BOTH` measures IPv4 and IPv6 in every run; a run " +
  "in which only one of them fails is degraded.";

export type ByFamily<Value> = Readonly<Record<IpFamily, Value>>;

/**
 * Outcomes of both IP families. They are the measurement of a run or, if neither family was
 * measured, part of its error.
 */
export interface OfBoth<Measurement = unknown> {
  readonly families: ByFamily<Outcome<Measurement>>;
}

export function usesBoth(request: unknown): boolean {
  return (request as { readonly ipFamily?: unknown } | null)?.ipFamily === both;
}

export function isOfBoth<Value>(found: Value): found is Value & OfBoth {
  return typeof found === "object" && found !== null && "families" in found;
}

/** Returns a copy of the request with the given `ipFamily`. */
export function withFamily<Request>(request: Request, ipFamily: IpFamily | typeof both): Request {
  return { ...request, ipFamily };
}

export const toBoth = <Request>(request: Request) => withFamily(request, both);

/** Joins the texts of two IP families. Equal texts appear only once. */
function joinTexts(IPv4: string, IPv6: string): string {
  return IPv4 === IPv6 ? IPv4 : `IPv4: ${IPv4} IPv6: ${IPv6}`;
}

const messageOf = (outcome: Exclude<Outcome, { readonly kind: "measured" }>) =>
  outcome.kind === "unreachable" ? outcome.trouble.message : outcome.message;

/** Combines the outcomes of the IPv4 run and the IPv6 run of one order. */
export function combineOutcomes(outcomes: ByFamily<Outcome>): Outcome {
  const { IPv4, IPv6 } = outcomes;
  if (IPv4.kind === "measured" || IPv6.kind === "measured") {
    return { kind: "measured", measurement: { families: outcomes } satisfies OfBoth };
  }
  const message = joinTexts(messageOf(IPv4), messageOf(IPv6));
  const unreachable = [IPv4, IPv6].find((outcome) => outcome.kind === "unreachable");
  if (unreachable === undefined) return { ...IPv4, message } as Outcome;
  const { kind, code } = unreachable.trouble;
  const trouble: Trouble & OfBoth = { kind, code, message, families: outcomes };
  return { kind: "unreachable", trouble };
}

const Text = (maxLength: number) => Type.String({ maxLength });

/** Schema of the outcome of one IP family that was not measured. */
const Unmeasured = Type.Union([
  Type.Object({
    kind: Type.Literal("unreachable"),
    trouble: Type.Object({ kind: Text(100), code: Text(100), message: Text(100_000) }),
  }),
  Type.Object({
    kind: Type.Union(noDataKinds.map((kind) => Type.Literal(kind))),
    message: Text(100_000),
  }),
]);

/** Maximum JSON length of a stored outcome without a measurement. */
const maxUnmeasuredLength = 200_000;

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * The schema is compiled on first use, because probes load this module but never validate outcomes.
 */
function isUnmeasured(value: unknown): value is Outcome {
  compiled ??= Compile(Unmeasured);
  return compiled.Check(value) && JSON.stringify(value).length <= maxUnmeasuredLength;
}

/** Validates the outcomes of both IP families, because probes are not trusted. */
export function areOutcomes(
  value: unknown,
  isMeasurement: (measurement: unknown) => boolean,
): value is ByFamily<Outcome> {
  if (typeof value !== "object" || value === null) return false;
  const outcomes = value as Partial<ByFamily<{ kind?: unknown; measurement?: unknown } | null>>;
  return families.every((family) => {
    const outcome = outcomes[family];
    return outcome?.kind === "measured"
      ? isMeasurement(outcome.measurement)
      : isUnmeasured(outcome);
  });
}

const unsupported: Outcome = {
  kind: "cannot-check",
  message: "This probe measured one IP family only. Update the probe.",
};

function splitOutcome(outcome: Outcome): ByFamily<Outcome> {
  if (outcome.kind === "measured") {
    const { measurement } = outcome;
    // A probe with an older version ignores `BOTH`, so its measurement contains only one family.
    return isOfBoth(measurement) ? measurement.families : { IPv4: outcome, IPv6: unsupported };
  }
  if (outcome.kind === "unreachable") {
    const { trouble } = outcome;
    if (isOfBoth(trouble) && areOutcomes(trouble.families, () => false)) return trouble.families;
  }
  return { IPv4: outcome, IPv6: outcome };
}

/** Splits a run with both IP families into two runs with one family each. */
export function splitRun<Request, Measurement>({
  request,
  startedAtMs,
  outcome,
}: Run<Request, Measurement>): ByFamily<Run<Request, Measurement>> {
  const outcomes = splitOutcome(outcome) as ByFamily<Outcome<Measurement>>;
  const toRun = (family: IpFamily) => ({
    request: withFamily(request, family),
    startedAtMs,
    outcome: outcomes[family],
  });
  return { IPv4: toRun("IPv4"), IPv6: toRun("IPv6") };
}

/**
 * Adds the family to each reason, so that `describeReason` can name the family. Drops the reason
 * `all-within-limits`.
 */
const tag = (reasons: readonly Reason[], family: IpFamily): Reason[] =>
  reasons.filter(({ name }) => name !== allWithinLimits.name).map((one) => ({ ...one, family }));

/** Judges a run in which only one IP family fails. The verdict is degraded. */
function judgeGap(judgements: ByFamily<Judgement>, failing: IpFamily): Judgement {
  const working = failing === "IPv4" ? "IPv6" : "IPv4";
  const gap: OneFamilyFails = { name: "one-family-fails", failing, working };
  const reasons = [
    gap,
    ...tag(judgements[failing].reasons, failing),
    ...tag(judgements[working].reasons, working),
  ];
  const { isNetworkError } = judgements[failing];
  return { verdict: "degraded", isNetworkError, hasFailedFamily: true, reasons };
}

/**
 * Combines the judgements of two IP families. If the verdicts are equal, the run gets this verdict.
 * If the verdicts differ, the run is degraded.
 *
 * There is one exception. If the verdict of one family is unknown and the other family has the
 * expected verdict, the run is unknown. The expected verdict is passing, or failing if `shouldFail`
 * is true.
 */
export function combineJudgements(
  judgements: ByFamily<Judgement>,
  { shouldFail }: Pick<VerdictSettings, "shouldFail">,
): Judgement {
  const { IPv4, IPv6 } = judgements;
  const verdicts: readonly Verdict[] = [IPv4.verdict, IPv6.verdict];
  const isUnknown = verdicts.includes("unknown");
  if (!isUnknown && IPv4.verdict !== IPv6.verdict && verdicts.includes("failing")) {
    return judgeGap(judgements, IPv4.verdict === "failing" ? "IPv4" : "IPv6");
  }
  const isNetworkError = IPv4.isNetworkError && IPv6.isNetworkError;
  const reasons = alternate(tag(IPv4.reasons, "IPv4"), tag(IPv6.reasons, "IPv6"));
  if (IPv4.verdict === IPv6.verdict) {
    const same = areSame(IPv4, IPv6) ? IPv4.reasons : reasons;
    return { verdict: IPv4.verdict, isNetworkError, reasons: same };
  }
  const bad = shouldFail ? "passing" : "failing";
  const isBad = verdicts.some((verdict) => verdict === "degraded" || verdict === bad);
  return { verdict: isUnknown && !isBad ? "unknown" : "degraded", isNetworkError, reasons };
}

const areSame = (one: Judgement, other: Judgement) =>
  JSON.stringify(one.reasons) === JSON.stringify(other.reasons);

/** Interleaves the reasons of both IP families, because texts show only the first few. */
function alternate(first: readonly Reason[], second: readonly Reason[]): Reason[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, place) => [first[place] ?? [], second[place] ?? []]).flat(2);
}

type Judging<Settings extends VerdictSettings, Request, Measurement> = Judge<
  Settings,
  Run<Request, Measurement>
>;

/** Judges each IP family by the kind's own rules and combines the two judgements. */
export function judgeBoth<Settings extends VerdictSettings, Request, Measurement>(
  kind: Judging<Settings, Request, Measurement>,
  settings: Settings,
  run: Run<Request, Measurement>,
): Judgement {
  const { IPv4, IPv6 } = splitRun(run);
  const judgements = {
    IPv4: judgeConclusion(kind, settings, IPv4),
    IPv6: judgeConclusion(kind, settings, IPv6),
  };
  return combineJudgements(judgements, settings);
}

/**
 * Selects the run to investigate after a failure. For a run with both IP families, this is the IPv6
 * run if only IPv6 failed, otherwise the IPv4 run. Any other run is returned itself.
 */
export function findFailedRun<Settings extends VerdictSettings, Request, Measurement>(
  kind: Judging<Settings, Request, Measurement>,
  settings: Settings,
  run: Run<Request, Measurement>,
): Run<Request, Measurement> {
  if (!usesBoth(run.request)) return run;
  const { IPv4, IPv6 } = splitRun(run);
  const hasFailed = judgeConclusion(kind, settings, IPv6).verdict === "failing";
  const isGap = hasFailed && judgeConclusion(kind, settings, IPv4).verdict !== "failing";
  return isGap ? IPv6 : IPv4;
}
