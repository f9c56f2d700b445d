import { type TObject, type TProperties, Type } from "typebox";
import { allKinds, type CheckType, checkTypes, kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import { invalid } from "../../platform/errors.ts";
import type { JsonSchema } from "../../platform/http/openapi/json-schema.ts";
import { Described, Name } from "../../platform/http/schema.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import { common, createPrivateFields, createTimeFields } from "./check-fields.ts";
import type { CheckInput } from "./check-settings.ts";

/** What requests say of a check: to the routes of its kind, and to those of any kind. */

const CheckName = Described(Name, "Its name.", "Router");
const OptionalName = Described(Type.Optional(Name), "Its name.", "Router");

function listFields(kind: Kind, own: TProperties): TProperties {
  return {
    ...common,
    ...createPrivateFields(kind),
    ...kind.fields.settings,
    ...createTimeFields(kind),
    ...own,
  };
}

function createInput(kind: Kind): TObject {
  const { operations, fields } = kind;
  const rest = listFields(kind, fields.unused.create);
  return Type.Object(
    { name: CheckName, ...fields.target.create, ...rest },
    {
      title: `${operations.name}CheckInput`,
      examples: [{ name: "Router", ...operations.example }],
    },
  );
}

/** `unused` has fields that a kind's own route demands and the route of any kind does not. */
function createChange({ kind, unused }: { kind: Kind; unused: TProperties }): TObject {
  const rest = listFields(kind, unused);
  return Type.Object(
    { name: OptionalName, ...kind.fields.target.change, ...rest },
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
  if (found === undefined) throw new Error(`There is no kind ${type}.`);
  return found;
}

/** What a check of a kind is made of. */
export const checkBodyOf = (kind: Pick<Kind, "type">): TObject => bodiesOf(kind).input;
export const checkChangeOf = (kind: Pick<Kind, "type">): TObject => bodiesOf(kind).change;

const typeMeaning = "The kind of check.";

function withType({ properties, required = [] }: JsonSchema, kind: Kind): JsonSchema {
  const tag = Described(Type.Literal(kind.type), typeMeaning) as JsonSchema;
  return { type: "object", properties: { checkType: tag, ...properties }, required };
}

const CheckTypeSchema = Type.Enum(checkTypes, { description: typeMeaning, type: "string" });

/** Validated in two steps: the type chooses the schema of the rest. */
export const AnyCheckBody = Type.Unsafe<CheckInput & { readonly checkType: CheckType }>({
  ...Type.Object({ checkType: CheckTypeSchema }),
  "x-shown": {
    title: "CheckInput",
    description: "What it must have depends on `checkType`.",
    oneOf: allKinds.map((kind) => {
      const shown = withType(bodiesOf(kind).input as JsonSchema, kind);
      const required = ["checkType", ...(shown.required ?? [])];
      const examples = [{ checkType: kind.type, name: "Router", ...kind.operations.example }];
      return { ...shown, title: `Any${kind.operations.name}CheckInput`, required, examples };
    }),
  },
});

export const AnyCheckChange = Type.Unsafe<CheckInput & { readonly checkType?: CheckType }>({
  ...Type.Object({ checkType: Type.Optional(CheckTypeSchema) }),
  "x-shown": {
    title: "CheckChange",
    description: "What it may have depends on the kind of the check.",
    // A change need not name its type, and then it may fit several kinds.
    anyOf: allKinds.map((kind) => ({
      ...withType(bodiesOf(kind).changeOfAny as JsonSchema, kind),
      title: `Any${kind.operations.name}CheckChange`,
    })),
  },
});

/** The schema and the messages are those of the kind's own route. */
export function parseNewCheck(body: Type.Static<typeof AnyCheckBody>): {
  readonly type: CheckType;
  readonly input: CheckInput;
} {
  const { checkType: type, ...input } = body;
  assertSchema(bodiesOf(kinds[type]).input, input);
  return { type, input };
}

/** For what no route has validated yet. */
export function parseUnknownCheck(body: unknown): ReturnType<typeof parseNewCheck> {
  assertSchema(AnyCheckBody, body);
  return parseNewCheck(body as Type.Static<typeof AnyCheckBody>);
}

/** The same for a change of a check that is there. */
export function parseCheckChange(
  type: CheckType,
  body: Type.Static<typeof AnyCheckChange>,
): CheckInput {
  const { checkType = type, ...input } = body;
  if (checkType !== type) throw invalid("checkType", `cannot be changed: it is ${type}`);
  assertSchema(bodiesOf(kinds[type]).changeOfAny, input);
  return input;
}
