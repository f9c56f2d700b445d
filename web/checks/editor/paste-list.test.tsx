/** A pasted list of targets, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  rejectRequest,
  renderPart,
  type SentRequest,
} from "../../../test/support/components/part.tsx";
import { readCheckKinds } from "../../../test/support/modules/check-kinds.ts";
import { checkKindsQuery } from "../../kinds/queries.ts";
import { groupNamesQuery, tagsQuery } from "../../parts/queries.ts";
import { PasteList } from "./paste-list.tsx";
import { channelsQuery } from "./queries.ts";
import { listWords, words } from "./words.ts";

type Outcome = { readonly id: string } | { readonly error: { readonly message: string } };

/** Responds to the request that creates checks, and to that for their first runs. */
function answerWith(...answers: readonly (readonly Outcome[])[]) {
  const left = [...answers];
  return ({ path, body }: SentRequest) => {
    if (path === "/v1/check-groups") return Response.json({ id: 7, name: body }, { status: 201 });
    if (path.startsWith("/v1/check-overviews/facets")) return Response.json({ tag: [] });
    if (path !== "/v1/checks/many") return Response.json({ sessions: [] }, { status: 201 });
    const items = left.shift() ?? [];
    const refused = items.filter((item) => "error" in item).length;
    return Response.json({ items, created: items.length - refused, refused });
  };
}

async function paste(text: string, respond: (request: SentRequest) => Response = answerWith()) {
  sessionStorage.clear();
  const part = renderPart(<PasteList />, {
    respond,
    data: [
      [checkKindsQuery.queryKey, readCheckKinds()],
      [groupNamesQuery.queryKey, []],
      [tagsQuery.queryKey, []],
      [channelsQuery.queryKey, []],
    ],
  });
  await part.getByLabel(listWords.paste).fill(text);
  const bodies = () =>
    part.sent.filter(({ path }) => path === "/v1/checks/many").map(({ body }) => body);
  const cell = (column: string, line: number) => part.getByLabel(`${column}, Line ${line}`);
  return { part, bodies, cell };
}

test("each line becomes a check with a type, a name and a target", async () => {
  const { part, cell } = await paste("https://shop.test/\nRouter, 192.0.2.1\ndb.test:5432");
  assert.equal(await cell(listWords.kind, 1).inputValue(), "URL");
  assert.equal(await cell(listWords.name, 2).inputValue(), "Router");
  assert.equal(await cell(listWords.target, 2).inputValue(), "192.0.2.1");
  assert.equal(await cell(listWords.kind, 3).inputValue(), "TCP");
  await part.getByRole("button", { name: listWords.createAll(3) }).waitFor();
});

test("a line that cannot be used, or is there twice, is listed with the reason", async () => {
  const { part } = await paste("shop.test\nnothing to check here\nshop.test");
  await part.getByText(listWords.leftOut(2)).waitFor();
  const lines = part.locator("details li").allTextContents();
  assert.match(lines[0] ?? "", /^Line 2: nothing to check here is not a host name/);
  assert.match(lines[1] ?? "", /^Line 3: shop\.test duplicates line 1$/);
});

test("a new group is created with the checks, and a repeated attempt uses it again", async () => {
  const refuse = [{ error: { message: "Too many checks." } }];
  const { part, bodies } = await paste("shop.test", answerWith(refuse, [{ id: "c-1" }]));
  await part.getByLabel(words.group).selectOption("new");
  await part.getByLabel(words.newGroupName).fill(" Shop ");
  await part.getByRole("button", { name: listWords.createAll(1) }).click();
  await part.getByRole("button", { name: listWords.retryRefused(1) }).click();
  await part.getByRole("link", { name: listWords.toChecks }).waitFor();
  const groups = part.sent.filter(({ path }) => path === "/v1/check-groups");
  assert.deepEqual(
    groups.map(({ body }) => body),
    [{ name: "Shop" }],
  );
  const sent = bodies() as { checks: { groupId: unknown }[] }[];
  assert.deepEqual(
    sent.map(({ checks }) => checks[0]?.groupId),
    [7, 7],
  );
});

test("host names are checked as the chosen type, and other lines keep theirs", async () => {
  const { part, cell } = await paste("a.test\nhttps://b.test/\nc.test");
  const before = await cell(listWords.kind, 1).inputValue();
  const choices = part.getByRole("radio").elements() as HTMLInputElement[];
  const other = choices.find(({ value }) => value !== before)?.value ?? "";
  await part.locator(`input[type=radio][value="${other}"]`).click();
  assert.equal(await cell(listWords.kind, 1).inputValue(), other);
  assert.equal(await cell(listWords.kind, 2).inputValue(), "URL");
  assert.equal(await cell(listWords.kind, 3).inputValue(), other);
});

test("a line is changed or removed before the checks are created", async () => {
  const made = answerWith([{ id: "c-1" }]);
  const { part, bodies, cell } = await paste("https://a.test/\nhttps://b.test/", made);
  await cell(listWords.name, 1).fill("Shop");
  await cell(listWords.target, 1).fill("https://shop.test/");
  const name = await cell(listWords.name, 2).inputValue();
  await part.getByRole("button", { name: listWords.remove(name), exact: true }).click();
  await part.getByRole("button", { name: listWords.createAll(1) }).click();
  await part.getByText(listWords.summary(1, 0)).waitFor();
  const [{ checks }] = bodies() as [{ checks: { name: string; request: { url: string } }[] }];
  assert.deepEqual(
    checks.map(({ name, request }) => [name, request.url]),
    [["Shop", "https://shop.test/"]],
  );
});

test("created checks link to their page, and only rejected ones are sent again", async () => {
  const respond = answerWith(
    [{ id: "c-1" }, { error: { message: "The port is wrong." } }],
    [{ id: "c-2" }],
  );
  const { part, bodies, cell } = await paste("https://a.test/\nhttps://b.test/", respond);
  await part.getByRole("button", { name: listWords.createAll(2) }).click();
  await part.getByText(listWords.summary(1, 1)).waitFor();
  await part.getByText(/The port is wrong\./).waitFor();
  const link = part.getByRole("link", { name: listWords.created });
  assert.equal(await link.getAttribute("href"), "/checks/c-1");
  assert.equal(await cell(listWords.target, 1).isDisabled(), true);
  await part.getByRole("button", { name: listWords.retryRefused(1) }).click();
  await part.getByText(listWords.summary(2, 0)).waitFor();
  const counts = (bodies() as { checks: unknown[] }[]).map(({ checks }) => checks.length);
  assert.deepEqual(counts, [2, 1]);
});

test("a request that fails is reported, and is repeated with the same key", async () => {
  const accept = answerWith([{ id: "c-1" }]);
  let isRejected = false;
  const respond = (request: SentRequest) => {
    if (isRejected || request.path !== "/v1/checks/many") return accept(request);
    isRejected = true;
    return rejectRequest(400, "The list is too long.");
  };
  const { part } = await paste("https://a.test/", respond);
  const create = part.getByRole("button", { name: listWords.createAll(1) });
  await create.click();
  const reason = `${words.notSaved}. The list is too long.`;
  assert.equal(await part.getByRole("alert").textContent(), reason);
  await create.click();
  await part.getByText(listWords.summary(1, 0)).waitFor();
  const keys = part.sent
    .filter(({ path }) => path === "/v1/checks/many")
    .map(({ headers }) => headers.get("idempotency-key"));
  assert.equal(keys.length, 2);
  assert.equal(new Set(keys).size, 1);
});

test("the draft of a list has no passwords", async () => {
  const { part } = await paste("https://anna:hunter2@shop.test/");
  await part.getByRole("button", { name: listWords.createAll(1) }).waitFor();
  const draft = JSON.stringify({ ...sessionStorage });
  assert.match(draft, /shop\.test/);
  assert.doesNotMatch(draft, /hunter2/);
  sessionStorage.clear();
});
