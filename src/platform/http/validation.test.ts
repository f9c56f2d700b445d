import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSerializer, compileValidator } from "./validation.ts";

/** Counts accesses to a schema. */
function watchSchema() {
  let lookCount = 0;
  const schema: object = {
    type: "object",
    get properties() {
      lookCount += 1;
      return { name: { type: "string", minLength: 2 } };
    },
  };
  return { schema, countLooks: () => lookCount };
}

test("a serializer is built on first use, once per shared schema", () => {
  const { schema, countLooks } = watchSchema();
  const [one, other] = [compileSerializer({ schema }), compileSerializer({ schema })];
  assert.equal(countLooks(), 0);
  assert.equal(one({ name: "Ada", secret: 1 }), '{"name":"Ada"}');
  const once = countLooks();
  assert.equal(other({ name: "Bob", secret: 2 }), '{"name":"Bob"}');
  assert.equal(countLooks(), once);
});

test("equal schemas of several servers are compiled once", () => {
  const build = (): object => ({
    type: "object",
    properties: { size: { type: "integer", maximum: 9 } },
  });
  const schemasOf = [build(), build()].map((schema) => {
    const route = { schema, method: "POST", url: "/", httpPart: "body" };
    const validate = compileValidator(route);
    assert.equal(validate({ size: 10 }), false);
    const [error] = (validate.errors ?? []) as { readonly parentSchema?: object }[];
    return error?.parentSchema;
  });
  assert.ok(schemasOf[0] !== undefined);
  assert.equal(schemasOf[0], schemasOf[1]);
});

test("a validator is compiled on first use and reports faults", () => {
  const { schema, countLooks } = watchSchema();
  const validate = compileValidator({ schema, method: "POST", url: "/", httpPart: "body" });
  assert.equal(countLooks(), 0);
  const listFaults = () => validate.errors?.map(({ instancePath }) => instancePath);
  assert.equal(validate({ name: "A" }), false);
  assert.deepEqual(listFaults(), ["/name"]);
  assert.equal(validate({ name: "Ada" }), true);
  assert.deepEqual(listFaults(), undefined);
});
