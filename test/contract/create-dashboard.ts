import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertError,
  assertInvalid,
  type Body,
  type ContractSetting,
  dateTime,
  describeRefusals,
} from "./setting.ts";

const path = "/v1/dashboards";

/** The settings of the contract, in its order, each with a value that is not the default. */
const settings: Readonly<Record<string, unknown>> = {
  header: "Text at the top",
  customUrl: "contract-wall",
  customDomain: "wall.contract.example",
  logo: "https://contract.example/logo.png",
  favicon: "https://contract.example/favicon.png",
  link: "https://contract.example/",
  description: "Text below the header",
  width: "960PX",
  refreshRate: 300,
  paginate: false,
  paginationRate: 30,
  checksPerPage: 20,
  useTagsAndOperator: true,
  hideTags: true,
  enableIncidents: true,
  expandChecks: true,
  tags: ["one", "two"],
  showHeader: false,
  showCheckRunLinks: true,
  customCSS: ".check { color: red }",
  isPrivate: true,
  showP95: false,
  showP99: false,
};

const allowed: Readonly<Record<string, readonly unknown[]>> = {
  width: ["FULL", "960PX"],
  refreshRate: [60, 300, 600],
  paginationRate: [30, 60, 300],
  checksPerPage: [1, 20],
};
const refused: readonly (readonly [string, unknown])[] = [
  ["header", 5],
  ["header", ""],
  ["width", "HALF"],
  ["refreshRate", 59],
  ["refreshRate", 120],
  ["paginationRate", 31],
  ["checksPerPage", 0],
  ["checksPerPage", 21],
  ["checksPerPage", 2.5],
  ["tags", "one"],
  ["link", "javascript:alert(1)"],
  ["logo", "no address"],
];

export function describeCreateDashboard(setting: () => ContractSetting): void {
  const create = (more: Body = {}) => setting().post(path, { header: "Overview", ...more });

  test("201: the settings again, led by the identifier", async () => {
    const { status, body, text } = await create(settings);
    assert.equal(status, 201);
    assert.equal(Object.keys(JSON.parse(text))[0], "dashboardId");
    assert.match(body.dashboardId, /^[a-z0-9]{8}$/);
    for (const [name, value] of Object.entries(settings)) assert.deepEqual(body[name], value, name);
    assert.match(body.created_at, dateTime);
    assert.ok(Number.isInteger(body.id));
  });

  test("201: a private dashboard shows its key, and none where that is not wanted", async () => {
    const { body: shown } = await create({ isPrivate: true, keys: true });
    assert.match(shown.keys[0].rawKey, /^da_[0-9a-f]{32}$/);
    const { body: hidden } = await create({ isPrivate: true, keys: false });
    assert.deepEqual(hidden.keys, []);
  });

  test("201 and 400: every allowed value, and the values beside it", async () => {
    for (const [name, values] of Object.entries(allowed)) {
      for (const value of values) {
        const { status, body } = await create({ [name]: value });
        assert.equal(status, 201);
        assert.equal(body[name], value);
      }
    }
    for (const [name, value] of refused) assertInvalid(await create({ [name]: value }), name);
    assertInvalid(await setting().post(path, {}), "header");
  });

  test("409: a custom URL or custom domain that is already taken, by anybody", async () => {
    await create({ customUrl: "taken", customDomain: "taken.example" });
    const { app, stranger } = setting();
    for (const [name, value] of [
      ["customUrl", "TAKEN"],
      ["customDomain", "Taken.Example"],
    ] as const) {
      const body = { header: "Overview", [name]: value };
      for (const options of [{ body }, { body, key: stranger.key }]) {
        const answer = await app.call("POST", path, options);
        assertError(answer, 409);
        assert.ok(answer.body.message.includes(name));
      }
    }
  });

  describeRefusals(
    setting,
    () => ({ method: "POST", path, body: { header: "Overview" }, isWrite: true }),
    [201],
  );
}
