/** The probe substitutes `{{NAME}}` in a request, and hidden values can never be read again. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "./support/apps/app.ts";

const secret = 'hush "é" & <quiet>';
let app: TestApp;
before(async () => {
  app = await startTestApp({ LOG_LEVEL: "trace" });
});
after(() => app.stop());

/** Echoes its input in several encodings. */
const echo = createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    const text = bytes.toString();
    seen.push(text);
    socket.end(`${text} ${JSON.stringify(text)} ${bytes.toString("base64")}`);
  });
}).listen(0, "127.0.0.1");
const seen: string[] = [];
let port = 0;
before(async () => {
  if (!echo.listening) await once(echo, "listening");
  port = (echo.address() as AddressInfo).port;
});
after(() => echo.close());

type Body = Readonly<Record<string, unknown>>;

async function newCheck(data: string, more: Body = {}, hostname = "127.0.0.1"): Promise<string> {
  const body = { name: "Echo", frequency: 1_440, request: { hostname, port, data }, ...more };
  const made = await app.call("POST", "/v1/checks/tcp", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const { body: session } = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  const [{ checkResultId }] = session.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

const setVariable = (key: string, value: string, more: Body = {}) =>
  app.call("POST", "/v1/variables", { body: { key, value, ...more } });

test("a run sends the values, and its result shows only those not hidden", async () => {
  await setVariable("HOST", "127.0.0.1");
  await setVariable("OPEN", "hello");
  await setVariable("SECRET", secret, { secret: true });
  const checkId = await newCheck("{{OPEN}} {{SECRET}} {{NOBODY}} {{REGION}}", {}, "{{HOST}}");
  const result = await run(checkId);
  assert.equal(result.verdict, "passing", JSON.stringify(result));
  assert.match(seen.at(-1) ?? "", /^hello hush "é" & <quiet> \{\{NOBODY\}\} \S+$/);
  const { hostname, data } = result.tcpCheckResult.response;
  assert.equal(hostname, "{{HOST}}");
  assert.match(data, /^hello \*{8} \{\{NOBODY\}\}/);
  assert.doesNotMatch(JSON.stringify(result), /hush|quiet/);
});

test("a change or a deletion applies from the next run on", async () => {
  await setVariable("WORD", "first");
  const checkId = await newCheck("{{WORD}}");
  await run(checkId);
  await app.call("PUT", "/v1/variables/WORD", { body: { value: "second" } });
  await run(checkId);
  await app.call("DELETE", "/v1/variables/WORD");
  await run(checkId);
  assert.deepEqual(seen.slice(-3), ["first", "second", "{{WORD}}"]);
});

test("variables of a check override those of its group, which override the account's", async () => {
  for (const key of ["A", "B", "C"]) await setVariable(key, `account-${key}`);
  const named = (keys: readonly string[], of: string) =>
    keys.map((key) => ({ key, value: `${of}-${key}` }));
  const { body: group } = await app.call("POST", "/v1/check-groups", {
    body: { name: "Group", environmentVariables: named(["B", "C", "D"], "group") },
  });
  const environmentVariables = named(["C", "REGION"], "check");
  const more = { groupId: group.id, environmentVariables };
  const checkId = await newCheck("{{A}} {{B}} {{C}} {{D}} {{GROUP_NAME}} {{REGION}}", more);
  await run(checkId);
  assert.equal(seen.at(-1), "account-A group-B check-C group-D Group check-REGION");
  const change = { environmentVariables: named(["C"], "new") };
  await app.call("PUT", `/v1/check-groups/${group.id}`, { body: change });
  await app.call("PUT", `/v1/checks/tcp/${checkId}`, { body: { environmentVariables: null } });
  await run(checkId);
  assert.match(seen.at(-1) ?? "", /^account-A account-B new-C \{\{D\}\} Group /);
});

test("a hidden value is in no table, log line or other response", async () => {
  const { rows: tables } = await app.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
    [],
  );
  for (const { name } of tables) {
    const { rows } = await app.query(`select one::text as text from "${name}" as one`, []);
    const texts = rows.map(({ text }: { text: string }) => {
      // Bytes are shown as hexadecimal digits.
      return `${text} ${Buffer.from(text.replace(/[^0-9a-f]/g, ""), "hex").toString("latin1")}`;
    });
    for (const text of texts) assert.doesNotMatch(text, /hush|68757368/i, name);
  }
  assert.ok(app.logText().length > 0);
  assert.doesNotMatch(app.logText(), /hush/);
  for (const path of ["/v1/variables?limit=100", "/v1/checks", "/openapi.json", "/metrics"]) {
    assert.doesNotMatch((await app.call("GET", path)).text, /hush/, path);
  }
});

const address = "http://{{WEB_HOST}}:{{WEB_PORT}}/health";
for (const kind of ["url", "api"]) {
  test(`a variable may be the host and the port of a check of kind ${kind}`, async (t) => {
    const server = createHttpServer((request, response) => {
      response.end(request.headers.host);
    }).listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port: webPort } = server.address() as AddressInfo;
    const method = kind === "api" ? { method: "GET" } : {};
    const body = {
      name: `By ${kind}`,
      frequency: 1_440,
      request: { ...method, url: address },
      environmentVariables: [
        { key: "WEB_HOST", value: "127.0.0.1" },
        { key: "WEB_PORT", value: String(webPort) },
      ],
    };
    const made = await app.call("POST", `/v1/checks/${kind}`, { body });
    assert.equal(made.status, 201, made.text);
    const result = await run(made.body.id);
    assert.equal(result.verdict, "passing", JSON.stringify(result));

    // Values of variables are validated at run time, by the rules for any target.
    for (const value of ["0.0.0.1", "255.255.255.255", "not a host", "169.254.169.254"]) {
      const environmentVariables = [{ key: "WEB_HOST", value }];
      const changed = { ...body, environmentVariables };
      await app.call("PUT", `/v1/checks/${kind}/${made.body.id}`, { body: changed });
      const rejected = await run(made.body.id);
      assert.notEqual(rejected.verdict, "passing", `${value} ${JSON.stringify(rejected)}`);
    }
  });
}
