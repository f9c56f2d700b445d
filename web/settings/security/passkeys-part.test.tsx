/** The passkeys of a user. Chromium creates one in `test/browser/second-factor.test.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../../test/support/components/part.tsx";
import { toWireAnswer, toWireRegistration } from "../../api/passkey-client.ts";
import { type Factors, type Passkey, passkeysQuery } from "../queries.ts";
import { PasskeysPart } from "./passkeys-part.tsx";

const host = "vedette.example.com";

const passkey = (id: string, name: string, more: Partial<Passkey> = {}) =>
  ({
    id,
    name,
    host,
    created_at: "2026-01-02T03:04:05.000Z",
    lastUsedAt: null,
    isSynced: false,
    ...more,
  }) as Passkey;

const passkeys = [
  passkey("p-1", "Laptop <b>", { isSynced: true, lastUsedAt: "2026-01-03T00:00:00.000Z" }),
  passkey("p-2", "Blue key", { host: "old.example.com" }),
];

const factors = {
  hasPassword: true,
  totpSince: null,
  recoveryCodesLeft: 0,
  passkeys: { isUsable: true, reason: null, host },
} as unknown as Factors;

function renderPasskeys(options: PartOptions = {}, more: object = {}, list = passkeys) {
  const part = renderPart(<PasskeysPart factors={{ ...factors, ...more }} />, {
    ...options,
    data: [[passkeysQuery.queryKey, list]],
  });
  const button = (name: string) => part.getByRole("button", { name, exact: true });
  return { part, button };
}

/** What the server responds if the sign-in is too long ago. */
function requireProof(): Response {
  const body = { statusCode: 403, error: "Forbidden", message: "Confirm.", reason: "proof-needed" };
  return Response.json(body, { status: 403 });
}

const done = () => new Response(null, { status: 204 });

test("each passkey shows its use, whether it is synced, and where it works", () => {
  const { part } = renderPasskeys();
  const [laptop = "", key = ""] = part.getByRole("listitem").allTextContents();
  assert.match(laptop, /^Laptop <b>Added .* · Last used .* · Synced between devices/);
  assert.doesNotMatch(laptop, /Works only/);
  assert.match(key, /^Blue keyAdded .* · Never used · Works only on old\.example\.com/);
  assert.equal(part.locator("b").count(), 0, "a name is shown as text");
});

test("without passkeys there is no list, and without a host the reason is shown", async () => {
  const reason = "Passkeys need PUBLIC_URL with https.";
  const unusable = { passkeys: { isUsable: false, reason, host: null } };
  const { part, button } = renderPasskeys({}, unusable, []);
  await part.getByText(reason).waitFor();
  assert.equal(part.getByRole("list").count(), 0);
  assert.equal(button("Add a passkey").count(), 0);
});

test("a passkey is renamed without the spaces around its name", async () => {
  const { part, button } = renderPasskeys({ respond: done });
  await button("Rename Blue key").click();
  const dialog = part.getByRole("dialog", { name: "Rename" });
  const name = dialog.getByLabel("Name", { exact: true });
  assert.equal(await name.inputValue(), "Blue key");
  await name.fill("  ");
  assert.equal(await dialog.getByRole("button", { name: "Save" }).isDisabled(), true);
  await name.fill(" Key in the safe ");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  const [request] = part.sent;
  assert.deepEqual([request?.method, request?.path], ["PATCH", "/v1/users/me/passkeys/p-2"]);
  assert.deepEqual(request?.body, { name: "Key in the safe" });
});

test("a name that the server rejects is reported", async () => {
  const { part, button } = renderPasskeys({ respond: () => rejectRequest(409, "It is taken.") });
  await button("Rename Blue key").click();
  await part.getByLabel("Name", { exact: true }).fill("Laptop <b>");
  await part.getByRole("button", { name: "Save" }).click();
  await part.getByRole("alert").getByText("It is taken.").waitFor();
});

test("a passkey is deleted after its warning, and a cancelled deletion sends nothing", async () => {
  const { part, button } = renderPasskeys({ respond: done });
  await button("Delete Blue key").click();
  const dialog = part.getByRole("dialog", { name: "Delete the passkey “Blue key”?" });
  await dialog.getByText("You can no longer sign in with it.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(part.sent, []);
  await button("Delete Blue key").click();
  await part.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await part.getByRole("dialog").waitFor({ state: "hidden" });
  const sent = part.sent.map(({ method, path, body }) => [method, path, body]);
  assert.deepEqual(sent, [["POST", "/v1/users/me/passkeys/p-2/remove", {}]]);
});

test("if the server requires it, the identity is confirmed by password or by code", async () => {
  const answers = [
    requireProof(),
    rejectRequest(400, "password is wrong", { password: "is wrong" }),
    done(),
  ];
  const respond = () => answers.shift() ?? done();
  const { part, button } = renderPasskeys({ respond }, { totpSince: "2026-01-01T00:00:00.000Z" });
  await button("Delete Blue key").click();
  await part.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  const password = part.getByRole("textbox", { name: "Your password" });
  await password.fill("not my password");
  await button("Confirm").click();
  await part.getByText("This is wrong.").waitFor();
  await button("Use an authenticator code").click();
  assert.equal(part.getByText("This is wrong.").count(), 0, "the error was of the password");
  await part.getByLabel("Code from your authenticator app").fill("123456");
  await button("Confirm").click();
  await part.getByRole("dialog").waitFor({ state: "hidden" });
  assert.deepEqual(
    part.sent.map(({ body }) => body),
    [{}, { password: "not my password" }, { code: "123456" }],
  );
});

test("a user who can confirm in no way must sign in again", async () => {
  const { part, button } = renderPasskeys({ respond: requireProof }, { hasPassword: false });
  await button("Delete Laptop <b>").click();
  await part.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await part.getByText("Sign out and sign in again.").waitFor();
  assert.equal(button("Confirm").count(), 0);
});

test("nothing is stored if the browser creates no passkey", async () => {
  const optionsToken = "token";
  const options = { challenge: "AAAA", rp: {}, user: { id: "AAAA" }, pubKeyCredParams: [] };
  const { part, button } = renderPasskeys({
    respond: () => Response.json({ optionsToken, options }),
  });
  await button("Add a passkey").click();
  await part.getByLabel("Name", { exact: true }).fill("Laptop");
  await part.getByRole("button", { name: "Continue" }).click();
  await part.getByRole("dialog").waitFor({ state: "hidden" });
  await button("Add a passkey").and(part.locator("button:not([data-loading])")).waitFor();
  assert.deepEqual(
    part.sent.map(({ path }) => path),
    ["/v1/users/me/passkeys/options"],
  );
});

const browserFields = { authenticatorAttachment: "platform" as const, clientExtensionResults: {} };

test("only the fields of the API are sent of what a browser returns", () => {
  const key = { id: "id", rawId: "id", type: "public-key" as const, ...browserFields };
  const signed = { clientDataJSON: "c", authenticatorData: "a", signature: "s" };
  const wire = { id: "id", rawId: "id", type: "public-key", clientExtensionResults: {} };
  assert.deepEqual(toWireAnswer({ ...key, response: signed }), { ...wire, response: signed });
  const withUser = { ...signed, userHandle: "u" };
  assert.deepEqual(toWireAnswer({ ...key, response: withUser }).response, withUser);
  const made = { clientDataJSON: "c", attestationObject: "o" };
  const response = { ...made, publicKey: "k", publicKeyAlgorithm: -7, authenticatorData: "a" };
  assert.deepEqual(toWireRegistration({ ...key, response }), {
    ...wire,
    response: { ...made, transports: [] },
  });
});
