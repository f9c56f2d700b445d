import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../api/api-error.ts";
import { getFieldError, getFormError, writeRule } from "./field-error.ts";

const rejected = new ApiError({
  kind: "rejected",
  message: "name must not be empty",
  status: 400,
  fieldErrors: { name: "must not be empty", "request.port": "must be between 1 and 65535" },
});

test("a rule follows its label", () => {
  assert.equal(writeRule("must be between 1 and 9", "Port"), "Port must be between 1 and 9");
  assert.equal(writeRule("must be between 1 and 9"), "Must be between 1 and 9");
});

test("an empty field requests its value", () => {
  assert.equal(writeRule("must not be empty", "Name"), "Enter a name");
  assert.equal(writeRule("is refused: The URL has no host."), "The URL has no host.");
  assert.equal(writeRule("is required", "URL"), "Enter a URL");
  assert.equal(writeRule("is required", "Address"), "Enter an address");
  assert.equal(writeRule("is required"), "Fill in this field");
});

test("each field shows its own rule", () => {
  assert.equal(getFieldError(rejected, "name"), "Enter a name");
  assert.equal(getFieldError(rejected, "request", "Port"), "Port must be between 1 and 65535");
  assert.equal(getFieldError(rejected, "tags"), undefined);
});

test("a rejection is shown beside the form only if no field shows it", () => {
  assert.equal(getFormError(rejected, ["name"]), null);
  assert.equal(getFormError(rejected, ["tags"]), rejected);
});
