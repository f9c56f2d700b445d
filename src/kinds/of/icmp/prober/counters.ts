/** Names of the counters that the engine reports. */
const COUNTER_NAMES = [
  "packetsSent",
  "repliesMatched",
  "foreign",
  "late",
  "duplicate",
  "wrongSource",
  "icmpErrors",
  "staleErrors",
  "sendBlocked",
  "sendRefused",
  "localDrops",
  "missingTransmitStamps",
  "missingReceiveStamps",
  "clockSteps",
  "repeats",
  "runsFinished",
  "polls",
] as const;

type CounterName = (typeof COUNTER_NAMES)[number];
export type EngineCounters = Record<CounterName, number>;

export function createCounters(): EngineCounters {
  return namedCounters(new Array<number>(COUNTER_NAMES.length).fill(0));
}

export function packCounters(counters: EngineCounters): Float64Array {
  return Float64Array.from(COUNTER_NAMES, (name) => counters[name]);
}

export function addCounters(total: EngineCounters, packed: Float64Array): EngineCounters {
  return namedCounters(COUNTER_NAMES.map((name, index) => total[name] + (packed[index] ?? 0)));
}

// The cast is sound because the entries are built from the complete list of names.
function namedCounters(values: readonly number[]): EngineCounters {
  const entries = COUNTER_NAMES.map((name, index) => [name, values[index] ?? 0]);
  return Object.fromEntries(entries) as EngineCounters;
}
