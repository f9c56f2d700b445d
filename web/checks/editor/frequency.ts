import type { AnyValues, CheckKind } from "../../kinds/form-values.ts";
import { formatInterval } from "../../kinds/sentences.ts";
import { getNumber } from "../../parts/fields.ts";

export function listFrequencies(
  intervalSeconds: readonly number[],
): { readonly value: string; readonly label: string }[] {
  return intervalSeconds.map((count) => ({
    value: String(count),
    label: `Every ${formatInterval(count)}`,
  }));
}

/** Returns the interval in seconds as text. */
export function writeFrequency(values: AnyValues, { defaults }: CheckKind): string {
  const frequency = getNumber(values, "frequency") ?? defaults.frequency ?? 0;
  if (frequency > 0) return String(frequency * 60);
  return String(getNumber(values, "frequencyOffset") ?? 30);
}

/**
 * Returns the API fields of an interval in seconds. Only intervals below a minute use
 * `frequencyOffset`.
 */
export function readFrequency(text: string): AnyValues {
  const count = Number(text);
  return count < 60
    ? { frequency: 0, frequencyOffset: count }
    : { frequency: toFrequency(count / 60), frequencyOffset: undefined };
}

/**
 * Casts an interval to the API's type. The cast is safe, because the API provides the selectable
 * intervals.
 */
const toFrequency = (minutes: number) => minutes as NonNullable<AnyValues["frequency"]>;
