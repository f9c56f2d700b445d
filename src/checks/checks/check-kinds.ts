/** `GET /v1/check-kinds`: defaults and limits of each kind, for forms that create checks. */
import { isDeepStrictEqual } from "node:util";
import { type TProperties, type TSchema, Type } from "typebox";
import { allKinds, type CheckType, checkTypes, defaultType, kinds } from "../../kinds/index.ts";
import type { AssertionSource } from "../../kinds/kit/assertions/assertion.ts";
import { assertionComparisons } from "../../kinds/kit/assertions/comparisons.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import type { JsonSchema } from "../../platform/http/openapi/json-schema.ts";
import { answers, Described, OneOf } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { findBodyError } from "../../platform/http/validation.ts";
import { checkBodyOf } from "./check-bodies.ts";
import { holdsVariables } from "./check-fields.ts";
import { mergeCheckSettings, subMinuteSeconds } from "./check-settings.ts";
import { checkSchemaOf, toWireSettings } from "./schema.ts";

/** JSON Schema keywords that restrict a value. */
const keywords = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "maxItems",
  "format",
  "enum",
] as const;

const numeric = (description: string, example: number) =>
  Type.Optional(Type.Number({ description, examples: [example] }));

/** Limits of one field in a request body, named as in JSON Schema. */
const FieldLimitsSchema = Type.Object(
  {
    required: Type.Boolean({ description: "Whether a new check must have the field." }),
    nullable: Type.Boolean({ description: "Whether `null` is allowed." }),
    minimum: numeric("The smallest number.", 1),
    maximum: numeric("The largest number.", 50),
    minLength: numeric("The minimum number of characters.", 1),
    maxLength: numeric("The maximum number of characters.", 2_048),
    maxItems: numeric("The maximum number of entries of a list.", 50),
    format: Type.Optional(
      Type.String({ description: "The format of a text, as in JSON Schema.", examples: ["uuid"] }),
    ),
    enum: Described(
      Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]))),
      "The allowed values.",
      ["IPv4", "IPv6"],
    ),
  },
  { title: "FieldLimits" },
);

type FieldLimits = Type.Static<typeof FieldLimitsSchema>;

/**
 * Returns the schema of the values other than `null`, and whether `null` is allowed. `value` is
 * `null` if no single schema describes the other values.
 */
function withoutNull(schema: JsonSchema): { readonly value: JsonSchema | null; nullable: boolean } {
  const { anyOf, type } = schema;
  if (anyOf === undefined) {
    return { value: schema, nullable: Array.isArray(type) && type.includes("null") };
  }
  const values = anyOf.filter((one) => one.type !== "null");
  const [only = null] = values;
  return { value: values.length === 1 ? only : null, nullable: values.length < anyOf.length };
}

function listNested(schema: JsonSchema, path: string): [string, FieldLimits][] {
  if (schema.items !== undefined) return listNested(schema.items, `${path}[]`);
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) =>
    listField(field, path === "" ? name : `${path}.${name}`, required.includes(name)),
  );
}

function listField(schema: JsonSchema, path: string, required: boolean): [string, FieldLimits][] {
  const { value, nullable } = withoutNull(schema);
  // Requests may omit a field with a default, even if the schema requires the field.
  const isRequired = required && schema.default === undefined;
  if (value === null) return [[path, { required: isRequired, nullable }]];
  const given = keywords.filter((keyword) => value[keyword] !== undefined);
  const limits = Object.fromEntries(given.map((keyword) => [keyword, value[keyword]]));
  return [[path, { required: isRequired, nullable, ...limits }], ...listNested(value, path)];
}

/**
 * Returns the limits of all fields, keyed by path (for example `request.headers[].key`). The limits
 * come from the schemas that validate requests.
 */
function listFieldLimits(fields: TProperties): Readonly<Record<string, FieldLimits>> {
  return Object.fromEntries(listNested(Type.Object(fields) as JsonSchema, ""));
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function omitPath(fields: Fields, path: string): Fields {
  const [first = "", ...rest] = path.split(".");
  const { [first]: inner, ...others } = fields;
  if (rest.length === 0) return others;
  return isObject(inner) ? { ...fields, [first]: omitPath(inner, rest.join(".")) } : fields;
}

function listDifferences(one: Fields, other: Fields, prefix = ""): string[] {
  return Object.entries(one).flatMap(([name, value]) => {
    const counterpart = other[name];
    if (isDeepStrictEqual(value, counterpart)) return [];
    if (!isObject(value) || !isObject(counterpart)) return [`${prefix}${name}`];
    return listDifferences(value, counterpart, `${prefix}${name}.`);
  });
}

/** Returns the API form of a check that was created without any field. */
function createEmpty(kind: Kind): Fields {
  const settings = mergeCheckSettings(kind, null, {});
  const { alertChannelSubscriptions: _subscriptions, ...shown } = toWireSettings(
    kind,
    settings,
    "",
  );
  return {
    ...shown,
    ...(kind.isOrdered && { privateLocations: [] }),
    ...(holdsVariables(kind) && { environmentVariables: [] }),
  };
}

/** Lists the paths of fields that responses contain and requests must not contain. */
function listReadOnly({ fields }: Kind): string[] {
  const accepted = listFieldLimits(fields.target.create);
  const shown = Object.keys(listFieldLimits(fields.target.shown));
  return shown.filter((path) => !Object.hasOwn(accepted, path) && !path.includes("[]"));
}

/** Lists the fields that a client must set, because their default breaks a validation rule. */
function listInvalid(kind: Kind, empty: Fields): string[] {
  const ofSchema = findBodyError(checkBodyOf(kind), structuredClone(empty))?.validation?.keys ?? [];
  const ofKind = kind.findFaults(mergeCheckSettings(kind, null, {})).map(({ key }) => key);
  return [...ofSchema, ...ofKind];
}

function describeSource([source, { comparisons, isNumeric, text }]: [string, AssertionSource]) {
  const names = Object.keys(text.properties ?? {});
  const free = isNumeric ? ("none" as const) : ("text" as const);
  return {
    source,
    comparisons: [...comparisons],
    property: names.length > 0 ? ("name" as const) : free,
    propertyNames: names,
  };
}

/** Lists the intervals between runs that the kind allows, in seconds. */
function listIntervals(kind: Kind): number[] {
  if (!kind.isOrdered) return [];
  const { frequency } = checkBodyOf(kind).properties as { readonly frequency?: JsonSchema };
  const allowed = (frequency?.enum ?? []) as readonly number[];
  return allowed.flatMap((minutes) => (minutes === 0 ? subMinuteSeconds : minutes * 60));
}

/**
 * Returns the fields that both requests and responses contain. Requests accept further fields for
 * compatibility.
 */
function listSettings(kind: Kind): TProperties {
  const shown = (checkSchemaOf(kind) as JsonSchema).properties ?? {};
  const accepted = Object.entries(checkBodyOf(kind).properties);
  return Object.fromEntries(accepted.filter(([name]) => Object.hasOwn(shown, name)));
}

function describeKind(type: CheckType) {
  const kind = kinds[type];
  const empty = createEmpty(kind);
  const readOnlyFields = listReadOnly(kind);
  const generatedFields = listDifferences(empty, createEmpty(kind)).filter(
    (path) => !readOnlyFields.includes(path),
  );
  return {
    type,
    name: nameKind(kind),
    path: kind.path,
    defaults: [...listInvalid(kind, empty), ...generatedFields, ...readOnlyFields].reduce(
      omitPath,
      empty,
    ),
    limits: listFieldLimits(listSettings(kind)),
    intervalSeconds: listIntervals(kind),
    assertionSources: Object.entries(kind.assertionSources).map(describeSource),
    readOnlyFields,
    generatedFields,
  };
}

const SourceSchema = Type.Object(
  {
    source: Type.String({ description: "Its name in an assertion.", examples: ["RESPONSE_TIME"] }),
    comparisons: Type.Array(OneOf(assertionComparisons), {
      description: "The allowed comparisons.",
    }),
    property: Described(
      OneOf(["none", "name", "text"]),
      "What `property` of an assertion may be: empty, one of `propertyNames`, or any text such as a JSONPath.",
    ),
    propertyNames: Type.Array(Type.String(), {
      description: "The allowed properties, if they are names.",
      examples: [[]],
    }),
  },
  { title: "AssertionSource" },
);

const pathList = (description: string) =>
  Type.Array(Type.String(), { description, examples: [[]] });

const nameKind = ({ words }: Kind) => words.aCheck.replace(/^an? /, "");
const exampleKind = kinds[defaultType];

const fields = {
  name: Type.String({ description: "What people call it.", examples: [nameKind(exampleKind)] }),
  path: Type.String({
    description: "The last part of `POST /v1/checks/{path}`.",
    examples: [exampleKind.path],
  }),
  limits: Type.Record(Type.String(), FieldLimitsSchema, {
    description:
      "Limits of each field by its path, as in `request.headers[].key`. Errors name fields by the " +
      "same paths, with the position of an entry instead of `[]`.",
  }),
  intervalSeconds: Type.Array(Type.Integer(), {
    description:
      "Possible seconds between runs, see `frequency` and `frequencyOffset`; empty if runs are " +
      "not scheduled.",
    examples: [[10, 20, 30, 60]],
  }),
  assertionSources: Type.Array(SourceSchema, {
    description: "What assertions can compare; empty if it has none.",
  }),
  readOnlyFields: pathList("Fields that responses contain and requests must not."),
  generatedFields: pathList("Fields that get a new value for each check if a request omits them."),
};

/**
 * Makes all fields of a schema optional. The result describes the default values of a check, and
 * fields that a request must contain have no default.
 */
function withoutRequired(schema: JsonSchema): JsonSchema {
  const { title: _title, required: _required, properties = {}, ...rest } = schema;
  return { ...rest, properties };
}

function createDefaultsSchema(kind: Kind): JsonSchema {
  const accepted = listSettings(kind);
  const { properties = {}, ...schema } = withoutRequired(checkSchemaOf(kind) as JsonSchema);
  const shown = Object.entries(properties).filter(([name]) => Object.hasOwn(accepted, name));
  const optional = shown.map(([name, field]) => {
    const isTarget = Object.hasOwn(kind.fields.target.shown, name);
    return [name, isTarget ? deepWithoutRequired(field) : field];
  });
  return { ...schema, description: defaultsMeaning, properties: Object.fromEntries(optional) };
}

function deepWithoutRequired(schema: JsonSchema): JsonSchema {
  if (schema.type !== "object") return schema;
  const { properties = {}, ...rest } = withoutRequired(schema);
  const optional = Object.entries(properties).map(([name, field]) => [
    name,
    deepWithoutRequired(field),
  ]);
  return { ...rest, properties: Object.fromEntries(optional) };
}

const defaultsMeaning =
  "What a new check has in fields that its request omits. Required and generated fields are absent.";

const CheckKindSchema = Type.Object(
  {
    type: Type.Enum(checkTypes, { description: "`checkType` of its checks.", type: "string" }),
    ...fields,
    defaults: Type.Object({}, { additionalProperties: true, description: defaultsMeaning }),
  },
  {
    "x-shown": {
      title: "CheckKind",
      description: "A kind of check.",
      oneOf: allKinds.map((kind) =>
        Type.Object(
          {
            type: Described(OneOf([kind.type]), "`checkType` of its checks."),
            ...fields,
            defaults: createDefaultsSchema(kind) as TSchema,
          },
          { title: `${kind.operations.name}CheckKind` },
        ),
      ),
      discriminator: {
        propertyName: "type",
        mapping: Object.fromEntries(
          allKinds.map(({ type, operations }) => [
            type,
            `#/components/schemas/${operations.name}CheckKind`,
          ]),
        ),
      },
    },
  },
);

/** Cached response of the route: the same for every caller and constant while the server runs. */
let described: ReturnType<typeof describeKind>[] | null = null;

export function listCheckKinds() {
  described ??= checkTypes.map(describeKind);
  return described;
}

export function addKindListRoute(server: HttpServer): void {
  server.get(
    "/v1/check-kinds",
    {
      config: { access: "read" },
      schema: {
        tags: ["Checks"],
        operationId: "listCheckKinds",
        summary: "List the kinds of checks with their defaults and limits",
        description:
          "For generating forms. The values come from the schemas that validate requests.",
        response: answers({ 200: Type.Array(CheckKindSchema) }),
      },
    },
    async () => listCheckKinds(),
  );
}
