/** Commands for a server: what they report if they cannot run. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseConfig } from "../config.ts";
import { ExplainedError } from "../platform/errors.ts";
import { explainListenError } from "./app.ts";
import { makeSignInLink, printNatsUsers } from "./commands.ts";

async function createFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-commands-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function findExplanation(run: Promise<unknown>): Promise<string> {
  const error = await run.then(
    () => assert.fail("It succeeded."),
    (reason: unknown) => reason,
  );
  // Only the message of such an error is printed.
  assert.ok(error instanceof ExplainedError, String(error));
  return error.message;
}

test("a command names the missing setting if no server has stored anything", async (t) => {
  const folder = await createFolder(t);
  const DATA_DIR = join(folder, "data");
  const config = parseConfig({ DATA_DIR });
  for (const run of [makeSignInLink(config, null), printNatsUsers(config)]) {
    const message = await findExplanation(run);
    assert.ok(message.startsWith(`No server has stored anything in ${DATA_DIR}. Set DATA_DIR`));
    assert.match(message, /^ {2}DATA_DIR=\/var\/lib\/vedette npm run vedette sign-in-link$/m);
  }
  // Nothing was created, which the next attempt would mistake for a server's data.
  assert.deepEqual(await readdir(folder), []);
});

test("a command reports that DATABASE_URL is missing or unusable", async (t) => {
  const DATA_DIR = await createFolder(t);
  await writeFile(join(DATA_DIR, "server.id"), "01890000-0000-7000-8000-000000000000");
  const missing = await findExplanation(makeSignInLink(parseConfig({ DATA_DIR }), null));
  assert.match(missing, /does not use the embedded database. Set DATABASE_URL/);
  const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none";
  const unusable = parseConfig({ DATA_DIR, DATABASE_URL });
  const wrong = await findExplanation(makeSignInLink(unusable, null));
  assert.match(wrong, /^The database of DATABASE_URL cannot be used: .*ECONNREFUSED/);
});

test("a server reports that its port is in use, or its address not of this machine", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port: PORT } = other.address() as AddressInfo;
  const explain = async (HOST: string) => {
    const [error] = await once(createServer().listen(PORT, HOST).unref(), "error");
    return explainListenError(error, { HOST, PORT }).message;
  };
  assert.equal(
    await explain("127.0.0.1"),
    `Port ${PORT} on 127.0.0.1 is in use. Stop the other program, or choose another with PORT. ` +
      `If it is a Vedette with PORT=${PORT - 1}, its trace viewer uses ${PORT}: set VIEWER_PORT there.`,
  );
  assert.equal(
    await explain("192.0.2.1"),
    "192.0.2.1 is not an address of this machine. Choose another with HOST.",
  );
});
