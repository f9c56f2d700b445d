import type { Order, OrderVariable } from "../../contract/order.ts";
import type { OnStep, RunStep } from "../../contract/progress.ts";
import type { Outcome, Trouble } from "../../contract/result.ts";
import type { Prober } from "../prober.ts";
import type { ChangeText, KindTexts } from "../texts.ts";
import { createHider } from "./hidden-values.ts";
import { fillVariables } from "./template.ts";

/** Maximum length of all texts of a request after its variables are filled in. */
export const maxFilledLength = 1_000_000;

/**
 * Runs an order with its variables filled in. The outcome contains no hidden values. Callers report
 * it together with the original request of the order.
 */
export async function runFilled(prober: Prober, order: Order, onStep?: OnStep): Promise<Outcome> {
  const { variables, ...rest } = order;
  if (variables === undefined) return prober.run(order, onStep);
  const hide = createHider(variables.flatMap(({ value, isHidden }) => (isHidden ? value : [])));
  try {
    const request = fillRequest(prober.texts, order.request, variables);
    if (request === null) {
      const message = "The request is too long once its variables are filled in.";
      return { kind: "cannot-check", message };
    }
    const onHiddenStep = onStep && ((step: RunStep) => onStep(hideInStep(step, hide)));
    const outcome = await prober.run({ ...rest, request }, onHiddenStep);
    return hideInOutcome(prober.texts, outcome, hide);
  } catch (error) {
    // The error may contain the request and is logged.
    throw new Error(hide(String(error)));
  }
}

/** Returns the request with its variables filled in; `null` if it would be too long. */
export function fillRequest<Request>(
  texts: KindTexts<Request>,
  request: Request,
  variables: readonly OrderVariable[],
): Request | null {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  let length = 0;
  const filled = texts.mapRequest(request, (text) => {
    // Measured before the text is built, since a short name may stand for a long value many times.
    fillVariables(text, (name) => {
      length += values.get(name)?.length ?? 0;
      return "";
    });
    return length > maxFilledLength ? text : fillVariables(text, (name) => values.get(name));
  });
  return length > maxFilledLength ? null : filled;
}

function hideInOutcome(texts: KindTexts, outcome: Outcome, hide: ChangeText): Outcome {
  if (outcome.kind === "measured") {
    return { ...outcome, measurement: texts.mapMeasurement(outcome.measurement, hide) };
  }
  if (outcome.kind === "unreachable") {
    return { ...outcome, trouble: hideInTrouble(outcome.trouble, hide) };
  }
  return { ...outcome, message: hide(outcome.message) };
}

/** Kinds may add their own fields. */
function hideInTrouble({ kind, code, message, ...more }: Trouble, hide: ChangeText): Trouble {
  return { ...hideInFields(more, hide), kind, code, message: hide(message) };
}

/** The name of the step is a constant of this code. */
function hideInStep({ step, ...facts }: RunStep, hide: ChangeText): RunStep {
  return { ...(hideInFields(facts, hide) as typeof facts), step };
}

function hideInFields(fields: object, hide: ChangeText): object {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([name, value]) => [name, hideInValue(value, hide)]));
}

function hideInValue(value: unknown, hide: ChangeText): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideInValue(one, hide));
  return typeof value === "object" && value !== null ? hideInFields(value, hide) : value;
}
