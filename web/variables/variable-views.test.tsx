/** Variables in cases that a server rarely causes, without one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  rejectRequest,
  renderScreen,
  type SentRequest,
} from "../../test/support/components/part.tsx";
import type { Schemas } from "../api/client.ts";
import { Notices } from "../parts/notices.tsx";
import { variablesQuery } from "./queries.ts";
import { route } from "./variables-screen.tsx";

type Variable = Schemas["Variable"];

const createVariable = (more: Partial<Variable> = {}) =>
  ({ key: "HOST", value: "one.example.com", locked: false, secret: false, ...more }) as Variable;

type Respond = (request: SentRequest) => Response | undefined;

const button = (part: Part, name: string) => part.getByRole("button", { name, exact: true });
const valueField = (part: Part) =>
  part.getByRole("dialog").getByRole("textbox", { name: "Value", exact: true });

/** Renders the list with the notices of the application. Without a response, `HOST` is returned. */
async function renderList(respond: Respond = () => undefined, total = 1) {
  const Screen = route.options.component;
  assert.ok(Screen);
  const component = () => (
    <>
      <Screen />
      <Notices />
    </>
  );
  const withNotices = { options: { ...route.options, component } };
  return renderScreen(withNotices, {
    respond: (request) => {
      const given = respond(request);
      if (given !== undefined) return given;
      const isList = /^\/v1\/variables\?/.test(request.path);
      const headers = isList ? { "content-range": "items 0-0/1" } : { etag: '"1"' };
      return Response.json(isList ? [createVariable()] : createVariable(), { headers });
    },
    data: [
      [
        variablesQuery.queryKey,
        { pages: [{ data: [createVariable()], total, etag: null }], pageParams: [1] },
      ],
    ],
  });
}

/** Responds to requests of one method, in order; then as usual. */
function respondTo(method: string, ...answers: readonly (() => Response)[]): Respond {
  const left = [...answers];
  return (request) => (request.method === method ? left.shift()?.() : undefined);
}

const listWrites = (part: Part) => part.sent.filter(({ method }) => method !== "GET");

async function openEditor(part: Part) {
  await button(part, "Edit HOST").click();
  const dialog = part.getByRole("dialog", { name: "Edit HOST" });
  await dialog.waitFor();
  return dialog;
}

async function waitForNotice(part: Part, text: string): Promise<void> {
  await part.getByText(text).waitFor();
  await button(part, "Dismiss").click();
}

test("a taken name is rejected at its field, and Escape closes the dialog", async () => {
  const taken = () => rejectRequest(409, "Taken.", { key: "is the name of another variable." });
  const part = await renderList(respondTo("POST", taken));
  await button(part, "New variable").click();
  const dialog = part.getByRole("dialog", { name: "New variable" });
  await dialog.getByLabel("Name").fill("HOST");
  await valueField(part).fill("two.example.com");
  await dialog.getByLabel("Name").press("{Enter}");
  await dialog.getByText("is the name of another variable.").waitFor();
  assert.equal(await dialog.getByLabel("Name").getAttribute("aria-invalid"), "true");
  assert.equal(await valueField(part).inputValue(), "two.example.com");
  await part.keyboard("{Escape}");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(listWrites(part).length, 1);
});

test("the second of two users who edit a variable chooses between the values", async () => {
  const theirs = createVariable({ value: "theirs.example.com", locked: true });
  let isChanged = false;
  const part = await renderList(({ method, headers, path }) => {
    const respond = () => Response.json(theirs, { headers: { etag: '"2"' } });
    if (method === "GET") return isChanged && !path.includes("?") ? respond() : undefined;
    isChanged = true;
    return headers.get("if-match") === '"2"' ? respond() : rejectRequest(412, "It changed.");
  });
  const dialog = await openEditor(part);
  await valueField(part).fill("mine.example.com");
  await button(part, "Save").click();
  const panel = dialog.getByRole("alert", { name: "Another user changed this variable" });
  await panel.getByText("theirs.example.com").waitFor();
  await panel.getByText("Members with write access").waitFor();
  await panel.getByRole("button", { name: "Keep all mine" }).click();
  await button(part, "Save").click();
  await waitForNotice(part, "The variable was saved. It is used from the next run.");
  assert.deepEqual(
    listWrites(part).map(({ headers, body }) => [headers.get("if-match"), body]),
    [
      ['"1"', { value: "mine.example.com", locked: false, secret: false }],
      ['"2"', { value: "mine.example.com", locked: true, secret: false }],
    ],
  );
});

test("a failed deletion keeps the dialog with the reason, and can be retried", async () => {
  const part = await renderList(
    respondTo(
      "DELETE",
      () => rejectRequest(500, "It broke."),
      () => new Response(null, { status: 204 }),
    ),
  );
  await button(part, "Delete HOST").click();
  const dialog = part.getByRole("dialog", { name: "Delete HOST?" });
  await dialog.getByText("{{HOST}}").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("alert").getByText("It broke.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await waitForNotice(part, "The variable was deleted.");
  assert.equal(dialog.count(), 0);
});

test("a failed save keeps the input", async () => {
  const broken = () => rejectRequest(500, "It broke.");
  const part = await renderList(respondTo("PUT", broken));
  const dialog = await openEditor(part);
  await valueField(part).fill("two.example.com");
  await button(part, "Save").click();
  await dialog.getByRole("alert").getByText("It broke.").waitFor();
  assert.equal(await valueField(part).inputValue(), "two.example.com");
});

test("a variable that was deleted elsewhere is reported when it is opened", async () => {
  const gone = () => rejectRequest(404, "There is no variable HOST.");
  const part = await renderList(({ path }) => (path === "/v1/variables/HOST" ? gone() : undefined));
  await button(part, "Edit HOST").click();
  await part.getByText("There is no variable HOST.").waitFor();
  assert.equal(part.getByRole("dialog").count(), 0);
});

test("an untouched secret keeps its value", async () => {
  const secret = createVariable({ value: null, secret: true });
  const part = await renderList(({ path, method }) =>
    path.includes("?") && method === "GET"
      ? undefined
      : Response.json(secret, { headers: { etag: '"1"' } }),
  );
  const dialog = await openEditor(part);
  assert.equal(await valueField(part).inputValue(), "");
  await valueField(part).fill("new");
  await valueField(part).fill("");
  await dialog.getByText("Leave empty to keep the stored value.").waitFor();
  await button(part, "Save").click();
  await waitForNotice(part, "The variable was saved. It is used from the next run.");
  assert.deepEqual(listWrites(part)[0]?.body, { value: "********", locked: false, secret: true });
});

test("a long list is loaded in pages", async () => {
  const last = createVariable({ key: "V_100", value: "same" });
  const part = await renderList(({ path }) => {
    const { searchParams } = new URL(path, "http://vedette.test");
    if (searchParams.get("page") !== "2") return undefined;
    return Response.json([last], { headers: { "content-range": "items 100-100/101" } });
  }, 101);
  assert.equal(part.getByText("V_100").count(), 0);
  await button(part, "Show more").click();
  await part.getByText("V_100").waitFor();
  await part.getByText("HOST").first().waitFor();
  assert.equal(button(part, "Show more").count(), 0);
});
