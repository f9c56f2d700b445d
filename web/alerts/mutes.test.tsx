/** The dialog, the notes and the list of mutes, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rejectRequest, renderPart, renderScreen } from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { tagsQuery } from "../parts/queries.ts";
import { MuteDialog } from "./mute-dialog.tsx";
import { MuteNotes } from "./mute-parts.tsx";
import { route } from "./mutes-screen.tsx";
import { type Mute, mutesQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.mutes;
const checkId = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
const none = { checkId: null, groupId: null, tag: null };

const mute = (more: Partial<Mute> = {}): Mute => ({
  id: checkId,
  target: { ...none, type: "CHECK", checkId },
  name: "Shop <b>",
  mutedUntil: "2099-11-19T09:00:00.000Z",
  reason: "New router",
  author: "anna@example.com",
  created_at: "2026-11-18T09:00:00.000Z",
  updated_at: null,
  ...more,
});
const ofTag = mute({ id: "t", target: { ...none, type: "TAG", tag: "shop" }, name: "shop" });
const ofAll = mute({ id: "a", target: { ...none, type: "ACCOUNT" }, name: "", reason: "" });

const respond = () => Response.json([]);

function openDialog(respondTo: () => Response = respond) {
  let closed = 0;
  const part = renderPart(
    <MuteDialog
      isOpen
      title="Mute Shop"
      listTargets={() => Promise.resolve([{ type: "CHECK", checkId }])}
      onClose={() => {
        closed += 1;
      }}
    />,
    { respond: respondTo },
  );
  const submit = () => part.getByRole("button", { name: own.mute, exact: true }).click();
  return { part, submit, countClosed: () => closed };
}

test("a check is muted for hours, with a reason", async () => {
  const { part, submit, countClosed } = openDialog();
  await part.getByLabel(own.choices["480"]).click();
  await part.getByLabel(own.reason).fill("New router");
  const before = Date.now();
  await submit();
  await waitUntil("the dialog closes", () => countClosed() === 1);
  const [{ method, path, body } = { method: "", path: "", body: null }] = part.sent;
  const { mutedUntil, ...rest } = body as { mutedUntil: string };
  assert.deepEqual([method, path], ["PUT", "/v1/mutes"]);
  assert.deepEqual(rest, { targets: [{ type: "CHECK", checkId }], reason: "New router" });
  assert.ok(Date.parse(mutedUntil) >= before + 8 * 3_600_000);
});

test("a date in the past is not sent", async () => {
  const { part, submit, countClosed } = openDialog();
  await part.getByLabel(own.choices.date).click();
  await part.getByLabel(own.date).fill("2020-01-01T09:00");
  await submit();
  await part.getByText(own.notInFuture).waitFor();
  assert.deepEqual([part.sent.length, countClosed()], [0, 0]);
});

test("an error of the API is shown at its field, and the dialog stays open", async () => {
  const { part, submit, countClosed } = openDialog(() =>
    rejectRequest(400, "mutedUntil must be at most 366 days ahead", {
      mutedUntil: "must be at most 366 days ahead",
    }),
  );
  await part.getByLabel(own.choices.date).click();
  await part.getByLabel(own.date).fill("2099-01-01T09:00");
  await submit();
  await part
    .getByText(/at most 366 days ahead/i)
    .first()
    .waitFor();
  assert.equal(countClosed(), 0);
});

test("notes show until when, by whom and why, and unmute", async () => {
  const scope = { checkId };
  const data = [[mutesQuery(scope).queryKey, [mute(), ofTag]]] as const;
  const part = renderPart(<MuteNotes scope={scope} />, {
    data,
    respond: () => new Response(null, { status: 204 }),
  });
  await part
    .getByText(/Muted until .* by anna@example\.com/)
    .first()
    .waitFor();
  await part.getByText("New router").first().waitFor();
  await part.getByText(/^Tag shop:/).waitFor();
  await part.getByRole("button", { name: own.unmuteNamed("Tag shop") }).click();
  const isSent = () =>
    part.sent.some(({ method, path }) => `${method} ${path}` === "DELETE /v1/mutes/t");
  await waitUntil("it is sent", isSent);
});

test("a reader sees notes without buttons, and nothing if nothing is muted", async () => {
  const scope = { groupId: 7 };
  const data = [[mutesQuery(scope).queryKey, [ofAll]]] as const;
  const part = renderPart(<MuteNotes scope={scope} />, { data, role: "READ_ONLY" });
  await part.getByText(/^All checks:/).waitFor();
  assert.equal(part.getByRole("button").count(), 0);
  const empty = renderPart(<MuteNotes scope={{ groupId: 8 }} />, { role: "READ_ONLY" });
  assert.equal(empty.getByText(/Muted until/).count(), 1, "only the notes above");
});

test("the list shows every mute, and mutes tags or everything", async () => {
  const mutes = [mutesQuery().queryKey, [mute(), ofTag, ofAll]] as const;
  const data = [mutes, [tagsQuery.queryKey, []]] as const;
  const part = await renderScreen(route, { data, respond });
  await part.getByRole("link", { name: "Shop <b>" }).waitFor();
  await part.getByText("All checks", { exact: true }).first().waitFor();
  await part.getByRole("button", { name: own.create }).click();
  const submit = () => part.getByRole("button", { name: own.mute, exact: true }).click();
  await submit();
  await part.getByText(own.noTarget).waitFor();
  await part.getByLabel(own.tags).fill("shop, web,");
  await submit();
  const findSent = () => part.sent.find(({ method }) => method === "PUT");
  await waitUntil("it is sent", () => findSent() !== undefined);
  const { targets } = (findSent()?.body ?? {}) as { targets?: unknown };
  assert.deepEqual(targets, [
    { type: "TAG", tag: "shop" },
    { type: "TAG", tag: "web" },
  ]);
});

test("an account without mutes gets an explanation", async () => {
  const part = await renderScreen(route, {
    data: [[mutesQuery().queryKey, []]],
    role: "READ_ONLY",
  });
  await part.getByText(own.empty).waitFor();
  assert.equal(part.getByRole("button", { name: own.create }).count(), 0);
});
