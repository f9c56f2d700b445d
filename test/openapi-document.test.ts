/** Requirements of readers and client generators on the document. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema } from "../src/platform/http/openapi/json-schema.ts";
import {
  type ApiDocument,
  type Body,
  listOperations,
  listPlaces,
  type Operation,
  resolve,
  writeApiDocument,
} from "./support/project/api-document.ts";

let document: ApiDocument;
let operations: [string, Operation][];
before(async () => {
  ({ document } = await writeApiDocument());
  operations = listOperations(document);
});

const follow = <Part extends object>(part: Part): Part => resolve(document, part);

test("every operation has a unique id, a tag, a summary and a description", () => {
  const ids = operations.map(([, { operationId = "" }]) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const [name, { operationId = "", tags, summary = "", description = "" }] of operations) {
    assert.match(operationId, /^[a-z]+[A-Z][A-Za-z0-9]+$/, name);
    assert.equal(tags?.length, 1, name);
    assert.ok(summary.length > 8, name);
    assert.match(description, /^[A-Z`].{10,}\.$/s, name);
  }
});

test("every operation with a key documents 401, 403, 429 and the account header", () => {
  for (const [name, operation] of operations) {
    if (operation.security?.length === 0) continue;
    for (const status of ["400", "401", "403", "429"]) {
      assert.ok(status in operation.responses, `${name} ${status}`);
    }
    const parameters = operation.parameters?.map(follow);
    const header = parameters?.find(({ name: one }) => one === "x-service-account");
    assert.equal(header?.in, "header", name);
  }
});

/** They create a session, or are the first of two steps for users with a second factor. */
const opensSession = ["post /v1/sessions", "post /v1/password-resets/answer"];
/** A dry run responds with the plan, a deployment is accepted. */
const deploys = ["post /v1/projects/deploy", "delete /v1/projects/{logicalId}"];
const hasTwoSuccesses = new Set([...opensSession, ...deploys]);

test("every operation documents one success, and 404 if its path names a resource", () => {
  for (const [name, operation] of operations) {
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith("2"));
    assert.equal(successes.length, hasTwoSuccesses.has(name) ? 2 : 1, name);
    if (/\{(?!accountId)\w+\}$/.test(name)) assert.ok("404" in operation.responses, name);
  }
});

test("rejections by Node.js and Fastify are documented where they can occur", () => {
  for (const [name, { responses, requestBody }] of operations) {
    for (const status of ["408", "431", "500", "503"]) assert.ok(status in responses, name);
    assert.equal("413" in responses, requestBody !== undefined, name);
    assert.equal("415" in responses, requestBody !== undefined, name);
    assert.equal("414" in responses, name.includes("{"), name);
  }
});

test("no request field or parameter with a default is required", () => {
  const faults: string[] = [];
  const inspect = (schema: JsonSchema, where: string): void => {
    const { properties = {}, required = [], items, anyOf = [], oneOf = [] } = follow(schema);
    for (const [name, field] of Object.entries(properties)) {
      const isFault = follow(field).default !== undefined && required.includes(name);
      if (isFault) faults.push(`${where}.${name}`);
      inspect(field, `${where}.${name}`);
    }
    for (const part of [...anyOf, ...oneOf, ...(items ? [items] : [])]) inspect(part, where);
  };
  for (const [name, { parameters = [], requestBody }] of operations) {
    for (const parameter of parameters.map(follow)) {
      const isFault = parameter.required && parameter.schema.default !== undefined;
      if (isFault) faults.push(`${name} ?${parameter.name}`);
    }
    if (requestBody === undefined) continue;
    inspect(follow(requestBody).content?.["application/json"]?.schema ?? {}, name);
  }
  assert.deepEqual(faults, []);
});

test("named schemas have no defaults, which generators treat as required fields", () => {
  const text = JSON.stringify(document.components.schemas);
  assert.doesNotMatch(text, /"default":/);
});

function createValidator() {
  const validator = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(validator, { mode: "full" });
  return validator.addSchema(document, "api");
}

test("every body and every response has a valid example", () => {
  const validator = createValidator();
  // Many bodies have the same schema, and compiling it is nearly the whole cost.
  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: JsonSchema): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const validate = compiled.get(text) ?? validator.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate;
  };
  const faults: string[] = [];
  const inspect = (where: string, body: Body) => {
    for (const [type, { schema, example }] of Object.entries(follow(body).content ?? {})) {
      const validate = compile(schema);
      if (example !== undefined && validate(example)) continue;
      const errors = validator.errorsText(validate.errors);
      faults.push(`${where} ${type}: ${errors} in ${JSON.stringify(example)}`);
    }
  };
  for (const [name, { requestBody, responses }] of operations) {
    if (requestBody !== undefined) inspect(`${name} body`, requestBody);
    for (const [status, answer] of Object.entries(responses)) {
      if (answer.$ref === undefined) inspect(`${name} ${status}`, answer);
    }
  }
  for (const [name, response] of Object.entries(document.components.responses)) {
    inspect(name, response);
  }
  assert.deepEqual(faults, []);
});

test("an alert channel is a union by kind, with the configuration of each kind", () => {
  const { oneOf = [] } = document.components.schemas.AlertChannel ?? {};
  const kinds = oneOf.map(follow).map(({ properties = {} }) => properties.type?.const);
  assert.ok(kinds.includes("EMAIL") && kinds.includes("WEBHOOK"));
  for (const kind of oneOf.map(follow)) {
    const config = follow(kind.properties?.config ?? {});
    assert.ok(Object.keys(config.properties ?? {}).length > 0, JSON.stringify(kind));
  }
  const [email] = document.components.requestBodies.AlertChannelInput?.content?.["application/json"]
    ?.schema.oneOf ?? [{}];
  assert.deepEqual(email?.required, ["type", "config"]);
  assert.deepEqual(email?.properties?.config?.required, ["address"]);
});

test("every field and every parameter has a description", () => {
  const faults: string[] = [];
  let count = 0;
  const inspect = (schema: JsonSchema, where: string) => {
    for (const { path, schema: field, isField } of listPlaces(schema, "", follow)) {
      if (!isField) continue;
      count += 1;
      if ((field.description ?? "").length < 5) faults.push(`${where} ${path}`);
    }
  };
  for (const [name, { parameters = [], requestBody, responses }] of operations) {
    for (const { name: one, description = "" } of parameters.map(follow)) {
      if (description.length < 5) faults.push(`${name} ?${one}`);
    }
    const bodies = [...(requestBody ? [requestBody] : []), ...Object.values(responses)];
    for (const body of bodies.map(follow)) {
      for (const { schema } of Object.values(body.content ?? {})) inspect(schema, name);
    }
  }
  assert.ok(count > 3_000, String(count));
  assert.deepEqual(faults, []);
});

test("the resources of the API have named schemas", () => {
  const nouns = ["IcmpCheck", "CheckGroup", "AlertChannel", "StatusPage", "Service", "Incident"];
  nouns.push("IncidentUpdate", "Dashboard", "Result", "MaintenanceWindow", "ApiKey", "Error");
  const missing = nouns.filter((noun) => document.components.schemas[noun] === undefined);
  assert.deepEqual(missing, []);
});

test("every pattern of a request describes its rule", () => {
  const visit = (part: unknown, place: string): string[] => {
    if (typeof part !== "object" || part === null) return [];
    const { pattern, "x-rule": rule } = part as { pattern?: unknown; "x-rule"?: unknown };
    const isSilent = typeof pattern === "string" && typeof rule !== "string";
    const below = Object.entries(part).flatMap(([key, value]) => visit(value, `${place}.${key}`));
    return isSilent ? [place, ...below] : below;
  };
  const silent = operations.flatMap(([name, { requestBody, parameters }]) =>
    visit([requestBody, parameters], name),
  );
  assert.deepEqual([...silent, ...visit(document.components, "components")], []);
});
