/** Runs of a check in the side panel, with the probe of the server. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import {
  openScreen,
  type ServedApp,
  startTestApp,
  systemClock,
} from "../../../test/support/components/screen.tsx";

const hostileBody = "\u001b[31m<script>alert(1)</script>\u202egnp.exe\r\n";

let app: ServedApp;
let hostile: Server;
let port = 0;
before(async () => {
  app = await startTestApp({}, { clock: systemClock });
  hostile = createServer((_request, response) => response.writeHead(500).end(hostileBody));
  await new Promise<void>((listening) => hostile.listen(0, "127.0.0.1", listening));
  ({ port } = hostile.address() as AddressInfo);
});
after(async () => {
  await app.stop();
  hostile.close();
});

async function createCheck(kind: string, name: string, request: object): Promise<string> {
  const body = { name, frequency: 1_440, retryStrategy: null, request };
  const made = await app.call("POST", `/v1/checks/${kind}`, { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

/** Runs a check and returns the id of the result. */
async function run(id: string): Promise<string> {
  const body = { target: { checkId: [id] } };
  const { sessions } = (await app.call("POST", "/v2/check-sessions/trigger", { body })).body;
  const path = `/v2/check-sessions/${sessions[0].checkSessionId}/completion`;
  return (await app.call("GET", path)).body.results[0].checkResultId;
}

test("a manual run appears in the list, and opens in the side panel", async () => {
  const id = await createCheck("tcp", "Loopback", { hostname: "127.0.0.1", port });
  const screen = await openScreen(app, `/checks/${id}`);
  await screen.getByRole("button", { name: "Run now" }).click();
  await screen.getByRole("button", { name: "Show the run" }).click();
  await screen.waitForAddress(/run=/);
  await screen.getByRole("button", { name: "Close", exact: true }).click();
  const runs = screen.getByRole("region", { name: "Runs" });
  await runs.getByRole("listitem").first().getByRole("button").click();
  await screen.waitForAddress(/run=/);
  const panel = screen.getByRole("complementary");
  await panel.getByRole("heading", { name: "Run" }).waitFor();
  await panel.getByText(`127.0.0.1:${port}`).first().waitFor();
  await panel.getByRole("rowheader", { name: "Connect" }).waitFor();
  await screen.audit();
  await screen.keyboard("{Escape}");
  await panel.waitFor({ state: "hidden" });
  assert.doesNotMatch(screen.address, /run=/);
});

test("text from a probed server is shown as text, with control characters as symbols", async () => {
  const id = await createCheck("url", "<b>bold</b>", { url: `http://127.0.0.1:${port}/` });
  const screen = await openScreen(app, `/checks/${id}?run=${await run(id)}`);
  await screen.getByRole("heading", { level: 1, name: "<b>bold</b>" }).waitFor();
  const panel = screen.getByRole("complementary");
  await panel.getByText("␛[31m<script>alert(1)</script><202e>gnp.exe␍").waitFor();
  await panel.getByRole("rowheader", { name: "First byte" }).waitFor();
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "hidden" });
});

test("a run shows the data of a TCP connection and the assertions of a request", async () => {
  const tcp = { hostname: "127.0.0.1", port, data: "GET / HTTP/1.0\r\n\r\n" };
  const assertion = {
    source: "STATUS_CODE",
    property: "",
    comparison: "EQUALS",
    target: "200",
  };
  const api = { method: "GET", url: `http://127.0.0.1:${port}/`, assertions: [assertion] };
  const dataOf = await createCheck("tcp", "Data", tcp);
  const screen = await openScreen(app, `/checks/${dataOf}?range=1h&run=${await run(dataOf)}`);
  const panel = screen.getByRole("complementary");
  await panel.getByText(/HTTP\/1\.1 500 .*␍␊/).waitFor();
  const asserted = await createCheck("api", "Assertions", api);
  screen.goto(`/checks/${asserted}?range=1h&run=${await run(asserted)}`);
  const row = panel.getByRole("row").filter({ hasText: /status code/i });
  await row.getByText("failed").waitFor();
  await row.getByText("equals 200").waitFor();
  await screen.audit();
});
