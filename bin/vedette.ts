#!/usr/bin/env node
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { inspect, parseArgs } from "node:util";
import type { BackupCommand } from "../src/app/backup-commands.ts";
import {
  keepCompiledCode,
  keepTemporaryFiles,
  keepTicksFast,
  keepYoungHeapSmall,
  returnFreedMemorySoon,
} from "../src/app/process-tuning.ts";
import { version } from "../src/app/version.ts";
import { readConfig, readEnvironment } from "../src/config.ts";
import { ExplainedError, explainDiskError } from "../src/platform/errors.ts";

const help = `Vedette ${version}: open, self-hosted monitoring.

Usage: vedette <command>

Commands:
  server        run the server (npm start does this)
  migrate       migrate the database to this version and exit
  sign-in-link  print a one-time sign-in link for the owner, or for --email ADDRESS
  backup FILE   write all data to one file; the server may keep running
  restore FILE  restore a backup into an empty database, or use --overwrite
  verify FILE   restore a backup into a temporary database and compare every row
  doctor        diagnose everything Vedette depends on; --json for programs
  accept-key    continue with the current encryption key after the old one was lost
  nats-users    print the nats-server users for the servers and for each probe key
  probe         run checks from this machine: --server URL or --nats URL, --token KEY (or
                PROBE_TOKEN), --name NAME, --data FOLDER
  import SOURCE FILE…
                import from another monitor: --muted, --yes, --no-history, --no-addresses,
                --name NAME of the installation; --dry-run only reports, without a server
  plan FILE…    show what applying the files would change; exits with 2 if anything
  diff FILE…    show the differences between the server and the files
  apply FILE…   plan, ask and apply: --yes does not ask, --prune deletes what the project
                owns and the files do not contain
  export FILE   write the account as a file: --project ID, --overwrite; --adopt writes what
                no project owns, so that applying the file takes it over
                all five: --server URL, --token KEY (or VEDETTE_SERVER, VEDETTE_TOKEN), --json
  runtime install NAME… | list | remove NAME
                install the packages that scripts run with, on this machine: --data FOLDER;
                list: --json
  probe-key     create a key for your own probe in a public region: --region eu-west-1

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
  // Print only the stack, because a database error contains the connection and its credentials.
  const stack = error instanceof Error ? error.stack : inspect(error);
  const { path } = error as NodeJS.ErrnoException;
  const folder = path === undefined ? (readEnvironment().DATA_DIR ?? "./data") : dirname(path);
  const known = error instanceof ExplainedError ? error.message : null;
  process.stderr.write(`${known ?? explainDiskError(error, resolve(folder)) ?? stack}\n`);
  process.exit(1);
}

/** Runs the server. Its modules are imported here, so that `--version` does not load them. */
async function runServer(): Promise<void> {
  const config = readConfig();
  keepTicksFast();
  const letYoungHeapGrow = keepYoungHeapSmall();
  keepCompiledCode(config.DATA_DIR);
  keepTemporaryFiles(config.DATA_DIR);
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
  // An error in one request must not end the service for all clients. Continuing is safe: all
  // durable state is written in database transactions, and `/readyz` fails if a loop makes no
  // progress.
  process.on("uncaughtException", app.noteUnexpectedError);
  // Install the signal handlers first: a supervisor may stop this process as soon as it reads the
  // URL.
  stopOnSignal(app);
  write(`Vedette ${version} listens on ${app.url}`);
  for (const warning of app.warnings) write(`\n${warning}\n`);
}

function stopOnSignal(app: { readonly stop: () => Promise<void> }): void {
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    write(`Vedette stops (${signal})`);
    // Exit within ten seconds of the signal, even if a component does not stop in time.
    setTimeout(() => process.exit(1), 9_500).unref();
    app.stop().then(() => process.exit(0), fail);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
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
        adopt: { type: "boolean" },
        overwrite: { type: "boolean" },
        json: { type: "boolean" },
        server: { type: "string" },
        token: { type: "string" },
        name: { type: "string" },
        data: { type: "string" },
        region: { type: "string" },
        nats: { type: "string" },
        "dry-run": { type: "boolean" },
        muted: { type: "boolean" },
        prune: { type: "boolean" },
        project: { type: "string" },
        yes: { type: "boolean" },
        "no-history": { type: "boolean" },
        "no-addresses": { type: "boolean" },
      },
    });
  } catch (error) {
    throw new ExplainedError((error as Error).message);
  }
}

type Values = ReturnType<typeof parseCommandLine>["values"];

async function runAcceptKey(): Promise<void> {
  const { acceptKey } = await import("../src/app/commands.ts");
  write(await acceptKey(readConfig()));
}

async function runSignInLink(email: string | undefined): Promise<void> {
  const { makeSignInLink } = await import("../src/app/commands.ts");
  write(await makeSignInLink(readConfig(), email ?? null));
}

async function runNatsUsers(): Promise<void> {
  const { printNatsUsers } = await import("../src/app/commands.ts");
  write(await printNatsUsers(readConfig()));
}

async function runFileCommand(name: BackupCommand, file: string, values: Values): Promise<void> {
  const { backupCommands } = await import("../src/app/backup-commands.ts");
  const interrupted = new AbortController();
  const cancel = () => interrupted.abort(new ExplainedError(`The ${name} was cancelled.`));
  if (name === "backup") for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, cancel);
  const request = { file, shouldOverwrite: values.overwrite === true, signal: interrupted.signal };
  write(await backupCommands[name](readConfig(), { ...request, terminal: process.stderr }));
}

/** Runs all diagnostics. Exits with 1 if a diagnostic fails or a setting is invalid. */
async function runDoctor(isJson: boolean): Promise<void> {
  const { writeDiagnosis } = await import("../src/app/doctor/finding.ts");
  const { examine } = await import("../src/app/doctor/doctor-command.ts");
  const diagnosis = await examine(readConfig);
  write(isJson ? JSON.stringify(diagnosis, null, 2) : writeDiagnosis(diagnosis));
  process.exit(diagnosis.level === "fail" ? 1 : 0);
}

async function runProbe({ server, nats, token, name, data }: Values): Promise<void> {
  const config = readConfig({
    ...(server !== undefined && { PROBE_SERVER: server }),
    ...(nats !== undefined && { NATS_URL: nats, PROBE_SERVER: "" }),
    ...(token !== undefined && { PROBE_TOKEN: token }),
    ...(name !== undefined && { PROBE_NAME: name }),
    ...(data !== undefined && { DATA_DIR: data }),
  });
  keepTicksFast();
  const { findProbeFolder, startRemoteProbe } = await import("../src/app/remote-probe.ts");
  keepTemporaryFiles(findProbeFolder(config));
  const probe = await startRemoteProbe(config, { onRejected: fail });
  stopOnSignal(probe);
  for (const warning of probe.warnings) write(`\n${warning}\n`);
  const { probeId, location } = await probe.welcomed;
  write(`Vedette ${version} probes for ${location} as ${probeId}`);
}

async function runProbeKey(region: string | undefined): Promise<void> {
  const { makeProbeKey } = await import("../src/app/commands.ts");
  write(await makeProbeKey(readConfig(), region ?? null));
}

async function askYesNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Asks for confirmation after the report was shown and before anything is imported. */
async function confirmImport(isAgreed: boolean): Promise<boolean> {
  if (isAgreed) return true;
  return process.stdin.isTTY ? askYesNo("\nImport this? [y/N] ") : false;
}

/**
 * Returns the server URL and the API key from the options or the environment; `null` if one is
 * missing.
 */
function findTarget(values: Values) {
  const environment = readEnvironment();
  const server = values.server ?? environment.VEDETTE_SERVER;
  const token = values.token ?? environment.VEDETTE_TOKEN;
  return server && token ? { server, token } : null;
}

async function runImport(values: Values, [source = "", ...paths]: readonly string[]) {
  const command = await import("../src/app/import-command.ts");
  const named = command.parseSource(source);
  const show = (report: Parameters<typeof command.writeReport>[1], name = "") =>
    write(values.json ? JSON.stringify(report, null, 2) : command.writeReport(named, report, name));
  if (values["dry-run"]) return show(await command.reportImport(named, paths));
  const target = findTarget(values);
  if (target === null) return rejectUsage("import needs --server and --token, or --dry-run.");
  const { id, name, report } = await command.uploadImport(
    target,
    named,
    paths,
    values.name ?? null,
  );
  show(report, name);
  if (!(await confirmImport(values.yes === true))) {
    return write("\nNothing was imported. Add --yes to import without a question.");
  }
  const choices = {
    muted: values.muted === true,
    keepAddresses: values["no-addresses"] !== true,
    withHistory: values["no-history"] !== true,
  };
  write(`\n${await command.runUploaded(target, id, choices)}`);
}

function openTerminal() {
  const environment = readEnvironment();
  const isTerminal = process.stdout.isTTY === true;
  const { NO_COLOR = "", TERM } = environment;
  return {
    environment,
    isInteractive: process.stdin.isTTY === true && isTerminal,
    hasColors: isTerminal && NO_COLOR === "" && TERM !== "dumb",
    write,
    writeNote: (text: string) => void process.stderr.write(`${text}\n`),
    confirm: askYesNo,
  };
}

type PlanCommand = "plan" | "diff" | "apply" | "export";

async function runPlanCommand(name: PlanCommand, values: Values, paths: readonly string[]) {
  const commands = await import("../src/app/plan-commands.ts");
  const terminal = openTerminal();
  const target = findTarget(values);
  if (target === null) return rejectUsage(`${name} needs --server and --token.`);
  const { json = false, yes = false, prune = false, overwrite = false, project = null } = values;
  if (name === "export") {
    if (paths.length > 1) return rejectUsage("export writes one file.");
    const options = { project, adopt: values.adopt === true, json, overwrite, terminal };
    process.exitCode = await commands.runExport(target, paths[0] ?? null, options);
  } else if (paths.length === 0) rejectUsage(`${name} requires at least one file.`);
  else if (name === "apply") {
    const options = { prune, json, yes, terminal };
    process.exitCode = await commands.runApply(target, paths, options);
  } else {
    const options = { prune, json, as: name, terminal };
    process.exitCode = await commands.runPlan(target, paths, options);
  }
}

async function runRuntime(values: Values, [task = "", ...names]: readonly string[]) {
  const { runtimeTasks } = await import("../src/app/runtime-command.ts");
  const run = Object.hasOwn(runtimeTasks, task) ? runtimeTasks[task] : undefined;
  if (run === undefined) return rejectUsage("runtime needs install, list or remove.");
  if ((task === "list") !== (names.length === 0)) {
    return rejectUsage(`runtime ${task} ${task === "list" ? "accepts no" : "needs a"} name.`);
  }
  const config = readConfig(values.data === undefined ? {} : { DATA_DIR: values.data });
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupted.abort());
  const terminal = { write, error: process.stderr, signal: interrupted.signal };
  await run(
    { config, environment: readEnvironment(), names, json: values.json === true },
    terminal,
  );
}

const planOptions = ["server", "token", "json"] as const;

interface Command {
  /** Options that the command accepts in addition to `--help` and `--version`. */
  readonly options?: readonly (keyof Values)[];
  readonly takesFile?: boolean;
  /** Whether the command accepts any number of files. */
  readonly takesFiles?: boolean;
  /** Descriptions of the positional arguments, for a command that requires two or more. */
  readonly takes?: readonly [string, string];
  readonly run: (values: Values, file: string, all: readonly string[]) => Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  server: { run: runServer },
  migrate: { run: runMigrate },
  "sign-in-link": { options: ["email"], run: ({ email }) => runSignInLink(email) },
  backup: {
    options: ["overwrite"],
    takesFile: true,
    run: (values, file) => runFileCommand("backup", file, values),
  },
  restore: {
    options: ["overwrite"],
    takesFile: true,
    run: (values, file) => runFileCommand("restore", file, values),
  },
  verify: { takesFile: true, run: (values, file) => runFileCommand("verify", file, values) },
  doctor: { options: ["json"], run: ({ json }) => runDoctor(json === true) },
  "accept-key": { run: runAcceptKey },
  "nats-users": { run: runNatsUsers },
  probe: { options: ["server", "nats", "token", "name", "data"], run: runProbe },
  import: {
    options: [
      ...(["dry-run", "json", "server", "token", "muted", "yes"] as const),
      ...(["no-history", "no-addresses", "name"] as const),
    ],
    takes: ["a source", "at least one file"],
    run: (values, _file, all) => runImport(values, all),
  },
  plan: {
    options: [...planOptions, "prune"],
    takesFiles: true,
    run: (values, _file, all) => runPlanCommand("plan", values, all),
  },
  diff: {
    options: [...planOptions, "prune"],
    takesFiles: true,
    run: (values, _file, all) => runPlanCommand("diff", values, all),
  },
  apply: {
    options: [...planOptions, "prune", "yes"],
    takesFiles: true,
    run: (values, _file, all) => runPlanCommand("apply", values, all),
  },
  export: {
    options: [...planOptions, "project", "adopt", "overwrite"],
    takesFiles: true,
    run: (values, _file, all) => runPlanCommand("export", values, all),
  },
  runtime: {
    options: ["json", "data"],
    takesFiles: true,
    run: (values, _file, all) => runRuntime(values, all),
  },
  "probe-key": { options: ["region"], run: ({ region }) => runProbeKey(region) },
};

function rejectUsage(reason: string): never {
  throw new ExplainedError(`${reason}\n\n${help}`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseCommandLine();
  const [name, ...rest] = positionals;
  if (values.version) return write(version);
  if (values.help || name === undefined || name === "help") return write(help);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return rejectUsage(`Unknown command "${name}".`);
  const { options = [], takesFile = false, takesFiles = false, takes } = command;
  for (const option of Object.keys(values) as (keyof Values)[]) {
    if (!options.includes(option)) rejectUsage(`${name} does not accept --${option}.`);
  }
  if (takesFile && rest.length !== 1) rejectUsage(`${name} requires exactly one file.`);
  if (takes !== undefined && rest.length < 2)
    rejectUsage(`${name} requires ${takes.join(" and ")}.`);
  const takesNone = !takesFile && !takesFiles && takes === undefined;
  if (takesNone && rest.length > 0) rejectUsage(`${name} accepts no arguments.`);
  return command.run(values, rest[0] ?? "", rest);
}

main().catch(fail);
