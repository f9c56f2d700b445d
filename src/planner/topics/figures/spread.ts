import { speechOf } from "../../kinds.ts";
import { callTool, type Plan } from "../../plan.ts";
import { quote, writeCount, writeMs } from "../../wording.ts";
import { checkIdsOf, duringWindow, pastWindow, type Situation, spanOf } from "../situation.ts";

/** Answers how much the response time of a check varies over its newest runs. */
export function* planSpread(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const { places } = intent.subject;
  const window = pastWindow(situation);
  for (const checkId of checkIdsOf(intent).slice(0, 3)) {
    const found = yield* callTool("list_results", { checkId, ...spanOf(window), limit: 100 });
    if (found === null) continue;
    const { name, results } = found.data;
    const { spread } = speechOf(found.data);
    if (spread === null) {
      answer.line(`${quote(name)} is a check of another kind, which measures no such thing.`);
      continue;
    }
    const known = results
      .filter(({ location }) => places.length === 0 || places.includes(location))
      .map((result) => spread.ofResult(result))
      .filter((value) => value !== null);
    if (known.length === 0) {
      answer.line(`${quote(name)} has no data on ${spread.noun} ${duringWindow(window)}.`);
      continue;
    }
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    answer.line(
      `The ${spread.noun} of ${quote(name)} is ${writeMs(mean)} on average and ${writeMs(Math.max(...known))} at most, over its newest ${writeCount(known.length, "run")} ${duringWindow(window)}.${answer.cite(found, checkId)}`,
    );
  }
}
