import assert from "node:assert/strict";
import { test } from "node:test";
import { type TSchema, Type } from "typebox";
import { KnownError } from "../errors.ts";
import { Email, Filled, Guid, Matching, Name, OneOf, OrNull } from "./schema.ts";
import { assertSchema } from "./validation.ts";

function findValidation(schema: TSchema, value: unknown) {
  try {
    assertSchema(Type.Object({ field: schema }), { field: value });
  } catch (error) {
    assert.ok(error instanceof KnownError);
    return error;
  }
  throw new assert.AssertionError({ message: `${JSON.stringify(value)} was accepted` });
}

const rules: readonly (readonly [TSchema, unknown, string])[] = [
  [Name, "", "must not be empty"],
  [Name, "  ", "must not be empty"],
  [Filled({ maxLength: 3 }), "abcd", "must have at most 3 characters"],
  [Matching("^[a-z]+$", "must be lower-case letters"), "A", "must be lower-case letters"],
  [Type.Integer({ minimum: 1, maximum: 65_535 }), 70_000, "must be between 1 and 65535"],
  [Type.Integer({ minimum: 1 }), 0, "must be at least 1"],
  [Type.Number({ maximum: 5 }), 6, "must be at most 5"],
  [Type.Integer(), "5", "must be a whole number"],
  [Type.Boolean(), "yes", "must be true or false"],
  [OrNull(Type.String()), 5, "must be a string, or be null"],
  [Type.Array(Type.String(), { minItems: 1 }), [], "must have at least 1 entry"],
  [Type.Array(Type.String(), { maxItems: 2 }), ["a", "b", "c"], "must have at most 2 entries"],
  [
    Type.Array(Type.String(), { uniqueItems: true }),
    ["a", "a"],
    "must not contain the same entry twice",
  ],
  [OneOf(["ASC", "DESC"]), "asc", "must be one of ASC, DESC"],
  [Type.Enum([1, 5], { type: "integer" }), "5", "must be one of 1, 5"],
  [Email, "anna", "must be an e-mail address, such as anna@example.com"],
  [Guid, "7", "must be a UUID, such as 7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"],
];

for (const [schema, value, rule] of rules) {
  test(`${JSON.stringify(value)} is rejected because the field ${rule}`, () => {
    const { message, fieldErrors } = findValidation(schema, value);
    assert.equal(message, `field ${rule}`);
    assert.deepEqual(fieldErrors, { field: rule });
  });
}

test("every field at fault has its own rule", () => {
  const schema = Type.Object({ name: Name, port: Type.Integer({ minimum: 1, maximum: 9 }) });
  assert.throws(
    () => assertSchema(schema, { name: "", port: 10 }),
    ({ validation, fieldErrors }: KnownError) => {
      assert.deepEqual(validation?.keys, ["name", "port"]);
      assert.deepEqual(fieldErrors, {
        name: "must not be empty",
        port: "must be between 1 and 9",
      });
      return true;
    },
  );
});
