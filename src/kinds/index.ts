import { type TProperties, Type } from "typebox";
import { alertGroup } from "./alert-group/index.ts";
import { api } from "./api/index.ts";
import { browser } from "./browser/index.ts";
import { dns } from "./dns/index.ts";
import { grpc } from "./grpc/index.ts";
import { heartbeat } from "./heartbeat/index.ts";
import { icmp } from "./icmp/index.ts";
import type { Kind } from "./kind.ts";
import { multiStep } from "./multi-step/index.ts";
import type { PathTracer } from "./paths/path.ts";
import { playwright } from "./playwright/index.ts";
import { ssl } from "./ssl/index.ts";
import { tcp } from "./tcp/index.ts";
import { traceroute } from "./traceroute/index.ts";
import { tracer } from "./traceroute/tracer.ts";
import { url } from "./url/index.ts";

/** All kinds of checks by check type. */
const definitions = {
  ICMP: icmp,
  API: api,
  TCP: tcp,
  DNS: dns,
  SSL: ssl,
  GRPC: grpc,
  TRACEROUTE: traceroute,
  HEARTBEAT: heartbeat,
  ALERT_GROUP: alertGroup,
  MULTI_STEP: multiStep,
  BROWSER: browser,
  PLAYWRIGHT: playwright,
  URL: url,
} as const satisfies Readonly<Record<string, unknown>>;

export type CheckType = keyof typeof definitions;

export const kinds: Readonly<Record<CheckType, Kind>> = definitions;
export const allKinds: readonly Kind[] = Object.values(kinds);
export const checkTypes = Object.keys(definitions) as CheckType[];

/** The kind that traces network paths, and the tracer that traces paths to targets of any kind. */
export const tracing: { readonly kind: Kind; readonly tracer: PathTracer<unknown, unknown> } = {
  kind: traceroute,
  tracer,
};

/** Merges the fields of all kinds. A field becomes optional unless there is only one kind. */
export function gatherFields(read: (kind: Kind) => TProperties): TProperties {
  const fields: TProperties = Object.assign({}, ...allKinds.map(read));
  return allKinds.length === 1 ? fields : Type.Partial(Type.Object(fields)).properties;
}

/**
 * Names of the document fields that clients expect in every result. Each field belongs to one kind
 * of check and is `null` in the results of all other kinds.
 */
export const expectedDocuments: readonly string[] = [
  "apiCheckResult",
  "browserCheckResult",
  "multiStepCheckResult",
];

/** Type of a check that is created without a type. */
export const defaultType: CheckType = "ICMP";

export function isCheckType(text: string): text is CheckType {
  return Object.hasOwn(definitions, text);
}
