import { Type } from "typebox";
import { Value } from "typebox/value";
import { kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { invalid } from "../../platform/errors.ts";
import { allowMissing, translateBody } from "../../platform/http/client-dialect.ts";
import { separateScripts } from "./check.ts";
import { parseUnknownCheck } from "./check-bodies.ts";
import { mapDefaultInputs } from "./group-defaults.ts";

/** Check bodies in the dialect of existing clients (see `platform/http/client-dialect.ts`). */

type Fields = Record<string, unknown>;

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Replaces `null` by an empty list, because the Go SDK sends empty lists as `null`. */
function completeLists(fields: Fields): Fields {
  const lists = ["tags", "alertChannelSubscriptions"].filter((name) => fields[name] === null);
  return { ...fields, ...Object.fromEntries(lists.map((name) => [name, []])) };
}

/**
 * Sets `locations` to `null` (the default location) if a deactivated check has an empty list,
 * because a check that does not run needs no location.
 */
function completeLocations(fields: Fields): Fields {
  const needsNone = fields.activated === false && isEmptyList(fields.locations);
  return needsNone ? { ...fields, locations: null } : fields;
}

/** Converts `onlyOn` to a list: the Go SDK sends a list, the command line a single string. */
function completeRetries(fields: Fields): Fields {
  const retries = fields.retryStrategy as { readonly onlyOn?: unknown } | null | undefined;
  if (typeof retries?.onlyOn !== "string") return fields;
  return { ...fields, retryStrategy: { ...retries, onlyOn: [retries.onlyOn] } };
}

function findKind({ checkType }: Fields): Kind | undefined {
  return Object.entries(kinds).find(([type]) => type === checkType)?.[1];
}

export const completeClientCheck = (fields: Fields, kind = findKind(fields)): Fields =>
  separateScripts(completeRetries(completeLocations(completeLists(fields))), kind);

/** Request hook for routes that accept any kind of check. */
export const acceptClientCheck = translateBody((fields) => completeClientCheck(fields));

export function acceptClientCheckOf(kind: Kind) {
  return translateBody((fields) => completeClientCheck(fields, kind));
}

export const SharedFiles = Type.Array(
  Type.Object({
    path: Type.String({ description: "Relative path.", maxLength: 1_000 }),
    content: Type.String({ description: "The text of the file." }),
  }),
  {
    description:
      "Files that scripts of several checks use: `dependencies` and its like have their indexes.",
    maxItems: 5_000,
  },
);

/**
 * Replaces each index in the dependency lists of a check with the shared file at that index.
 * Clients send a shared file only once, although several checks use it.
 */
export function embedSharedFiles(
  fields: Readonly<Fields>,
  files: Type.Static<typeof SharedFiles>,
): Fields {
  const embedded = Object.entries(fields).map(([name, list]) => {
    if (!/^(?:d|\w+D)ependencies$/.test(name) || !Array.isArray(list)) return [name, list];
    const found = list.map((one: unknown, place) => {
      if (typeof one !== "number") return one;
      const file = files[one];
      if (file !== undefined) return file;
      throw invalid(`${name}.${place}`, "must be the index of a file in sharedFiles");
    });
    return [name, found];
  });
  return Object.fromEntries(embedded);
}

/** Parses a check that an existing client sent and no route has validated. */
export function parseClientCheck(fields: Fields): ReturnType<typeof parseUnknownCheck> {
  return parseUnknownCheck(completeClientCheck(fields));
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

/**
 * Converts a group from the form that clients send. `FALLBACK` means that each check uses its own
 * retry strategy, which is stored as `null`.
 */
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

/** Request hooks for updates: add required but unused fields that existing clients omit. */
export function acceptClientChange(kind: Kind) {
  const unused = Value.Create(Type.Object(kind.fields.unused.change)) as Fields;
  const { preValidation, preHandler } = allowMissing(unused);
  return { preValidation: [acceptClientCheckOf(kind), preValidation], preHandler };
}
