import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

interface Load {
  readonly seconds: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Keeps 32 connections busy with GET requests and returns the number of requests and the duration.
 * The client is `wrk`: a Node.js client would be the bottleneck against the faster server.
 */
export async function loadWithWrk(
  url: string,
  { seconds, headers = {} }: Load,
): Promise<{ requests: number; seconds: number }> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { stdout } = await run("wrk", ["-t1", "-c32", `-d${seconds}s`, ...fields, url]);
  const [, requests, elapsed] = /(\d+) requests in ([\d.]+)s/.exec(stdout) ?? [];
  if (elapsed === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  return { requests: Number(requests), seconds: Number(elapsed) };
}
