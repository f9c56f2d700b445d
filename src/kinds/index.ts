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

/** Every kind by its check type. */
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

/** The kind whose runs trace paths to targets of any kind, and how. */
export const tracing: { readonly kind: Kind; readonly tracer: PathTracer<unknown, unknown> } = {
  kind: traceroute,
  tracer,
};

/** Merges the fields of all kinds. With several kinds every field is optional. */
export function gatherFields(read: (kind: Kind) => TProperties): TProperties {
  const fields: TProperties = Object.assign({}, ...allKinds.map(read));
  return allKinds.length === 1 ? fields : Type.Partial(Type.Object(fields)).properties;
}

/**
 * Result documents that clients expect in every result; `null` if the result is of another kind.
 */
export const expectedDocuments: readonly string[] = [
  "apiCheckResult",
  "browserCheckResult",
  "multiStepCheckResult",
];

/** The type of a check that does not name one. */
export const defaultType: CheckType = "ICMP";

export function isCheckType(text: string): text is CheckType {
  return Object.hasOwn(definitions, text);
}
