import { ask, type Found, type Plan } from "../../plan.ts";
import type { KnownThing } from "../../reading/vocabulary.ts";
import type { GetStatusData, StatusData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import { describeStatus, writeStatus } from "../checks/status-wording.ts";
import type { Situation } from "../situation.ts";

const maxListed = 10;

/** The services and groups that are named; their checks stand for them. */
export function scopesOf({ intent }: Situation): KnownThing[] {
  return intent.subject.things.filter(({ kind }) => kind === "service" || kind === "group");
}

/** "of the service `Edge`". */
export function describeScopes(situation: Situation): string {
  const scopes = scopesOf(situation);
  if (scopes.length === 0) return "";
  return ` of ${writeList(scopes.map(({ kind, name }) => `the ${kind} ${quote(name)}`))}`;
}

/** How a service or a group is: as its checks are. */
export function* planScopes(situation: Situation): Plan<void> {
  const { answer } = situation;
  const scopes = scopesOf(situation);
  const checkIds = [...new Set(scopes.flatMap((scope) => scope.checkIds))].slice(0, 50);
  const found = checkIds.length === 0 ? null : yield* ask("get_status", { checkIds });
  for (const scope of scopes) {
    const own = (found?.data.checks ?? []).filter(({ checkId }) =>
      scope.checkIds.includes(checkId),
    );
    if (found === null || own.length === 0) {
      answer.line(`No check belongs to the ${scope.kind} ${quote(scope.name)}: no data.`);
      continue;
    }
    writeScope(situation, found, { scope, checks: own });
  }
}

const order = ["failing", "degraded", "unknown", "passing"] as const;

function writeScope(
  situation: Situation,
  found: Found<GetStatusData>,
  { scope, checks }: { readonly scope: KnownThing; readonly checks: readonly StatusData[] },
): void {
  const { answer } = situation;
  const name = quote(scope.name);
  const [only] = checks;
  if (checks.length === 1 && only !== undefined) {
    answer.line(`${name} has one check: ${describeStatus(found, only, situation)}`);
    return;
  }
  const bad = checks
    .filter(({ status }) => status !== "passing")
    .toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  const names = checks.filter(({ status }) => status === "passing").map((one) => quote(one.name));
  if (bad.length === 0) {
    const cited = answer.cite(found, ...checks.slice(0, 3).map(({ checkId }) => checkId));
    answer.line(
      `All ${checks.length} checks of the ${scope.kind} ${name} are passing: ${writeList(names)}.${cited}`,
    );
    return;
  }
  const counts = order.flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count === 0 ? [] : [`${count} ${writeStatus(status)}`];
  });
  answer.line(`${name}: ${writeList(counts)}, of ${writeCount(checks.length, "check")}:`);
  for (const check of bad.slice(0, maxListed)) answer.item(describeStatus(found, check, situation));
  if (bad.length > maxListed) answer.line(`And ${bad.length - maxListed} more.`);
  if (names.length > 0) answer.item(`passing: ${writeList(names)}.`);
}
