import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnServer } from "../support.ts";
import { type Amount, createAsk, type Filled, fill } from "./fill.ts";
import type { Targets } from "./targets.ts";

const key = "screenshot-key-screenshot-key-0";
const password = "screenshot password";

export interface FilledServer {
  readonly url: string;
  readonly filled: Filled;
  readonly stop: () => Promise<void>;
}

export async function startFilledServer(amount: Amount, targets: Targets): Promise<FilledServer> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-screenshots-"));
  const server = await spawnServer("bin/vedette.ts", ["server"], {
    PORT: "0",
    DATA_DIR: join(folder, "data"),
    BOOTSTRAP_API_KEY: key,
    BOOTSTRAP_PASSWORD: password,
    EXAMPLE: "false",
    OUTBOUND_ALLOW_PRIVATE: "true",
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "warn",
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    return {
      url: server.url,
      filled: await fill(amount, createAsk(server.url, key), targets),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the session cookie of the owner. */
export async function signIn(
  url: string,
): Promise<{ readonly name: string; readonly value: string }> {
  const answer = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "owner@vedette.localhost", password }),
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const at = cookie.indexOf("=");
  return { name: cookie.slice(0, at), value: cookie.slice(at + 1) };
}
