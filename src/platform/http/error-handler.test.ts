import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyError } from "fastify";
import { errorCatalogue, invalidFields, KnownError, notFound } from "../errors.ts";
import { isUnavailable, toErrorBody, toKnownError } from "./error-handler.ts";

const newError = (change: Partial<FastifyError>): FastifyError =>
  Object.assign(new Error("secret detail"), change) as FastifyError;
const bodyOf = (change: Partial<FastifyError>) => toErrorBody(toKnownError(newError(change)));

test("a bug is an internal error without any detail", () => {
  assert.deepEqual(bodyOf({}), {
    statusCode: 500,
    error: "Internal Server Error",
    message: "Internal Server Error",
  });
  assert.equal(bodyOf({ code: "23505" }).statusCode, 500);
  assert.equal(bodyOf({ statusCode: 200 }).statusCode, 500);
});

test("an error of the catalogue is sent as it is", () => {
  const error = notFound("It may have been deleted.");
  assert.equal(toKnownError(error), error);
  assert.deepEqual(toErrorBody(error), {
    ...{ statusCode: 404, error: "Not Found", message: "Not Found" },
    hint: "It may have been deleted.",
  });
});

test("each error of reading a request has its status, and what to do if that is known", () => {
  const rows: Readonly<Record<string, number>> = {
    FST_ERR_CTP_BODY_TOO_LARGE: 413,
    FST_ERR_CTP_INVALID_MEDIA_TYPE: 415,
    FST_ERR_CTP_INVALID_TYPE: 415,
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: 400,
    FST_ERR_BAD_URL: 400,
    FST_ERR_MAX_PARAM_LENGTH: 414,
    Z_DATA_ERROR: 400,
    Z_BUF_ERROR: 400,
  };
  for (const [code, statusCode] of Object.entries(rows)) {
    const body = bodyOf({ code });
    assert.equal(body.statusCode, statusCode, code);
    assert.equal(body.hint !== undefined, statusCode === 413 || statusCode === 415, code);
    assert.ok(!JSON.stringify(body).includes("secret"), code);
  }
});

test("a database that is gone is reported as unavailable, to be tried again", () => {
  const codes = ["08006", "53300", "57P01", "57014", "25006", "ECONNREFUSED", "ENOENT"];
  const messages = [
    "Connection terminated unexpectedly",
    "timeout exceeded when trying to connect",
    "Client has encountered a connection error and is not queryable",
    "Query read timeout",
  ];
  const errors = [
    ...codes.map((code) => newError({ code })),
    ...messages.map((message) => newError({ message })),
  ];
  for (const error of errors) {
    assert.ok(isUnavailable(error), `${error.code} ${error.message}`);
    const known = toKnownError(error);
    assert.deepEqual([known.errorName, known.retryAfterSeconds], ["unavailable", 2]);
    assert.equal(toErrorBody(known).statusCode, 503);
  }
});

test("errors of a statement are not taken for an unavailable database", () => {
  for (const code of ["23505", "42601", "40001", "22P02", "0800", "08006x"]) {
    assert.equal(isUnavailable(newError({ code })), false, code);
  }
  for (const value of [null, undefined, "ECONNREFUSED", { code: "ECONNREFUSED" }]) {
    assert.equal(isUnavailable(value), false);
  }
});

test("invalid fields are listed by key, with the rule that each breaks", () => {
  const body = toErrorBody(
    invalidFields([
      { key: "name", rule: "is required" },
      { key: "tags.0", rule: "must be a string" },
      { key: "name", rule: "must be a string" },
    ]),
  );
  assert.equal(body.message, "name is required");
  assert.deepEqual(body.validation, { source: "body", keys: ["name", "tags.0"] });
  assert.deepEqual(body.fieldErrors, { name: "is required", "tags.0": "must be a string" });
});

test("every error of the catalogue has the fields that existing clients read", () => {
  for (const [name, { statusCode, error, message }] of Object.entries(errorCatalogue)) {
    const body = toErrorBody(new KnownError(name as keyof typeof errorCatalogue));
    assert.deepEqual([body.statusCode, body.error, body.message], [statusCode, error, message]);
    const hasAttributes = statusCode === 401 || statusCode === 429;
    assert.equal("attributes" in body, hasAttributes, name);
    for (const absent of ["validation", "fieldErrors", "hint"]) assert.ok(!(absent in body), name);
  }
  const reasons = Object.keys(errorCatalogue).flatMap((name) => {
    const body = toErrorBody(new KnownError(name as keyof typeof errorCatalogue));
    return body.statusCode === 403 && body.reason !== undefined ? [body.reason] : [];
  });
  // The web application decides by these what to ask for.
  assert.deepEqual(reasons, ["second-factor-needed", "proof-needed", "hidden-values"]);
});
