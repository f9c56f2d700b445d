import { type TProperties, Type } from "typebox";
import type { Kind } from "./kit/kind.ts";
import type { PathTracer } from "./kit/paths/path.ts";
import { alertGroup } from "./of/alert-group/index.ts";
import { api } from "./of/api/index.ts";
import { browser } from "./of/browser/index.ts";
import { dns } from "./of/dns/index.ts";
import { grpc } from "./of/grpc/index.ts";
import { heartbeat } from "./of/heartbeat/index.ts";
import { icmp } from "./of/icmp/index.ts";
import { multiStep } from "./of/multi-step/index.ts";
import { playwright } from "./of/playwright/index.ts";
import { ssl } from "./of/ssl/index.ts";
import { tcp } from "./of/tcp/index.ts";
import { traceroute } from "./of/traceroute/index.ts";
import { tracer } from "./of/traceroute/tracer.ts";
import { url } from "./of/url/index.ts";

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
