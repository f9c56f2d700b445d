import { allKinds } from "../../../kinds/index.ts";

/**
 * Roll-ups of all kinds share the same tables: counters and parts are arrays in the order of the
 * kind's definition. A query reads one column per element, up to the largest number of any kind.
 */
const most = (count: (kind: (typeof allKinds)[number]) => number) =>
  Math.max(0, ...allKinds.map(count));

const listKeys = <Prefix extends string>(prefix: Prefix, count: number) =>
  Array.from({ length: count }, (_, place): `${Prefix}_${number}` => `${prefix}_${place + 1}`);

export const counterKeys = listKeys(
  "counter",
  most(({ counters }) => counters.length),
);
export const partKeys = listKeys(
  "part",
  most(({ parts }) => parts.length),
);
/** Running totals contain only the parts that summaries show. */
export const summaryPartKeys = partKeys.slice(
  0,
  most(({ parts }) => parts.filter(({ summary }) => summary !== undefined).length),
);

export const sumCounters = (sign = "") =>
  counterKeys.map((key, place) => `sum(${sign}counters[${place + 1}]) as ${key}`).join(", ");

export const joinSketch = (key: string, place: number) =>
  `string_agg(parts[${place + 1}], ''::bytea) as ${key}`;

export const joinSketches = (keys: readonly string[]) => keys.map(joinSketch).join(", ");
