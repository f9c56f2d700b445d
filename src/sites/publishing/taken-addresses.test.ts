/** Names are unique over all accounts. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  createStatusPage,
  nextPageUrl,
  postStatusPage,
} from "../../../test/support/modules/status-pages.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp();
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/status-pages";

test("exactly one of twenty concurrent requests for a label gets it", async () => {
  const url = nextPageUrl();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const body = { name: `page ${index}`, url: index % 2 ? url : url.toUpperCase(), cards: [] };
      return app.call("POST", path, index % 3 ? { body } : { body, key: stranger.key });
    }),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
  for (const { status, body } of answers) {
    if (status === 409) assert.equal(body.message, `url ${url} is taken`);
  }
});

test("exactly one of twenty concurrent requests for a domain gets it", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      postStatusPage(app, { customDomain: index % 2 ? "one.example.com" : "ONE.example.com." }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
  for (const { status, body } of answers) {
    if (status === 409) assert.equal(body.message, "customDomain one.example.com is taken");
  }
  const { rows } = await app.query(
    "select count(*)::int as count from page_names where name = $1",
    ["one.example.com"],
  );
  assert.deepEqual(rows, [{ count: 1 }]);
});

test("an update can take neither another page's label nor its domain", async () => {
  const taken = await createStatusPage(app, { customDomain: "taken.example.com" });
  const page = await createStatusPage(app, { customDomain: "own.example.com" });
  const put = (more: object) =>
    app.call("PUT", `${path}/${page.id}`, {
      body: { name: page.name, url: page.url, cards: [], ...more },
    });
  const url = await put({ url: taken.url.toUpperCase() });
  assert.equal(url.status, 409);
  assert.equal(url.body.message, `url ${taken.url} is taken`);
  const domain = await put({ customDomain: "taken.example.com" });
  assert.equal(domain.status, 409);
  assert.equal(domain.body.message, "customDomain taken.example.com is taken");
  assert.deepEqual((await app.call("GET", `${path}/${page.id}`)).body, page);
  assert.equal((await put({ customDomain: "own.example.com" })).status, 200);
});

test("two pages that concurrently claim each other's label both get a conflict", async () => {
  const pages = [
    await createStatusPage(app, { customDomain: "left.example.com" }),
    await createStatusPage(app, { customDomain: "right.example.com" }),
  ];
  for (const field of ["url", "customDomain", "customDomain"]) {
    const answers = await Promise.all(
      pages.map((page, index) => {
        const own = { name: page.name, url: page.url, cards: [] };
        const body = { ...own, [field]: pages[1 - index][field] };
        return app.call("PUT", `${path}/${page.id}`, { body });
      }),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 409, answer.text);
      assert.match(answer.body.message, new RegExp(`${field}.* is taken`));
    }
  }
});
