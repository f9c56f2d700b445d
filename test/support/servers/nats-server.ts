/** A real nats-server with a separate folder, which can be killed and restarted. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../programs/programs.ts";
import { findFreePort } from "./free-port.ts";

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly pid: () => number;
  /** Writes the configuration file of the server, so that a test can reload it. */
  readonly configure: (text: string) => Promise<void>;
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startNatsServer(more = "", limits = ""): Promise<NatsServer> {
  const program = findProgram("nats-server") ?? "";
  const folder = await mkdtemp(join(tmpdir(), "vedette-nats-"));
  const port = await findFreePort();
  const path = join(folder, "nats.conf");
  let child: ChildProcess | null = null;
  const write = (text: string) =>
    writeFile(
      path,
      `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}/jetstream"\n${limits} }\n${text}\n`,
    );
  const start = async () => {
    const started = spawn(program, ["-c", path], { stdio: ["ignore", "ignore", "pipe"] });
    child = started;
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    let output = "";
    started.stderr?.on("data", (chunk) => {
      output = (output + chunk).slice(-10_000);
      if (output.includes("Server is ready")) resolve();
    });
    started.once("exit", () => reject(new Error(`nats-server ended: ${output}`)));
    started.once("error", reject);
    await ready;
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    const ended = child;
    child = null;
    if (ended === null || ended.exitCode !== null) return;
    const exit = once(ended, "exit");
    ended.kill(signal);
    await exit;
  };
  await write(more);
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid ?? 0,
    configure: async (text) => {
      await write(text);
      child?.kill("SIGHUP");
    },
    kill,
    start,
    stop: async () => {
      await kill("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
