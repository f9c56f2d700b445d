import { ask, type Plan } from "../plan.ts";
import { quote, writeCount, writeMs } from "../wording.ts";
import { checkIdsOf, duringWindow, pastWindow, type Situation, spanOf } from "./situation.ts";

/** How unsteady the round trips of a check are, over its newest runs. */
export function* planJitter(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const { places } = intent.subject;
  const window = pastWindow(situation);
  for (const checkId of checkIdsOf(intent).slice(0, 3)) {
    const found = yield* ask("list_results", { checkId, ...spanOf(window), limit: 100 });
    if (found === null) continue;
    const { name, results } = found.data;
    const known = results.flatMap(({ jitterMs, location }) =>
      jitterMs === null || (places.length > 0 && !places.includes(location)) ? [] : [jitterMs],
    );
    if (known.length === 0) {
      answer.line(`${quote(name)} has no data on jitter ${duringWindow(window)}.`);
      continue;
    }
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    answer.line(
      `The jitter of ${quote(name)} is ${writeMs(mean)} on average and ${writeMs(Math.max(...known))} at most, over its newest ${writeCount(known.length, "run")} ${duringWindow(window)}.${answer.cite(found, checkId)}`,
    );
  }
}
