/** The schema rejects values that a column cannot store, so that they never reach the database. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { composeExample } from "../src/platform/http/openapi/document.ts";
import type { JsonSchema } from "../src/platform/http/openapi/json-schema.ts";
import { maxInteger } from "../src/platform/http/schema.ts";
import type { TestApp } from "./support/apps/app.ts";
import { shareTestApp } from "./support/apps/shared-app.ts";
import { listPlaces, type RouteSchemas, writeApiDocument } from "./support/project/api-document.ts";

let app: TestApp;
let routes: readonly RouteSchemas[];
let sourceToken: string;
before(async () => {
  ({ routes } = await writeApiDocument());
  app = await shareTestApp();
  const source = await app.call("POST", "/v1/alert-sources", { body: { name: "Shop" } });
  sourceToken = new URL(source.body.url).pathname.split("/").at(-1) ?? "";
});
after(() => app.stop());

const parts = ["params", "querystring", "body"] as const;

function isNumber({ type, enum: values }: JsonSchema): boolean {
  return values === undefined && [type].flat().some((one) => one === "integer" || one === "number");
}

test("every number in a request has bounds within the exact integers", () => {
  const numbers = routes.flatMap((route) =>
    parts.flatMap((part) =>
      listPlaces(route[part] ?? {})
        .filter(({ schema }) => isNumber(schema))
        .map(({ path, schema }) => ({ where: `${route.name} ${part} ${path}`, schema })),
    ),
  );
  const unbounded = numbers
    .filter(
      ({ schema: { minimum, maximum } }) =>
        minimum === undefined || !(Number(maximum) <= Number.MAX_SAFE_INTEGER),
    )
    .map(({ where }) => where);
  assert.ok(numbers.length > 80, String(numbers.length));
  assert.deepEqual(unbounded, []);
});

test("sequential ids have the maximum of their column", () => {
  const beyond = routes.flatMap((route) =>
    parts.flatMap((part) =>
      listPlaces(route[part] ?? {})
        .filter(({ path, schema }) => isNumber(schema) && /(?:^id|Ids?)(?:\[\])?$/.test(path))
        .filter(({ schema }) => schema.maximum !== maxInteger)
        .map(({ path }) => `${route.name} ${part} ${path}`),
    ),
  );
  assert.deepEqual(beyond, []);
});

/** Returns an example body with this value at this path. */
function placeValue(schema: JsonSchema, path: string, value: unknown): unknown {
  if (path === "") return value;
  const [, name = "", rest = ""] = /^\.?([^.[\]]+|\[\])(.*)$/.exec(path) ?? [];
  const branches = [schema, ...(schema.anyOf ?? [])];
  if (name === "[]") {
    const items = branches.find((one) => one.items !== undefined)?.items ?? {};
    return [placeValue(items, rest, value)];
  }
  const shape = branches.find((one) => one.properties?.[name] !== undefined) ?? {};
  const example = composeExample(shape, "request") as object;
  return { ...example, [name]: placeValue(shape.properties?.[name] ?? {}, rest, value) };
}

function fillAddress(route: RouteSchemas): string {
  const [, url = ""] = route.name.split(" ");
  const examples = {
    ...(composeExample(route.params ?? {}, "answer") as Record<string, unknown>),
    accountId: app.owner.accountId,
    // The token is checked before the body is read.
    ...(url.startsWith("/v1/alertmanager/") && { token: sourceToken }),
  };
  return url.replaceAll(/:(\w+)/g, (_match, name) =>
    String((examples as Record<string, unknown>)[name] ?? "x"),
  );
}

test("the largest number is accepted or a client error, and one more is rejected", async () => {
  let sent = 0;
  for (const route of routes) {
    const [method = ""] = route.name.split(" ");
    const { body } = route;
    for (const { path, schema } of listPlaces(body ?? {})) {
      if (body === undefined || !isNumber(schema) || schema.maximum === undefined) continue;
      for (const value of [schema.maximum, schema.maximum + 1, maxInteger + 1, 2 ** 53]) {
        const answer = await app.call(method, fillAddress(route), {
          body: placeValue(body, path, value),
        });
        const where = `${route.name} ${path} = ${value}: ${answer.text}`;
        assert.ok(answer.status < 500, where);
        if (value > schema.maximum) assert.equal(answer.status, 400, where);
        sent += 1;
      }
    }
    for (const [name, field] of Object.entries(route.querystring?.properties ?? {})) {
      if (!isNumber(field)) continue;
      const address = `${fillAddress(route)}?${name}=${Number(field.maximum) + 1}`;
      const answer = await app.call(method, address);
      assert.ok(answer.status < 500, `${address}: ${answer.text}`);
      if (!route.isHidden) assert.equal(answer.status, 400, address);
    }
  }
  assert.ok(sent > 100, String(sent));
});
