import { hash } from "node:crypto";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import buildSerializer from "fast-json-stringify";
import type { FastifySchema } from "fastify";
import type { FastifyRouteSchemaDef, FastifySchemaValidationError } from "fastify/types/schema.js";
import { invalidFields, type KnownError, type ValidationSource } from "../errors.ts";
import { uuidPattern } from "../text/patterns.ts";
import { describeRule, joinRules } from "./schema-rules.ts";

/**
 * Turns off Ajv's optimisation of the generated code. It is slow, and V8 optimises the code anyway.
 */
const generatedCode = { optimize: false };

/**
 * Creates a validator. It validates bodies without conversion, so "5" is not a number. Paths,
 * queries and headers are text, so it converts them to the type that the schema declares.
 */
function createValidator(coerceTypes: boolean | "array"): Ajv {
  const validator = new Ajv({
    allErrors: true,
    // Adds the schema to each error. The message of an error is derived from the schema.
    verbose: true,
    coerceTypes,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    // Validates a union only against the branch that its tag selects, so that errors refer to this
    // branch.
    discriminator: true,
    allowUnionTypes: true,
    code: generatedCode,
  });
  addFormats.default(validator, { mode: "full" });
  // Replaces the default format, which also accepts `urn:uuid:…`. The database does not.
  validator.addFormat("uuid", uuidPattern);
  return validator;
}

const bodyValidator = createValidator(false);
const textValidator = createValidator("array");

/**
 * Returns a function that compiles each schema only once. It also recognises a schema with equal
 * content, because each server in a process builds the schemas of checks again, and compiling such
 * a schema takes up to 50 ms.
 */
function createCompiler<Compiled>(compile: (schema: object) => Compiled) {
  const bySchema = new WeakMap<object, Compiled>();
  const byContent = new Map<string, Compiled>();
  return (schema: object): Compiled => {
    const known = bySchema.get(schema);
    if (known !== undefined) return known;
    const content = hash("sha256", JSON.stringify(schema));
    const compiled = byContent.get(content) ?? compile(schema);
    byContent.set(content, compiled);
    bySchema.set(schema, compiled);
    return compiled;
  };
}

const compileForBody = createCompiler((schema) => bodyValidator.compile(schema));
const compileForText = createCompiler((schema) => textValidator.compile(schema));
const buildOnce = createCompiler(
  (schema): Serialize => buildSerializer(schema, { ajv: { code: generatedCode } }),
);

interface Validate {
  (value: unknown): boolean;
  /** Errors of the last validated value. Fastify reads them directly after the call. */
  errors?: FastifySchemaValidationError[] | null;
}

/** Compiles a validator on its first use, because compiling all would delay the start. */
export function compileValidator(route: FastifyRouteSchemaDef<FastifySchema>): Validate {
  const compile = route.httpPart === "body" ? compileForBody : compileForText;
  let compiled: ValidateFunction | null = null;
  const validate: Validate = (value) => {
    compiled ??= compile(route.schema);
    const isValid = compiled(value);
    validate.errors = compiled.errors ?? null;
    return isValid;
  };
  return validate;
}

function offendingKey(error: FastifySchemaValidationError, source: ValidationSource): string {
  const path = error.instancePath.split("/").slice(1).map(decodePointer);
  if (error.keyword === "required") path.push(String(error.params.missingProperty));
  if (error.keyword === "discriminator") path.push(String(error.params.tag));
  return path.length === 0 ? source : path.join(".");
}

function decodePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Removes the errors of unions and conditions; the errors of their branches are more specific. */
function withoutUnionSummaries(
  errors: readonly FastifySchemaValidationError[],
): readonly FastifySchemaValidationError[] {
  const branches = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "if");
  return branches.length === 0 ? errors : branches;
}

/** Removes type errors of a field with a list of allowed values, which implies the type. */
function withoutRepeatedTypes(
  violations: readonly FastifySchemaValidationError[],
): readonly FastifySchemaValidationError[] {
  const listsValues = violations.some(({ keyword }) => keyword === "enum" || keyword === "const");
  if (!listsValues) return violations;
  return violations.filter(({ keyword, params }) => keyword !== "type" || params.type === "null");
}

export function describeValidation(
  errors: readonly FastifySchemaValidationError[],
  source: ValidationSource,
): KnownError {
  const rulesByKey = Map.groupBy(withoutUnionSummaries(errors), (error) =>
    offendingKey(error, source),
  );
  const faults = [...rulesByKey].map(([key, violations]) => ({
    key,
    rule: joinRules(withoutRepeatedTypes(violations).map(describeRule)),
  }));
  return invalidFields(faults, source);
}

/**
 * Validates a part of a body and sets defaults. Returns the first fault; `null` if there is none.
 */
export function findSchemaFault(
  schema: object,
  value: unknown,
): { readonly key: string; readonly rule: string } | null {
  const validate = bodyValidator.compile(schema);
  if (validate(value)) return null;
  const errors = (validate.errors ?? []) as readonly FastifySchemaValidationError[];
  const [first] = withoutUnionSummaries(errors);
  if (first === undefined) return null;
  return { key: offendingKey(first, "body"), rule: describeRule(first) };
}

/** Returns the error that a route would send for this body; `null` if the body is valid. */
export function findBodyError(schema: object, value: unknown): KnownError | null {
  const validate = bodyValidator.compile(schema);
  if (validate(value)) return null;
  const errors = (validate.errors ?? []) as readonly FastifySchemaValidationError[];
  return describeValidation(errors, "body");
}

/** Validates a body whose schema depends on one of its fields, with the same errors as a route. */
export function assertSchema(schema: object, value: unknown): void {
  const error = findBodyError(schema, value);
  if (error !== null) throw error;
}

type Serialize = (value: unknown) => string;

/** Builds a serializer on its first use, because building all would delay the start. */
export function compileSerializer({ schema }: { readonly schema: object }): Serialize {
  let serialize: Serialize | null = null;
  return (value) => {
    serialize ??= buildOnce(schema);
    return serialize(value);
  };
}
