/** Scripts without Playwright's test runner: TypeScript, ES modules, setup and teardown. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { after, test } from "node:test";
import {
  expectMeasured,
  orderScript,
  startScriptRunner,
} from "../../../test/support/scripts/script-runner.ts";
import type { ScriptRequest } from "../script-run.ts";

const denied = "127.0.0.9";
const runner = startScriptRunner({ reach: { allow: [], deny: [denied] } });
after(() => runner.close());

async function run(script: string, request: Partial<ScriptRequest> = {}) {
  return expectMeasured(await runner.run(orderScript(script, request)));
}

test("runs TypeScript with TypeScript files beside it", async () => {
  const script = `
import { add, Sign } from "./lib/add";
import { sep } from "node:path";
interface Sum { total: number }
const sum: Sum = { total: await Promise.resolve(add(1, 2)) };
console.log(sep, Sign.Plus, sum.total);
throw new Error("line 7" as string);
`;
  const content = `
export enum Sign { Plus = "plus" }
export function add(one: number, other: number): number { return one + other; }
`;
  const dependencies = [{ path: "checks/lib/add.ts", content }];
  const measured = await run(script, { scriptPath: "checks/sum.ts", dependencies });
  assert.equal(measured.logs[0]?.text, "/ plus 3");
  const [error] = measured.errors;
  assert.deepEqual([error?.message, error?.file, error?.line], ["line 7", "checks/sum.ts", 7]);
});

test("reports the line of a syntax error", async () => {
  const measured = await run("const a: number = 1;\nconst b = ;\n");
  assert.equal(measured.end, "failed");
  assert.equal(measured.errors[0]?.line, 2, JSON.stringify(measured.errors));
});

test("reaches any port without a proxy, except of denied hosts, and its own servers", async (t) => {
  const outside = createServer((socket) => socket.end("outside"));
  t.after(() => outside.close());
  await new Promise<void>((resume) => outside.listen(0, "127.0.0.1", resume));
  const { port } = outside.address() as AddressInfo;
  const { end, errors, logs, connections } = await run(`
    import net from "node:net";
    const read = (...values) => new Promise((resolve) => {
      let text = "";
      const socket = net.connect(...values);
      socket.on("data", (bytes) => { text += bytes; });
      socket.on("error", (error) => resolve(error.code));
      socket.on("end", () => resolve(text));
    });
    const own = net.createServer((socket) => socket.end("inside"));
    await new Promise((resume) => own.listen(0, resume));
    console.log(await read(${port}, "127.0.0.1"));
    console.log(await read({ host: "localhost", port: ${port} }));
    console.log(await read({ host: "localhost", port: own.address().port }));
    console.log(await read({ host: "${denied}", port: ${port} }));
    own.close();`);
  assert.deepEqual([end, errors], ["passed", []]);
  const texts = logs.map(({ text }) => text);
  assert.deepEqual(texts, ["outside", "outside", "inside", "ECONNRESET"]);
  assert.deepEqual(
    connections.map(({ host, count, denial }) => [host, count, denial !== null]),
    [
      ["127.0.0.1", 2, false],
      [denied, 1, true],
    ],
  );
});

test("gives values to a hook and returns what it made of them", async () => {
  const setup = `
const { createHmac } = require("node:crypto");
request.headers["x-signed"] = createHmac("sha256", "key").update(request.body).digest("hex");
process.env.TOKEN = await Promise.resolve("t-1");
delete process.env.OLD;
`;
  const second = `
import { suffix } from "./snippets/paths.js";
request = { ...request, url: request.url + suffix as string };
console.log(process.env.TOKEN, typeof response);
`;
  const order = orderScript(setup, {
    scriptPath: "group-setup.js",
    dependencies: [
      { path: "setup.js", content: second },
      { path: "snippets/paths.js", content: 'module.exports = { suffix: "/orders" };' },
    ],
    hook: {
      paths: ["group-setup.js", "setup.js"],
      globals: { request: { url: "http://shop", headers: {}, body: "x".repeat(100_000) } },
    },
  });
  const variables = { OLD: "1", KEPT: "2" };
  const measured = expectMeasured(await runner.run({ ...order, variables }));
  assert.equal(measured.end, "passed", JSON.stringify(measured));
  assert.equal(measured.logs[0]?.text, "t-1 undefined");
  const { request, environment } = measured.values as {
    readonly request: { readonly url: string; readonly headers: Record<string, string> };
    readonly environment: object;
  };
  assert.equal(request.url, "http://shop/orders");
  assert.match(request.headers["x-signed"] ?? "", /^[0-9a-f]{64}$/);
  assert.deepEqual(environment, { TOKEN: "t-1", OLD: null });
});

test("ends a hook that fails, without its values", async () => {
  const measured = await run("", {
    scriptPath: "setup.js",
    dependencies: [{ path: "snippets/a.js", content: "module.exports = (x) => x.y.z;" }],
    script: "await 1;\nrequire('./snippets/a.js')({});",
    hook: { paths: ["setup.js"], globals: { request: {} } },
  });
  assert.equal(measured.end, "failed");
  assert.equal(measured.values, undefined);
  assert.deepEqual([measured.errors[0]?.file, measured.errors[0]?.line], ["snippets/a.js", 1]);
});
