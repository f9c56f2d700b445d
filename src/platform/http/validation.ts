import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { FastifySchema } from "fastify";
import type { FastifyRouteSchemaDef, FastifySchemaValidationError } from "fastify/types/schema.js";
import { invalidFields, type KnownError, type ValidationSource } from "../errors.ts";
import { uuidPattern } from "../text/uuid.ts";
import { describeRule, joinRules } from "./schema-rules.ts";

/**
 * Bodies are taken as they are: "5" is not 5. Paths, queries and headers arrive as text, so there
 * the text is turned into the type the schema names.
 */
function createValidator(coerceTypes: boolean | "array"): Ajv {
  const validator = new Ajv({
    allErrors: true,
    // Errors name the schema they come from, which words the rule of a field.
    verbose: true,
    coerceTypes,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    // Of a union with a tag only the branch of the tag is checked, so that its faults are told.
    discriminator: true,
    allowUnionTypes: true,
  });
  addFormats.default(validator, { mode: "full" });
  // The usual one also takes `urn:uuid:…`, which the database does not.
  validator.addFormat("uuid", uuidPattern);
  return validator;
}

const bodyValidator = createValidator(false);
const textValidator = createValidator("array");

interface Validate {
  (value: unknown): boolean;
  /** Of the last value; Fastify reads them right after the call. */
  errors?: FastifySchemaValidationError[] | null;
}

/** Compiled with the first request: compiling all of them is a large part of a start. */
export function compileValidator(route: FastifyRouteSchemaDef<FastifySchema>): Validate {
  const validator = route.httpPart === "body" ? bodyValidator : textValidator;
  let compiled: ValidateFunction | null = null;
  const validate: Validate = (value) => {
    compiled ??= validator.compile(route.schema);
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

/**
 * A union reports each branch and then itself, and so does a condition; the branches alone say what
 * is allowed.
 */
function withoutUnionSummaries(
  errors: readonly FastifySchemaValidationError[],
): readonly FastifySchemaValidationError[] {
  const branches = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "if");
  return branches.length === 0 ? errors : branches;
}

/** A list of allowed values says which type they have, so the type need not be named beside it. */
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

/** For a part of a body whose schema depends on another part. Fills in defaults as a route does. */
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

/** For a body whose schema depends on one of its fields: it is refused as a route refuses it. */
export function assertSchema(schema: object, value: unknown): void {
  const validate = bodyValidator.compile(schema);
  if (validate(value)) return;
  const errors = (validate.errors ?? []) as readonly FastifySchemaValidationError[];
  throw describeValidation(errors, "body");
}
