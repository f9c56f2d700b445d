import { type TProperties, Type } from "typebox";
import { api } from "./api/index.ts";
import { dns } from "./dns/index.ts";
import { heartbeat } from "./heartbeat/index.ts";
import { icmp } from "./icmp/index.ts";
import type { Kind } from "./kind.ts";
import { ssl } from "./ssl/index.ts";
import { tcp } from "./tcp/index.ts";
import { url } from "./url/index.ts";

/** Check type → what it is. One line per kind. */
const definitions = {
  ICMP: icmp,
  API: api,
  TCP: tcp,
  DNS: dns,
  SSL: ssl,
  HEARTBEAT: heartbeat,
  URL: url,
} as const satisfies Readonly<Record<string, unknown>>;

export type CheckType = keyof typeof definitions;

export const kinds: Readonly<Record<CheckType, Kind>> = definitions;
export const allKinds: readonly Kind[] = Object.values(kinds);
export const checkTypes = Object.keys(definitions) as CheckType[];

/** Fields of all kinds in one: with several kinds, each is there for its own checks only. */
export function gatherFields(read: (kind: Kind) => TProperties): TProperties {
  const fields: TProperties = Object.assign({}, ...allKinds.map(read));
  return allKinds.length === 1 ? fields : Type.Partial(Type.Object(fields)).properties;
}

/** Documents that clients look for in every result; null where a result is of another kind. */
export const expectedDocuments: readonly string[] = [
  "apiCheckResult",
  "browserCheckResult",
  "multiStepCheckResult",
];

/** What is meant where nobody names a type. */
export const defaultType: CheckType = "ICMP";

export function isCheckType(text: string): text is CheckType {
  return Object.hasOwn(definitions, text);
}
