/** Domain, access and snapshots of a status page, and the list of pages, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderScreen,
} from "../../../test/support/components/part.tsx";
import { overviewsQuery, pageQuery, type StatusPage } from "../queries.ts";
import { route as accessRoute } from "./access-screen.tsx";
import { route as domainRoute } from "./domain-screen.tsx";
import { domainQuery, keysQuery, type PageDomain, type PageKey } from "./queries.ts";

const id = "p-1";
const params = { statusPageId: id };
const address = "https://status.example.com/";

const page = (more: Partial<StatusPage> = {}) =>
  ({
    id,
    name: "Acme",
    url: "acme",
    isPrivate: false,
    customDomain: null,
    cards: [],
    ...more,
  }) as unknown as StatusPage;

const stored = (more: Partial<StatusPage> = {}) =>
  [pageQuery(id).queryKey, { data: page(more), etag: '"3"' }] as const;

const button = (part: Part, name: string | RegExp) => part.getByRole("button", { name });
const listLines = (part: Part) => part.sent.map(({ method, path }) => `${method} ${path}`);

const domain = (more: Partial<PageDomain> = {}) =>
  ({
    domain: "status.acme.test",
    unicodeDomain: "status.acme.test",
    status: "PENDING",
    isProofRequired: true,
    records: [
      {
        type: "TXT",
        name: "_vedette-challenge.status.acme.test",
        value: "vedette=1",
        isSeen: false,
      },
    ],
    claimedAt: "2026-11-16T03:00:00.000Z",
    provedAt: null,
    provedBy: null,
    servedUntil: null,
    lastLookAt: null,
    nextLookAt: null,
    lastOutcome: null,
    found: [],
    ...more,
  }) as PageDomain;

function renderDomain(more: Partial<PageDomain> = {}, options: PartOptions = {}) {
  return renderScreen(domainRoute, {
    ...options,
    params,
    data: [stored({ customDomain: "status.acme.test" }), [domainQuery(id).queryKey, domain(more)]],
  });
}

for (const [status, state, sentence, advice] of [
  ["PENDING", "unknown", "Not served yet: no record found", null],
  ["VERIFIED", "passing", "Verified and served", null],
  ["MISSING", "degraded", "Still served, but the record is missing", /served only until/],
  ["UNPROVED", "degraded", "Served without verification", /Add the record to keep it/],
  ["TAKEN", "failing", "Not served: another page uses this domain", /takes precedence/],
] as const) {
  test(`a domain that is ${status} is marked as ${state}, with what to do`, async () => {
    const part = await renderDomain({ status, servedUntil: "2026-11-20T03:00:00.000Z" });
    await part.getByText(sentence).waitFor();
    assert.equal(part.locator("[data-state]").elements()[0]?.dataset.state, state);
    const advices = [/served only until/, /Add the record to keep it/, /takes precedence/];
    const shown = advices.filter((one) => part.getByText(one).count() > 0);
    assert.deepEqual(shown, advice === null ? [] : shown);
    assert.equal(shown.length, advice === null ? 0 : 1);
    if (advice !== null) await part.getByText(advice).waitFor();
  });
}

test("each record has its name and value to copy, and whether it was found", async () => {
  const [txt] = domain().records;
  assert.ok(txt);
  const cname = {
    ...txt,
    type: "CNAME",
    name: "status.acme.test",
    value: "here.test",
    isSeen: true,
  };
  const part = await renderDomain({ records: [txt, cname] as PageDomain["records"] });
  await part.getByText("Add one of these records at your DNS provider.").waitFor();
  assert.deepEqual(part.getByRole("heading", { level: 3 }).allTextContents(), [
    "TXTNot found",
    "CNAMEFound",
  ]);
  for (const type of ["TXT", "CNAME"]) {
    await button(part, `Copy the name of the ${type} record`).waitFor();
    await button(part, `Copy the value of the ${type} record`).waitFor();
  }
});

test("a domain in another script is shown as it is read, and as DNS has it", async () => {
  const part = await renderDomain({ unicodeDomain: "статус.рф", domain: "xn--80a.xn--p1ai" });
  await part.getByRole("heading", { name: "статус.рф" }).waitFor();
  await part.getByText("xn--80a.xn--p1ai").waitFor();
});

test("a server that verifies no domains asks for no record", async () => {
  const part = await renderDomain({ status: "UNPROVED", isProofRequired: false });
  await part.getByText(/DOMAIN_PROOF is off/).waitFor();
  assert.equal(part.getByText("DNS record", { exact: true }).count(), 0);
  assert.equal(button(part, "Check now").count(), 0);
});

test("the last check shows what was found in place of the record", async () => {
  const part = await renderDomain({
    lastLookAt: new Date().toISOString(),
    lastOutcome: "OTHER_VALUE",
    found: ["vedette=other", "<b>x</b>"],
  });
  assert.equal(
    await part.getByRole("status").textContent(),
    "A TXT record with another value was found:",
  );
  assert.deepEqual(part.locator("ul > li").allTextContents(), ["vedette=other", "<b>x</b>"]);
  assert.equal(part.readFacts()["Waiting since"]?.includes("2026"), true);
});

test("a verified domain shows since when and by which record", async () => {
  const part = await renderDomain({
    status: "VERIFIED",
    provedAt: "2026-11-16T04:00:00.000Z",
    provedBy: "TXT",
    lastOutcome: "SEEN",
  });
  assert.match(part.readFacts()["Verified since"] ?? "", /by the TXT record$/);
  assert.equal(part.readFacts()["Last check"], "Not yet");
  await part.getByText("The record was found.").waitFor();
});

test("a check on request shows its result, and an error if it fails", async () => {
  let isBroken = true;
  const part = await renderDomain(
    {},
    {
      respond: () =>
        isBroken
          ? rejectRequest(429, "Try again in a minute.")
          : Response.json(domain({ status: "VERIFIED", lastOutcome: "SEEN" })),
    },
  );
  await button(part, "Check now").click();
  await part.getByText("Try again in a minute.").waitFor();
  await part.getByText("Not served yet: no record found").waitFor();
  isBroken = false;
  await button(part, "Check now").click();
  await part.getByText("Verified and served").waitFor();
  assert.deepEqual(listLines(part), Array(2).fill("POST /v1/status-pages/p-1/domain/check"));
});

test("a reader sees the records and may change nothing", async () => {
  const part = await renderDomain({}, { role: "READ_ONLY" });
  await part.getByText("vedette=1").waitFor();
  assert.equal(button(part, /^(?:Check|Change|Remove)/).count(), 0);
});

test("removing a domain names the addresses that stop working", async () => {
  const part = await renderDomain({}, { respond: () => rejectRequest(412, "It was changed.") });
  await button(part, "Remove domain").click();
  const dialog = part.getByRole("dialog", { name: "Remove status.acme.test from this page?" });
  await dialog.getByText(/https:\/\/status\.acme\.test stop showing this page/).waitFor();
  await dialog.getByRole("button", { name: "Remove domain" }).click();
  await dialog.getByText("The page was not changed").waitFor();
  const [sent] = part.sent;
  assert.equal(sent?.headers.get("if-match"), '"3"', "a change of somebody else is kept");
  assert.equal((sent?.body as { customDomain?: unknown })?.customDomain, null);
});

test("a domain is added without spaces, and a rejected one is explained at its field", async () => {
  const part = await renderScreen(domainRoute, {
    params,
    data: [stored()],
    respond: () => rejectRequest(409, "Taken.", { customDomain: "is used by another page." }),
  });
  await part.getByLabel("Domain").fill(" status.acme.test ");
  await button(part, "Add domain").click();
  await part.getByText("is used by another page.").waitFor();
  assert.equal(await part.getByLabel("Domain").getAttribute("aria-invalid"), "true");
  const [sent] = part.sent;
  assert.equal((sent?.body as { customDomain?: string })?.customDomain, "status.acme.test");
});

test("a changed domain can be cancelled", async () => {
  const part = await renderDomain();
  await button(part, "Change domain").click();
  assert.equal(await part.getByLabel("Domain").inputValue(), "status.acme.test");
  await button(part, "Cancel").click();
  assert.equal(part.getByLabel("Domain").count(), 0);
  await button(part, "Change domain").waitFor();
});

const key = (more: Partial<PageKey> = {}) =>
  ({
    id: "k-1",
    maskedKey: "da_...f00d",
    created_at: "2026-11-15",
    updated_at: null,
    lastUsedAt: null,
    ...more,
  }) as PageKey;

interface AccessState extends PartOptions {
  readonly isPrivate?: boolean;
  readonly keys?: readonly PageKey[];
}

const renderAccess = ({ isPrivate = false, keys = [], ...options }: AccessState = {}) =>
  renderScreen(accessRoute, {
    ...options,
    params,
    data: [
      stored({ isPrivate }),
      [keysQuery(id).queryKey, keys],
      [overviewsQuery.queryKey, new Map([[id, { statusPageId: id, address }]])],
    ],
  });

test("making a page public names the address, and sends the version that was read", async () => {
  const part = await renderAccess({
    isPrivate: true,
    respond: () => rejectRequest(412, "It was changed."),
  });
  await part.getByText("Private: visible only to visitors with a key.").waitFor();
  await button(part, "Make public").click();
  const dialog = part.getByRole("dialog", { name: "Make this page public?" });
  await dialog.getByText(/Everyone with the address https:\/\/status\.example\.com\//).waitFor();
  assert.equal(part.sent.length, 0, "nothing is sent before it is confirmed");
  await dialog.getByRole("button", { name: "Make public" }).click();
  await dialog.getByText("The page was not changed").waitFor();
  assert.equal((part.sent[0]?.body as { isPrivate?: boolean })?.isPrivate, false);
  assert.equal(part.sent[0]?.headers.get("if-match"), '"3"');
});

test("making a page private says what ends", async () => {
  const part = await renderAccess();
  await button(part, "Make private").click();
  const dialog = part.getByRole("dialog", { name: "Make this page private?" });
  await dialog.getByText(/its snapshot is deleted/).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(part.sent.length, 0);
});

test("a private page without keys says that nobody can open it", async () => {
  const part = await renderAccess({ isPrivate: true });
  await part.getByText("No keys yet").waitFor();
  await part.getByText(/Nobody can open a private page without a key/).waitFor();
});

test("keys of a public page have no effect", async () => {
  const part = await renderAccess();
  await part.getByText("Keys have no effect while the page is public.").waitFor();
  assert.equal(part.getByText("No keys yet").count(), 0);
});

test("keys are listed with their last use, and when they were replaced", async () => {
  const part = await renderAccess({
    isPrivate: true,
    keys: [key(), key({ id: "k-2", maskedKey: "da_...beef", updated_at: "2026-11-16" })],
  });
  const [first = [], second = []] = part.readRows();
  assert.deepEqual(first.slice(0, 3), ["da_...f00d", "2026-11-15", "Never"]);
  assert.match(second[1] ?? "", /^2026-11-15 Replaced 2026-11-16$/);
});

test("a new key is shown once, with its link, until it is closed by its button", async () => {
  const part = await renderAccess({
    isPrivate: true,
    respond: () => Response.json({ ...key(), rawKey: "da_secret" }, { status: 201 }),
  });
  await button(part, "New key").click();
  const dialog = part.getByRole("dialog", { name: "New key" });
  await dialog.getByText("da_secret", { exact: true }).waitFor();
  assert.deepEqual(dialog.locator("code").allTextContents(), [
    "da_secret",
    `${address}?key=da_secret`,
  ]);
  await part.keyboard("{Escape}");
  assert.equal(dialog.count(), 1, "Escape does not lose the key");
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(listLines(part), ["POST /v1/status-pages/p-1/keys"]);
});

test("replacing a key shows the new one, and a failure stays in the dialog", async () => {
  let isBroken = true;
  const part = await renderAccess({
    isPrivate: true,
    keys: [key()],
    respond: () =>
      isBroken
        ? rejectRequest(500, "It broke.")
        : Response.json({ ...key(), rawKey: "da_next" }, { status: 200 }),
  });
  await button(part, "Replace da_...f00d").click();
  const dialog = part.getByRole("dialog", { name: "Replace the key da_...f00d?" });
  await dialog.getByText(/lose access immediately, and its links stop working/).waitFor();
  await dialog.getByRole("button", { name: "Replace" }).click();
  await dialog.getByText("It broke.").waitFor();
  isBroken = false;
  await dialog.getByRole("button", { name: "Replace" }).click();
  await part.getByText("da_next", { exact: true }).waitFor();
  assert.deepEqual(listLines(part), Array(2).fill("POST /v1/status-pages/p-1/keys/k-1/rotate"));
});

test("a key is revoked by its id", async () => {
  const part = await renderAccess({
    isPrivate: true,
    keys: [key(), key({ id: "k-2", maskedKey: "da_...beef" })],
    respond: () => new Response(null, { status: 204 }),
  });
  await button(part, "Revoke da_...beef").click();
  const dialog = part.getByRole("dialog", { name: "Revoke the key da_...beef?" });
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(listLines(part), ["DELETE /v1/status-pages/p-1/keys/k-2"]);
});

test("a reader sees keys without actions", async () => {
  const part = await renderAccess({ isPrivate: true, keys: [key()], role: "READ_ONLY" });
  await part.getByText("da_...f00d").waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});
