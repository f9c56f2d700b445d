/** The command line: output, start and exit. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext } from "node:test";
import pg from "pg";
import manifest from "../package.json" with { type: "json" };
import {
  runVedette,
  spawnVedette,
  type VedetteProcess,
  waitForAddress,
} from "./support/apps/vedette-process.ts";
import { createTestDatabase } from "./support/database/database.ts";
import { isLongRun, it } from "./support/long-run.ts";
import { needsNamespaces } from "./support/programs/icmp-child.ts";
import { findProcesses } from "./support/programs/processes.ts";
import { findLack } from "./support/programs/programs.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const key = "command-test-key-0123456789";
const password = "command test password";
const needsIsolation = { skip: needsNamespaces || findLack("setpriv") };
const skip = process.platform === "linux" ? false : "needs /proc";

describe("vedette", () => {
  it("shows its usage with --help, -h, help or no argument", async (t) => {
    const lists = [["--help"], [], ["-h"], ["help"]];
    for (const list of isLongRun ? lists : lists.slice(0, 2)) {
      const { code, output, errors } = await runVedette(t, list);
      assert.equal(code, 0);
      assert.match(output, /^Usage: vedette <command>$/m);
      assert.match(output, /^ {2}server .*\n {2}migrate .*\n {2}sign-in-link /m);
      assert.match(output, /docs\/configure\.md/);
      assert.equal(errors, "");
    }
  });

  it("shows only its version with --version", async (t) => {
    const shown = { code: 0, output: `${manifest.version}\n`, errors: "" };
    assert.deepEqual(await runVedette(t, ["--version"]), shown);
  });

  it("rejects an unknown command and lists the known ones", async (t) => {
    const { code, output, errors } = await runVedette(t, ["serve"]);
    assert.equal(code, 1);
    assert.equal(output, "");
    assert.match(errors, /^Unknown command "serve"\.\n/);
    assert.match(errors, /^Usage: vedette <command>$/m);
  });

  it("rejects unknown arguments and options without a stack trace", async (t) => {
    for (const list of [
      ["server", "now"],
      ["--port", "80"],
    ]) {
      const { code, output, errors } = await runVedette(t, list);
      assert.equal(code, 1);
      assert.equal(output, "");
      assert.match(errors, /server accepts no arguments|Unknown option '--port'/);
      assert.doesNotMatch(errors, /^ {4}at /m);
    }
  });

  it("lists all faults of the configuration at once", async (t) => {
    const environment = { PORT: "80000", LOG_LEVEL: "loud", BOOTSTRAP_PASSWORD: "short!" };
    for (const command of isLongRun ? ["server", "migrate"] : ["server"]) {
      assert.deepEqual(await runVedette(t, [command], environment), {
        code: 1,
        output: "",
        errors:
          "The configuration has faults:\n" +
          "  PORT must be a whole number from 0 to 65535\n" +
          "  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent\n" +
          "  BOOTSTRAP_PASSWORD must have 10 to 200 characters\n",
      });
    }
  });
});

/** Sends a request up to the middle of its body, and waits until the server reads it. */
async function beginRequest(url: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/api-keys HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      "Expect: 100-continue\r\n\r\n",
  );
  const [chunk] = await once(socket, "data");
  assert.match(String(chunk), /^HTTP\/1\.1 100 /);
  socket.write(body.slice(0, 5));
  return socket;
}

/** Sends one request and leaves the connection open. */
async function openIdleConnection(t: TestContext, url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const [answer] = await once(get(`${url}/healthz`, { agent }), "response");
  assert.equal(answer.statusCode, 200);
  answer.resume();
  await once(answer, "end");
}

describe("vedette on a data folder", { skip }, () => {
  let folder = "";
  let dataDir = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "vedette-command-"));
    dataDir = join(folder, "data");
  });
  // The database of a killed server may still be stopping.
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  const settings = (more: Readonly<Record<string, string>> = {}) => ({
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "warn",
    BOOTSTRAP_API_KEY: key,
    BOOTSTRAP_PASSWORD: password,
    ...more,
  });

  async function endBy(signal: "SIGTERM" | "SIGINT", vedette: VedetteProcess): Promise<void> {
    vedette.process.kill(signal);
    await waitUntil("it stops", () => vedette.output().includes(`Vedette stops (${signal})`));
  }

  function assertNothingRuns(): void {
    assert.deepEqual(findProcesses(dataDir), []);
  }

  it("migrates and reports what it applied, and then that there is nothing to do", async (t) => {
    const first = await runVedette(t, ["migrate"], settings());
    assert.match(first.output, /^Applied \d+ migrations: 0001-accounts\.sql, /);
    assert.deepEqual([first.code, first.errors], [0, ""]);
    if (isLongRun) {
      const second = await runVedette(t, ["migrate"], settings());
      assert.deepEqual(second, { code: 0, output: "The database is up to date.\n", errors: "" });
    }
    assertNothingRuns();
  });

  it("prints the first account once, without secrets from the settings", async (t) => {
    const accountId = "0190f3a2-7b1c-7def-8000-0123456789ab";
    const own = isLongRun ? { NODE_COMPILE_CACHE: "" } : {};
    const more = { BOOTSTRAP_ACCOUNT_ID: accountId, LOG_LEVEL: "trace", ...own };
    const vedette = spawnVedette(t, ["server"], settings(more));
    const url = await waitForAddress(vedette);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fetch(`${url}/v1/accounts/me`, { headers })).status, 200);
    await endBy("SIGTERM", vedette);
    assert.equal(await vedette.exited, 0);
    const text = vedette.output();
    assert.equal(text.match(/This is shown once/g)?.length, 1);
    assert.match(text, new RegExp(`^ {2}Account id {3}${accountId}$`, "m"));
    assert.match(text, /^ {2}Sign-in {6}owner@vedette\.localhost$/m);
    assert.match(text, /^ {2}Open {9}http:\S+\n {15}\(password: as set by BOOTSTRAP_PASSWORD\)$/m);
    assert.doesNotMatch(text, /#link=/);
    assert.match(text, /^ {2}API key {6}as set by BOOTSTRAP_API_KEY$/m);
    for (const secret of [key, password]) {
      assert.ok(!text.includes(secret) && !vedette.errors().includes(secret));
    }
  });

  async function exchange(url: string, token = ""): Promise<number> {
    const { status } = await fetch(`${url}/v1/sessions/link`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    return status;
  }

  /** Starts a new server, and signs in with its link and with one created by the command. */
  async function signInByLinks(t: TestContext, own: ReturnType<typeof settings>): Promise<void> {
    const vedette = spawnVedette(t, ["server"], own);
    const url = await waitForAddress(vedette);
    const first = /^ {2}Open {9}http:\S+\/sign-in#link=([\w-]{43})$/m.exec(vedette.output());
    assert.equal(first?.index, vedette.output().indexOf("  Open"), "the link comes first");
    assert.doesNotMatch(vedette.output(), /Password/);
    const second = await runVedette(t, ["sign-in-link"], own);
    assert.deepEqual([second.code, second.errors], [0, ""]);
    const made = /^ {2}(http:\S+)\/sign-in#link=([\w-]{43})$/m.exec(second.output);
    assert.equal(made?.[1], url, "the address the server listens on, for any port");
    for (const token of [first?.[1], made?.[2]]) {
      assert.deepEqual([await exchange(url, token), await exchange(url, token)], [201, 404]);
    }
    await endBy("SIGTERM", vedette);
    assert.equal(await vedette.exited, 0);
  }

  it("prints a sign-in link for the owner first, and creates another while it runs", {
    isLong: true,
  }, async (t) => {
    const own = { ...settings({ DATA_DIR: join(folder, "fresh") }), BOOTSTRAP_PASSWORD: "" };
    const early = await runVedette(t, ["sign-in-link"], own);
    assert.equal(early.code, 1);
    assert.match(early.errors, /^No server has stored anything in /);
    await signInByLinks(t, own);
    const nobody = await runVedette(t, ["sign-in-link", "--email", "x@example.com"], own);
    assert.equal(nobody.code, 1);
    assert.match(nobody.errors, /--email owner@vedette\.localhost\n$/);
    assert.doesNotMatch(nobody.errors, /^ {4}at /m);
  });

  it("prints and creates links on an external database, while it runs and after", {
    isLong: true,
  }, async (t) => {
    const database = await createTestDatabase();
    t.after(database.drop);
    const more = { DATA_DIR: join(folder, "fresh"), DATABASE_URL: database.url };
    const own = { ...settings(more), BOOTSTRAP_PASSWORD: "" };
    await signInByLinks(t, own);
    const stopped = await runVedette(
      t,
      ["sign-in-link", "--email", "owner@vedette.localhost"],
      own,
    );
    assert.match(stopped.output, /signs in owner@vedette\.localhost:\n\n {2}http:\S+#link=/);
  });

  it("caches compiled code in the data folder for later starts", { isLong: true }, async () => {
    const kept = await readdir(join(dataDir, "compile-cache"), { recursive: true });
    assert.ok(kept.length > 500, `${kept.length} files`);
  });

  async function assertLocked(t: TestContext, vedette: VedetteProcess, url: string): Promise<void> {
    for (const command of isLongRun ? ["migrate", "server"] : ["migrate"]) {
      const { code, errors } = await runVedette(t, [command], settings());
      assert.equal(code, 1);
      assert.match(
        errors,
        new RegExp(`^Another Vedette \\(process ${vedette.pid}\\) already uses`),
      );
    }
    assert.equal((await fetch(`${url}/readyz`)).status, 200, "the first one is not affected");
  }

  for (const signal of isLongRun ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const)) {
    it(`prints only its address on later starts, locks its folder, and at ${signal} completes the request it is reading, then exits without leftovers`, async (t) => {
      const vedette = spawnVedette(t, ["server"], settings());
      const url = await waitForAddress(vedette);
      const address = `Vedette ${manifest.version} listens on ${url}\n`;
      assert.match(vedette.output(), new RegExp(`^${address}(\nPing checks cannot run|$)`));
      await assertLocked(t, vedette, url);
      await openIdleConnection(t, url);
      const body = JSON.stringify({ name: `made during ${signal}` });
      const socket = await beginRequest(url, body);
      await endBy(signal, vedette);
      const answered = once(socket, "data");
      socket.write(body.slice(5));
      assert.match(String(await answered), /^HTTP\/1\.1 201 /);
      assert.equal(await vedette.exited, 0);
      assert.doesNotMatch(vedette.output(), /aborting requests/, "nothing delayed the exit");
      assert.equal(vedette.errors(), "");
      assertNothingRuns();
    });
  }

  it("aborts a request that never ends, logs it, and exits", { isLong: true }, async (t) => {
    const vedette = spawnVedette(t, ["server"], settings());
    const socket = await beginRequest(await waitForAddress(vedette), '{"name":"never sent"}');
    // The connection may also end with a reset.
    socket.on("error", () => {});
    const cut = new Promise((resolve) => socket.once("close", resolve));
    await endBy("SIGTERM", vedette);
    vedette.process.kill("SIGTERM");
    await cut;
    // On a busy machine the rest may exceed the time limit of a stop, which then exits with 1.
    assert.match(String(await vedette.exited), /^[01]$/);
    assert.match(vedette.output(), /aborting requests that did not end in time/);
    await waitUntil("nothing runs", () => findProcesses(dataDir).length === 0);
  });

  it("reports in one line that its port is in use, and leaves nothing running", {
    isLong: true,
  }, async (t) => {
    const other = createServer().listen(0, "127.0.0.1");
    t.after(() => other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    assert.deepEqual(await runVedette(t, ["server"], settings({ PORT: String(port) })), {
      code: 1,
      output: "",
      errors:
        `Port ${port} on 127.0.0.1 is in use. ` +
        "Stop the other program, or choose another with PORT.\n",
    });
    assertNothingRuns();
  });

  it("reports an address that is not on this machine", { isLong: true }, async (t) => {
    const { code, errors } = await runVedette(t, ["server"], settings({ HOST: "192.0.2.1" }));
    assert.equal(code, 1);
    assert.match(
      errors,
      /^192.0.2.1 is not an address of this machine. Choose another with HOST.$/m,
    );
    assertNothingRuns();
  });

  it("does not start with the wrong key unless it is accepted", { isLong: true }, async (t) => {
    const database = await createTestDatabase();
    t.after(database.drop);
    const withKey = (byte: number) =>
      settings({
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: Buffer.alloc(32, byte).toString("base64"),
      });
    assert.equal((await runVedette(t, ["accept-key"], withKey(1))).code, 0);
    const rejected = await runVedette(t, ["server"], withKey(2));
    assert.equal(rejected.code, 1);
    assert.match(rejected.errors, /^The encryption key is not the one .*\n.*accept-key/s);
    assert.doesNotMatch(rejected.errors, /^ {4}at /m);
    const accepted = await runVedette(t, ["accept-key"], withKey(2));
    assert.deepEqual([accepted.code, accepted.errors], [0, ""]);
    assert.match(accepted.output, /^The current encryption key is now the key of this database/);
    const vedette = spawnVedette(t, ["server"], withKey(2));
    await waitForAddress(vedette);
    await endBy("SIGTERM", vedette);
    assert.equal(await vedette.exited, 0);
  });

  it("cannot use the folder of another server on an external database either", {
    isLong: true,
  }, async (t) => {
    const database = await createTestDatabase();
    t.after(database.drop);
    const own = settings({ DATABASE_URL: database.url });
    const vedette = spawnVedette(t, ["server"], own);
    const url = await waitForAddress(vedette);
    const { code, errors } = await runVedette(t, ["server"], own);
    assert.equal(code, 1);
    assert.equal(
      errors,
      `Another Vedette (process ${vedette.pid}) already uses the data folder ${dataDir}.\n` +
        "Stop it first, or set DATA_DIR to another folder.\n",
    );
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    await endBy("SIGTERM", vedette);
    assert.equal(await vedette.exited, 0);
  });

  it("reports an external database that is unusable", { isLong: true }, async (t) => {
    const own = settings({ DATABASE_URL: "postgres://user:hush-hush@127.0.0.1:1/none" });
    for (const command of ["server", "migrate"]) {
      assert.deepEqual(await runVedette(t, [command], own), {
        code: 1,
        output: "",
        errors:
          "PostgreSQL at DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1\n" +
          "Check that it runs, and that DATABASE_URL has the right host, user, password and " +
          "database.\n",
      });
    }
  });

  it("prints the stack of an unexpected error", { isLong: true }, async (t) => {
    const bug = 'process.getuid = () => { throw new TypeError("a bug"); }';
    const preload = `data:text/javascript,${encodeURIComponent(bug)}`;
    const options = settings({ NODE_OPTIONS: `--import=${preload}` });
    const { code, errors } = await runVedette(t, ["server"], options);
    assert.equal(code, 1);
    assert.match(errors, /^TypeError: a bug\n {4}at .*\n {4}at /);
  });

  it("reports below its address why pings cannot be sent, with instructions", {
    ...needsIsolation,
    isLong: true,
  }, async (t) => {
    const isolated = ["unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"];
    const launcher = [...isolated, "setpriv", "--bounding-set", "-net_raw"];
    const vedette = spawnVedette(t, ["server"], settings(), launcher);
    await waitForAddress(vedette);
    // The address and the following lines are written, and may be read, separately.
    await waitUntil("all output was read", () => vedette.output().includes("are not affected"));
    assert.match(
      vedette.output(),
      /listens on \S+\n\nPing checks cannot run: this process may open neither kind/,
    );
    assert.match(vedette.output(), /sysctl -w net\.ipv4\.ping_group_range="0 2147483647"/);
    assert.equal(vedette.output().match(/Ping checks cannot run/g)?.length, 1);
    const client = new pg.Client({ host: join(dataDir, "socket"), user: "vedette" });
    // The database stops with the server, which breaks this connection.
    client.on("error", () => {});
    await client.connect();
    t.after(() => client.end());
    await waitUntil("the probe is listed with its limitations", async () => {
      const { rows } = await client.query("select limitations from probes");
      return /^Ping checks cannot run/.test(rows[0]?.limitations.join());
    });
  });
});
