#!/usr/bin/env node
import { inspect, parseArgs } from "node:util";
import { keepCompiledCode } from "../src/app/compile-cache.ts";
import { keepTicksFast } from "../src/app/fast-ticks.ts";
import { returnFreedMemorySoon } from "../src/app/freed-memory.ts";
import { version } from "../src/app/version.ts";
import { keepYoungHeapSmall } from "../src/app/young-heap.ts";
import { readConfig } from "../src/config.ts";
import { ExplainedError } from "../src/platform/explained-error.ts";

const help = `Vedette ${version}: open, self-hosted monitoring.

Usage: vedette <command>

Commands:
  server        run the whole product (npm start does this)
  migrate       bring the database to this version, and stop
  sign-in-link  print a link that signs the owner in once; --email names somebody else
  accept-key    go on with the encryption key at hand after the old one was lost

Options:
  --help     show this
  --version  show the version

Settings are environment variables; docs/configure.md lists all of them.
Example: PORT=8080 DATA_DIR=/var/lib/vedette npm start
`;

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(error: unknown): never {
  // Only the stack: an error of the database carries its whole connection.
  const stack = error instanceof Error ? error.stack : inspect(error);
  process.stderr.write(`${error instanceof ExplainedError ? error.message : stack}\n`);
  process.exit(1);
}

/** The commands are loaded when they are called for: `--version` needs none of the product. */
async function runServer(): Promise<void> {
  const config = readConfig();
  keepTicksFast();
  const letYoungHeapGrow = keepYoungHeapSmall();
  keepCompiledCode(config.DATA_DIR);
  const { prepareWeb } = await import("../web/build.ts");
  await prepareWeb(write);
  const { startApp } = await import("../src/app/app.ts");
  const { announceFirstAccount } = await import("../src/app/commands.ts");
  const app = await startApp(config, {
    announce: (created) => write(announceFirstAccount(created, config)),
    onFatal: fail,
  });
  letYoungHeapGrow();
  returnFreedMemorySoon();
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    write(`Vedette stops (${signal})`);
    // Whatever hangs, ten seconds after the signal we are gone.
    setTimeout(() => process.exit(1), 9_500).unref();
    app.stop().then(() => process.exit(0), fail);
  };
  // Who reads the address may send a signal at once.
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  write(`Vedette ${version} listens on ${app.url}`);
  for (const warning of app.warnings) write(`\n${warning}\n`);
}

async function runMigrate(): Promise<void> {
  const { runMigrations } = await import("../src/app/commands.ts");
  write(await runMigrations(readConfig()));
}

function parseCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
        email: { type: "string" },
      },
    });
  } catch (error) {
    throw new ExplainedError((error as Error).message);
  }
}

async function runAcceptKey(): Promise<void> {
  const { acceptKey } = await import("../src/app/commands.ts");
  write(await acceptKey(readConfig()));
}

async function runSignInLink(email: string | undefined): Promise<void> {
  const { makeSignInLink } = await import("../src/app/commands.ts");
  write(await makeSignInLink(readConfig(), email ?? null));
}

async function main(): Promise<void> {
  const { values, positionals } = parseCommandLine();
  const [command, ...rest] = positionals;
  if (values.version) return write(version);
  if (values.help || command === undefined || command === "help") return write(help);
  if (rest.length > 0) throw new ExplainedError(`${command} takes no arguments.\n\n${help}`);
  if (command === "sign-in-link") return runSignInLink(values.email);
  if (values.email !== undefined) {
    throw new ExplainedError(`--email belongs to sign-in-link, not to ${command}.\n\n${help}`);
  }
  if (command === "server") return runServer();
  if (command === "migrate") return runMigrate();
  if (command === "accept-key") return runAcceptKey();
  throw new ExplainedError(`There is no command "${command}".\n\n${help}`);
}

main().catch(fail);
