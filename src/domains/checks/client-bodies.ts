import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Kind } from "../../kinds/kind.ts";
import { allowMissing, translateBody } from "../../platform/http/client-dialect.ts";
import { separateScripts } from "./check.ts";
import { parseUnknownCheck } from "./check-bodies.ts";
import { mapDefaultInputs } from "./group-defaults.ts";

/** Bodies of checks in the dialect of existing clients (`platform/http/client-dialect.ts`). */

type Fields = Record<string, unknown>;

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The Go SDK sends a list without items as `null`. */
function completeLists(fields: Fields): Fields {
  const lists = ["tags", "alertChannelSubscriptions"].filter((name) => fields[name] === null);
  return { ...fields, ...Object.fromEntries(lists.map((name) => [name, []])) };
}

/** A check that does not run needs no location; `null` stands for the default one. */
function completeLocations(fields: Fields): Fields {
  const needsNone = fields.activated === false && isEmptyList(fields.locations);
  return needsNone ? { ...fields, locations: null } : fields;
}

/** The command line sends one error as text, the Go SDK as a list. */
function completeRetries(fields: Fields): Fields {
  const retries = fields.retryStrategy as { readonly onlyOn?: unknown } | null | undefined;
  if (typeof retries?.onlyOn !== "string") return fields;
  return { ...fields, retryStrategy: { ...retries, onlyOn: [retries.onlyOn] } };
}

export const completeClientCheck = (fields: Fields): Fields =>
  separateScripts(completeRetries(completeLocations(completeLists(fields))));

export const acceptClientCheck = translateBody(completeClientCheck);

/** Parses a check of a client that no route has validated. */
export function parseClientCheck(fields: Fields): ReturnType<typeof parseUnknownCheck> {
  return parseUnknownCheck(completeClientCheck(fields));
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

/** `FALLBACK` means that each check uses its own strategy, which is `null` here. */
function completeGroup(fields: Fields): Fields {
  const { retryStrategy, locations } = fields;
  return {
    ...fields,
    ...(retryStrategy === "FALLBACK" && { retryStrategy: null }),
    ...(locations === null && { locations: [] }),
    ...mapDefaultInputs(fields, withoutNulls),
  };
}

export const completeClientGroup = (fields: Fields): Fields =>
  completeRetries(completeGroup(completeLists(fields)));

export const acceptClientGroup = translateBody(completeClientGroup);

/** Clients do not send the fields that the contract requires for an update and does not use. */
export function acceptClientChange({ fields }: Pick<Kind, "fields">) {
  const unused = Value.Create(Type.Object(fields.unused.change)) as Fields;
  const { preValidation, preHandler } = allowMissing(unused);
  return { preValidation: [acceptClientCheck, preValidation], preHandler };
}
