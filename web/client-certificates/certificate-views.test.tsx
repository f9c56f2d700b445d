/** The list and the form of client certificates, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderScreen,
} from "../../test/support/components/part.tsx";
import type { Schemas } from "../api/client.ts";
import { route } from "./certificates-screen.tsx";
import { certificatesQuery } from "./queries.ts";

type Certificate = Schemas["ClientCertificate"];

const certificate = (id: string, host: string, ca: string | null = null) =>
  ({ id, host, ca, created_at: new Date(Date.now() - 3 * 3_600_000).toISOString() }) as Certificate;

const listed = [
  certificate("1", "api.example.com"),
  certificate("2", "*.intern.example.com", "-----BEGIN CERTIFICATE-----"),
];

const renderList = (options: PartOptions = {}, list = listed) =>
  renderScreen(route, { ...options, data: [[certificatesQuery.queryKey, list]] });

const button = (part: Part, name: string) => part.getByRole("button", { name, exact: true });
const field = (part: Part, name: string) =>
  part.getByRole("dialog").getByRole("textbox", { name, exact: true });

async function fillIn(part: Part, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await field(part, name).fill(value);
}

const names = ["Host", "Certificate", "Private key", "CA certificates for the server"];

async function listInvalid(part: Part): Promise<readonly string[]> {
  const states = names.map((name) => field(part, name).getAttribute("aria-invalid"));
  const found = await Promise.all(states);
  return names.filter((_, index) => found[index] === "true");
}

test("each certificate shows its authority and its age", async () => {
  const part = await renderList();
  assert.deepEqual(
    part.readRows().map((cells) => cells.slice(0, 3)),
    [
      ["api.example.com", "system default", "3 h ago"],
      ["*.intern.example.com", "custom", "3 h ago"],
    ],
  );
});

test("a reader sees the hosts and is offered no write", async () => {
  const part = await renderList({ role: "READ_ONLY" });
  assert.deepEqual(
    part.readRows().map(([host, ...cells]) => [host, cells.length]),
    [
      ["api.example.com", 2],
      ["*.intern.example.com", 2],
    ],
  );
  assert.equal(part.getByRole("button").count(), 0);
});

test("an empty list explains what certificates are for", async () => {
  const part = await renderList({}, []);
  await part.getByText("A server with mutual TLS accepts only clients").waitFor();
  assert.equal(part.locator("table").count(), 0);
});

test("fields that are left empty are not sent", async () => {
  const created = () => Response.json(certificate("3", "example.com"), { status: 201 });
  const part = await renderList({ respond: created });
  await button(part, "New certificate").click();
  await fillIn(part, { Host: "example.com", Certificate: "CERT" });
  await button(part, "Save").click();
  await part.getByRole("dialog").waitFor({ state: "hidden" });
  const [request] = part.sent;
  assert.deepEqual([request?.method, request?.path], ["POST", "/v1/client-certificates"]);
  assert.deepEqual(request?.body, { host: "example.com", cert: "CERT" });
});

test("all fields are sent, and none is stored in the tab", async () => {
  const part = await renderList({ respond: () => rejectRequest(500, "It broke.") });
  await button(part, "New certificate").click();
  await fillIn(part, {
    Host: "example.com",
    Certificate: "CERT",
    "Private key": "PRIVATE",
    "Key passphrase": "open sesame",
    "CA certificates for the server": "AUTHORITY",
  });
  await button(part, "Save").click();
  await part.getByRole("dialog").getByRole("alert").getByText("It broke.").waitFor();
  assert.deepEqual(part.sent[0]?.body, {
    host: "example.com",
    cert: "CERT",
    key: "PRIVATE",
    passphrase: "open sesame",
    ca: "AUTHORITY",
  });
  assert.doesNotMatch(JSON.stringify({ ...sessionStorage, ...localStorage }), /PRIVATE|sesame/);
  assert.equal(await field(part, "Private key").inputValue(), "PRIVATE");
});

test("an invalid field is marked, and the others keep their text", async () => {
  const answers = [
    rejectRequest(400, "It is invalid.", { host: "is not a host name." }),
    rejectRequest(400, "It is invalid.", { cert: "is not PEM.", ca: "is not PEM either." }),
    rejectRequest(400, "It is invalid.", { passphrase: "does not open the key." }),
  ];
  const part = await renderList({ respond: () => answers.shift() ?? Response.json({}) });
  await button(part, "New certificate").click();
  await fillIn(part, { Host: "https://example.com/", Certificate: "CERT" });
  await button(part, "Save").click();
  await part.getByText("is not a host name.").waitFor();
  assert.deepEqual(await listInvalid(part), ["Host"]);
  await fillIn(part, { Host: "example.com" });
  await button(part, "Save").click();
  await part.getByText("is not PEM.").waitFor();
  assert.deepEqual(await listInvalid(part), ["Certificate", "CA certificates for the server"]);
  assert.equal(await field(part, "Host").inputValue(), "example.com");
  await button(part, "Save").click();
  await part.getByText("does not open the key.").waitFor();
  assert.equal(await field(part, "Key passphrase").getAttribute("aria-invalid"), "true");
  assert.deepEqual(await listInvalid(part), []);
});

test("a failed deletion keeps the dialog with the reason, and Cancel keeps the certificate", async () => {
  const part = await renderList({ respond: () => rejectRequest(500, "It broke.") });
  await button(part, "Delete api.example.com").click();
  const dialog = part.getByRole("dialog", { name: "Delete the certificate for api.example.com?" });
  await dialog.getByText("checks of api.example.com present no certificate").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("alert").getByText("It broke.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  const sent = part.sent.map(({ method, path }) => [method, path]);
  assert.deepEqual(sent, [["DELETE", "/v1/client-certificates/1"]]);
  assert.equal(part.readRows().length, 2);
});
