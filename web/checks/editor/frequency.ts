import { formatInterval } from "../../kinds/sentences.ts";
import { type Fields, getNumber } from "../../parts/fields.ts";

const seconds = [10, 20, 30];
const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];

export function listFrequencies(): { readonly value: string; readonly label: string }[] {
  return [...seconds, ...minutes.map((count) => count * 60)].map((count) => ({
    value: String(count),
    label: `Every ${formatInterval(count)}`,
  }));
}

/** Interval in seconds, as text. */
export function writeFrequency(values: Fields): string {
  const frequency = getNumber(values, "frequency") ?? 10;
  if (frequency > 0) return String(frequency * 60);
  return String(getNumber(values, "frequencyOffset") ?? 30);
}

/** Above a minute, an existing offset is kept; the API validates it. */
export function readFrequency(text: string): Fields {
  const count = Number(text);
  return count < 60
    ? { frequency: 0, frequencyOffset: count }
    : { frequency: count / 60, frequencyOffset: undefined };
}
