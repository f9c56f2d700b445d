/** The dialog that adds a note or a deployment to the chart of a check. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../../test/support/components/part.tsx";
import { AddNote } from "./note-dialog.tsx";

const saved = () => Response.json({ id: "n-1" }, { status: 201 });

async function openDialog(respond: NonNullable<PartOptions["respond"]> = saved) {
  const part = renderPart(<AddNote checkId="c-1" />, { respond });
  await part.getByRole("button", { name: "Add a note" }).click();
  const dialog = part.getByRole("dialog", { name: "Add a note to the chart" });
  await dialog.waitFor();
  const add = dialog.getByRole("button", { name: "Add", exact: true });
  return { part, dialog, add };
}

test("a note is for this check and for now, and its link is left out if it is empty", async () => {
  const beforeMs = Math.floor(Date.now() / 60_000) * 60_000;
  const { part, dialog, add } = await openDialog();
  await dialog.getByLabel("Text").fill("Failover to the second uplink");
  await dialog.getByLabel("Link (optional)").fill("   ");
  await add.click();
  await dialog.waitFor({ state: "hidden" });
  const [request] = part.sent;
  assert.ok(request);
  assert.deepEqual([request.method, request.path], ["POST", "/v1/annotations"]);
  const { at, ...body } = request.body as { readonly at: string };
  assert.deepEqual(body, { type: "NOTE", text: "Failover to the second uplink", checkId: "c-1" });
  const atMs = Date.parse(at);
  assert.ok(atMs >= beforeMs && atMs <= Date.now(), at);
});

test("a deployment is shown on all charts, with its time and link", async () => {
  const { part, dialog, add } = await openDialog();
  await dialog.getByLabel("Type").selectOption("Deployment");
  await dialog.getByLabel("Text").fill("v2.1 <b>shop</b>");
  await dialog.getByLabel("Time").fill("2026-03-01T14:30");
  await dialog.getByLabel("Link (optional)").fill(" https://ci.example.com/7 ");
  await dialog.getByLabel("Show on").selectOption("Charts of all checks");
  await add.click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(part.sent[0]?.body, {
    type: "DEPLOYMENT",
    text: "v2.1 <b>shop</b>",
    url: "https://ci.example.com/7",
    // The field has the time of the browser.
    at: new Date(2026, 2, 1, 14, 30).toISOString(),
  });
});

test("without a time, the server decides when the note is", async () => {
  const { part, dialog, add } = await openDialog();
  await dialog.getByLabel("Text").fill("Now");
  await dialog.getByLabel("Time").fill("");
  await add.click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(part.sent[0]?.body, { type: "NOTE", text: "Now", checkId: "c-1" });
});

test("a note of spaces is not sent, neither by its button nor by Enter", async () => {
  const { part, dialog, add } = await openDialog();
  await dialog.getByLabel("Text").fill("  ");
  assert.equal(await add.isDisabled(), true);
  await dialog.getByLabel("Link (optional)").press("{Enter}");
  assert.deepEqual(part.sent, []);
});

test("a rejected link is shown at its field, and any other error beside the form", async () => {
  const answers = [
    rejectRequest(400, "It is invalid.", { url: "must start with https." }),
    rejectRequest(500, "It broke."),
  ];
  const { part, dialog, add } = await openDialog(() => answers.shift() ?? saved());
  await dialog.getByLabel("Text").fill("Rollback");
  await dialog.getByLabel("Link (optional)").fill("ftp://x");
  await add.click();
  await dialog.getByText("must start with https.").waitFor();
  assert.equal(await dialog.getByLabel("Link (optional)").getAttribute("aria-invalid"), "true");
  assert.equal(dialog.getByRole("alert").count(), 0);
  await add.click();
  await dialog.getByRole("alert").getByText("It broke.").waitFor();
  assert.equal(await dialog.getByLabel("Text").inputValue(), "Rollback");
  await add.click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(part.sent.length, 3);
});

test("a cancelled note is gone when the dialog is opened again", async () => {
  const { part, dialog } = await openDialog();
  await dialog.getByLabel("Text").fill("Half a");
  await dialog.getByRole("button", { name: "Cancel" }).last().click();
  await dialog.waitFor({ state: "hidden" });
  await part.getByRole("button", { name: "Add a note" }).click();
  assert.equal(await dialog.getByLabel("Text").inputValue(), "");
  assert.deepEqual(part.sent, []);
});
