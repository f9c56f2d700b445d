import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";

/** Wildcard addresses of HOST. A browser cannot open them. */
const everyAddress = ["0.0.0.0", "::"];

/** Returns the URL at which this machine reaches the server, according to the settings. */
export function addressOf(config: Pick<Config, "HOST" | "PORT">): string {
  const name = everyAddress.includes(config.HOST) ? "localhost" : config.HOST;
  return `http://${name.includes(":") ? `[${name}]` : name}:${config.PORT}`;
}

const nameIn = (dataDir: string) => join(dataDir, "server.address");

/** Stores the server's URL in the data folder, for commands that run with other settings. */
export async function writeAddress(dataDir: string, address: string): Promise<void> {
  await writeFile(nameIn(dataDir), address, { mode: 0o600 });
}

export async function removeAddress(dataDir: string): Promise<void> {
  await rm(nameIn(dataDir), { force: true });
}

/** Returns the stored URL of the server that uses this data folder; `null` if none is stored. */
export async function readAddress(dataDir: string): Promise<string | null> {
  const text = await readFile(nameIn(dataDir), "utf8").catch(() => "");
  return /^https?:\/\/\S{1,300}$/.test(text) ? text : null;
}
