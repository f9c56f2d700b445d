import { type TObject, type TProperties, Type } from "typebox";
import { allKinds, type CheckType, checkTypes, kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { invalid, KnownError } from "../../platform/errors.ts";
import type { JsonSchema } from "../../platform/http/openapi/json-schema.ts";
import { Described, Name } from "../../platform/http/schema.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import { findCheckFaults, returnOwnScripts } from "./check.ts";
import { common, createPrivateFields, createTimeFields } from "./check-fields.ts";
import { type CheckInput, mergeCheckSettings } from "./check-settings.ts";

/** Request bodies of checks, for the routes of a single kind and for the routes of any kind. */

const CheckName = Described(Name, "Its name.", "Router");
const OptionalName = Described(Type.Optional(Name), "Its name.", "Router");

function listFields(kind: Kind, own: TProperties): TProperties {
  return {
    ...common,
    ...createPrivateFields(kind),
    ...kind.fields.settings,
    ...kind.fields.scripts,
    ...createTimeFields(kind),
    ...own,
  };
}

function createInput(kind: Kind): TObject {
  const { operations, fields } = kind;
  const rest = listFields(kind, fields.unused.create);
  return Type.Object(
    // The target fields are listed twice. Listing them first puts them before the common fields.
    // Listing them again at the end replaces common fields of the same name.
    { name: CheckName, ...fields.target.create, ...rest, ...fields.target.create },
    {
      title: `${operations.name}CheckInput`,
      examples: [{ name: "Router", ...operations.example }],
    },
  );
}

/**
 * Creates the schema of a change. `unused` contains fields that are accepted but have no effect.
 * The kind's own route requires some of these fields; the route for any kind does not.
 */
function createChange({ kind, unused }: { kind: Kind; unused: TProperties }): TObject {
  const rest = listFields(kind, unused);
  return Type.Object(
    { name: OptionalName, ...kind.fields.target.change, ...rest, ...kind.fields.target.change },
    { title: `${kind.operations.name}CheckChange` },
  );
}

interface Bodies {
  readonly input: TObject;
  readonly change: TObject;
  readonly changeOfAny: TObject;
}

const bodies = new Map<string, Bodies>(
  allKinds.map((kind) => [
    kind.type,
    {
      input: createInput(kind),
      change: createChange({ kind, unused: kind.fields.unused.change }),
      changeOfAny: createChange({ kind, unused: kind.fields.unused.create }),
    },
  ]),
);

function bodiesOf({ type }: Pick<Kind, "type">): Bodies {
  const found = bodies.get(type);
  if (found === undefined) throw new Error(`Unknown check kind ${type}.`);
  return found;
}

/** Maximum body size for routes that accept any kind of check: the highest limit of all kinds. */
export const maxAnyBodyBytes = Math.max(...allKinds.map((kind) => kind.maxBodyBytes));

/** Returns the body schema for creating a check of the kind. */
export const checkBodyOf = (kind: Pick<Kind, "type">): TObject => bodiesOf(kind).input;
export const checkChangeOf = (kind: Pick<Kind, "type">): TObject => bodiesOf(kind).change;

const typeMeaning = "The kind of check.";

function withType({ properties, required = [] }: JsonSchema, kind: Kind): JsonSchema {
  const tag = Described(Type.Literal(kind.type), typeMeaning) as JsonSchema;
  return { type: "object", properties: { checkType: tag, ...properties }, required };
}

const CheckTypeSchema = Type.Enum(checkTypes, { description: typeMeaning, type: "string" });

/** Body of a new check of any kind, as the API document shows it. */
const shownCheckBody = {
  title: "CheckInput",
  description: "The required fields depend on `checkType`.",
  oneOf: allKinds.map((kind) => {
    const shown = withType(bodiesOf(kind).input as JsonSchema, kind);
    const required = ["checkType", ...(shown.required ?? [])];
    const examples = [{ checkType: kind.type, name: "Router", ...kind.operations.example }];
    return { ...shown, title: `Any${kind.operations.name}CheckInput`, required, examples };
  }),
};

/** Body of a new check. Validated in two steps: `checkType` selects the schema of other fields. */
export type CheckBody = CheckInput & { readonly checkType: CheckType };

export const AnyCheckBody = Type.Unsafe<CheckBody>({
  ...Type.Object({ checkType: CheckTypeSchema }),
  "x-shown": shownCheckBody,
});

/** One check in a list of new checks. Accepts any value: each check is validated separately. */
export const UnvalidatedCheckBody = Type.Unsafe<unknown>({ "x-shown": shownCheckBody });

export const AnyCheckChange = Type.Unsafe<CheckInput & { readonly checkType?: CheckType }>({
  ...Type.Object({ checkType: Type.Optional(CheckTypeSchema) }),
  "x-shown": {
    title: "CheckChange",
    description: "The allowed fields depend on the kind of the check.",
    // `anyOf` instead of `oneOf`: a change may omit `checkType` and then matches several kinds.
    anyOf: allKinds.map((kind) => ({
      ...withType(bodiesOf(kind).changeOfAny as JsonSchema, kind),
      title: `Any${kind.operations.name}CheckChange`,
    })),
  },
});

/** Parses a new check with the schema and the error messages of its kind's own route. */
export function parseNewCheck(body: Type.Static<typeof AnyCheckBody>): {
  readonly type: CheckType;
  readonly input: CheckInput;
} {
  const { checkType: type, ...input } = body;
  assertSchema(bodiesOf(kinds[type]).input, input);
  return { type, input };
}

/** Parses a new check from a body that no route has validated yet. */
export function parseUnknownCheck(body: unknown): ReturnType<typeof parseNewCheck> {
  assertSchema(AnyCheckBody, body);
  return parseNewCheck(body as Type.Static<typeof AnyCheckBody>);
}

export function parseCheckChange(
  type: CheckType,
  body: Type.Static<typeof AnyCheckChange>,
): CheckInput {
  const { checkType = type, ...fields } = body;
  const input = returnOwnScripts(kinds[type], fields);
  if (checkType !== type) throw invalid("checkType", `cannot be changed: it is ${type}`);
  assertSchema(bodiesOf(kinds[type]).changeOfAny, input);
  return input;
}

/**
 * Returns the reason why `POST /v1/checks` would reject the body; `null` if the body is valid. Does
 * not check whether the referenced group, channels and locations exist.
 */
function findBodyFault(body: unknown): string | null {
  try {
    const { type, input } = parseUnknownCheck(body);
    const settings = mergeCheckSettings(kinds[type], null, input);
    const [fault] = findCheckFaults({ kind: type, settings }, null);
    return fault === undefined ? null : `${fault.key} ${fault.rule}`;
  } catch (error) {
    if (error instanceof KnownError) return error.message;
    throw error;
  }
}

/** Schemas and parsers of check bodies that other modules use. */
export const checkBodies = {
  any: AnyCheckBody,
  maxBytes: maxAnyBodyBytes,
  of: checkBodyOf,
  findFault: findBodyFault,
} as const;
