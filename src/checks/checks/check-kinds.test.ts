import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { checkTypes, kinds } from "../../kinds/index.ts";

interface Limits {
  readonly required: boolean;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
}

interface ListedKind {
  readonly type: keyof typeof kinds;
  readonly path: string;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly limits: Readonly<Record<string, Limits>>;
  readonly intervalSeconds: readonly number[];
  readonly assertionSources: readonly { readonly source: string; readonly property: string }[];
  readonly readOnlyFields: readonly string[];
  readonly generatedFields: readonly string[];
}

let app: TestApp;
let listed: readonly ListedKind[];
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  const answer = await app.call("GET", "/v1/check-kinds");
  assert.equal(answer.status, 200, answer.text);
  listed = answer.body;
});
after(() => app.stop());

function findListed(type: string): ListedKind {
  const found = listed.find((kind) => kind.type === type);
  assert.ok(found, type);
  return found;
}

const create = ({ path, type }: ListedKind, body: object) =>
  app.call("POST", `/v1/checks/${path}`, {
    body: { name: "x", ...kinds[type].operations.example, ...body },
  });

/** Asserts that `shown` has every value of `defaults`, except where the request sent another. */
function assertContains(shown: unknown, defaults: unknown, sent: unknown, path: string): void {
  if (typeof defaults !== "object" || defaults === null || Array.isArray(defaults)) {
    if (sent === undefined) assert.deepEqual(shown, defaults, path);
    return;
  }
  for (const [name, value] of Object.entries(defaults)) {
    const own = (one: unknown) => (one as Readonly<Record<string, unknown>> | undefined)?.[name];
    assertContains(own(shown), value, own(sent), `${path}.${name}`);
  }
}

test("every kind is listed with its path", () => {
  assert.deepEqual(
    listed.map(({ type, path }) => [type, path]),
    checkTypes.map((type) => [type, kinds[type].path]),
  );
});

for (const type of checkTypes) {
  test(`${type}: a check that omits every field but the required ones has the defaults`, async () => {
    const kind = findListed(type);
    const made = await create(kind, {});
    assert.equal(made.status, 201, made.text);
    const { privateLocations: places, ...defaults } = kind.defaults;
    // Responses omit an empty list.
    if (kinds[type].isOrdered) assert.deepEqual(places, []);
    assertContains(made.body, defaults, kinds[type].operations.example, type);
    assert.ok(!("name" in defaults) && !("id" in defaults));
  });

  test(`${type}: a value beyond a listed limit is rejected at its path`, async () => {
    const kind = findListed(type);
    const single = Object.entries(kind.limits).filter(([path]) => !path.includes("[]"));
    const beyond = single.flatMap(([path, { maximum, maxLength, enum: allowed }]) => [
      ...(maximum === undefined ? [] : [[path, maximum + 1] as const]),
      ...(maxLength === undefined ? [] : [[path, "x".repeat(maxLength + 1)] as const]),
      ...(allowed === undefined ? [] : [[path, "no-such-value"] as const]),
    ]);
    assert.ok(beyond.length > 5, String(beyond.length));
    for (const [path, value] of beyond) {
      const [first = "", ...rest] = path.split(".");
      const nested = rest.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value);
      const answer = await create(kind, { [first]: nested });
      assert.equal(answer.status, 400, `${path}: ${answer.text}`);
      assert.ok(answer.body.validation.keys.includes(path), `${path}: ${answer.text}`);
    }
  });
}

test("required fields have no default, and generated ones are named", () => {
  const { defaults, limits } = findListed("TCP");
  assert.equal(limits["request.port"]?.required, true);
  assert.equal(limits["request.ipFamily"]?.required, false);
  assert.deepEqual(defaults.request, { data: null, ipFamily: "IPv4", assertions: [] });
  const heartbeat = findListed("HEARTBEAT");
  assert.deepEqual(heartbeat.readOnlyFields, ["heartbeat.pingUrl"]);
  assert.deepEqual(heartbeat.generatedFields, ["heartbeat.pingToken"]);
  assert.deepEqual(Object.keys(heartbeat.defaults.heartbeat ?? {}).toSorted(), [
    "cron",
    "grace",
    "graceUnit",
    "periodUnit",
    "timezone",
  ]);
  assert.deepEqual(heartbeat.intervalSeconds, []);
});

test("entries of lists have limits, with their position left out of the path", () => {
  const { limits } = findListed("API");
  assert.equal(limits["request.headers[].key"]?.required, true);
  assert.equal(limits["request.headers[].locked"]?.required, false);
  assert.ok(limits["request.assertions[].comparison"]?.enum?.includes("EQUALS"));
});

test("assertion sources are listed with their comparisons and properties", () => {
  assert.deepEqual(findListed("ICMP").assertionSources[0], {
    source: "LATENCY",
    comparisons: ["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"],
    property: "name",
    propertyNames: ["avg", "min", "max", "stdDev"],
  });
  const { assertionSources } = findListed("URL");
  assert.deepEqual(
    assertionSources.map(({ source, property }) => [source, property]),
    [["STATUS_CODE", "none"]],
  );
});
