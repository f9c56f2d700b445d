import { fork } from "node:child_process";
import { once } from "node:events";
import { endsWithParent } from "../../test/support/programs/end-with-parent-option.ts";
import type { Ports } from "../kinds/ports.ts";

/** The workload of a scale run. */
export interface Load {
  /** Path of the routes of the check type. */
  readonly path: string;
  readonly words: string;
  /** The type-specific part of a check's body. */
  request(index: number): object;
  readonly lateP99Ms: number;
  stop(): void;
}

/** Returns a distinct loopback address for each check. */
function hostOf(index: number): string {
  return `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
}

function pings(pingCount: number): Load {
  return {
    path: "icmp",
    words: `ICMP checks a minute × ${pingCount} pings`,
    request: (index) => ({ hostname: hostOf(index), pingCount }),
    lateP99Ms: 250,
    stop: () => {},
  };
}

const claim = (source: string, comparison: string, target: string, property = "") => ({
  source,
  comparison,
  target,
  property,
});

const assertions: Readonly<Record<"url" | "api", readonly object[]>> = {
  url: [
    claim("STATUS_CODE", "EQUALS", "200"),
    claim("STATUS_CODE", "NOT_EQUALS", "204"),
    claim("STATUS_CODE", "LESS_THAN", "300"),
    claim("STATUS_CODE", "GREATER_THAN", "199"),
    claim("STATUS_CODE", "NOT_EQUALS", "500"),
  ],
  api: [
    claim("STATUS_CODE", "EQUALS", "200"),
    claim("RESPONSE_TIME", "LESS_THAN", "20000"),
    claim("HEADERS", "CONTAINS", "text", "content-type"),
    claim("TEXT_BODY", "CONTAINS", "as many health checks are"),
    { ...claim("TEXT_BODY", "EQUALS", "page"), regex: "A (\\w+) as long" },
  ],
};

/** Every check has its own address; one server beside the product answers all. */
async function requests(path: "url" | "api"): Promise<Load> {
  const target = fork(new URL("../kinds/target.ts", import.meta.url), {
    execArgv: [...endsWithParent],
    stdio: ["pipe", "inherit", "inherit", "ipc"],
  });
  const [ports]: [Ports] = (await once(target, "message")) as [Ports];
  const method = path === "api" ? { method: "GET" } : {};
  return {
    path,
    words: `${path.toUpperCase()} checks a minute with 5 assertions`,
    request: (index) => ({
      ...method,
      url: `http://127.0.0.1:${ports.http}/health/${index}`,
      assertions: assertions[path],
    }),
    lateP99Ms: 500,
    stop: () => target.kill(),
  };
}

export async function startLoad(kind: string, pingCount: number): Promise<Load> {
  if (kind === "icmp") return pings(pingCount);
  if (kind === "url" || kind === "api") return requests(kind);
  throw new Error(`--kind is icmp, url or api, not ${kind}.`);
}
