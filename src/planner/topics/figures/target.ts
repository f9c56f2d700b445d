import type { Found } from "../../plan.ts";
import type { Intent } from "../../reading/question.ts";
import type { CheckFigures, GetStatisticsData } from "../../tools/tool-data.ts";
import { quote, writeAvailability, writeCount } from "../../wording.ts";
import type { Situation } from "../situation.ts";

export interface Target {
  readonly percent: number;
  /** Whether the question asks for those that miss the target. */
  readonly wantsBelow: boolean;
}

/** "100 % uptime", "below 99.9 %", "do we meet 99.5 %". */
export function readTarget({ canonical }: Intent): Target | null {
  const [, percent] = /\b(\d{1,3}(?:\.\d{1,4})?) %/.exec(canonical) ?? [];
  if (percent === undefined || Number(percent) > 100) return null;
  return { percent: Number(percent), wantsBelow: /\b(?:below|under|less|NOT)\b/.test(canonical) };
}

const maxListed = 15;

/** Lists the checks that reach an availability target, and those that do not. */
export function planTarget(
  { answer, intent }: Situation,
  about: {
    readonly found: Found<GetStatisticsData>;
    readonly known: readonly CheckFigures[];
    readonly target: Target;
    readonly span: string;
  },
): void {
  const { found, known, target, span } = about;
  const share = (check: CheckFigures) => check.availabilityPercent ?? 0;
  const [below, reached] = [
    known.filter((check) => share(check) < target.percent),
    known.filter((check) => share(check) >= target.percent),
  ];
  const isNamed = intent.subject.checks.length > 0;
  const shown = target.wantsBelow ? below : isNamed ? known : reached;
  const [verb, count] = target.wantsBelow ? ["below", below.length] : ["at", reached.length];
  const colon = shown.length === 0 ? "." : ":";
  answer.line(
    `${count} of ${writeCount(known.length, "check")} ${count === 1 ? "was" : "were"} ${verb} ${target.percent} %${verb === "at" && target.percent < 100 ? " or above" : ""} ${span}${colon}${shown.length === 0 ? answer.cite(found) : ""}`,
  );
  for (const check of shown
    .toSorted((one, other) => share(one) - share(other))
    .slice(0, maxListed)) {
    answer.item(
      `${quote(check.name)}: ${writeAvailability(share(check))}.${answer.cite(found, check.checkId)}`,
    );
  }
  if (shown.length > maxListed) answer.line(`And ${shown.length - maxListed} more.`);
}
