import assert from "node:assert/strict";
import { requestHttp } from "../../../src/kinds/wire/http/http-client.ts";
import type { HttpAnswer, HttpTrouble } from "../../../src/kinds/wire/http/http-measurement.ts";
import { type HttpRequest, maxBodyBytes } from "../../../src/kinds/wire/http/http-measurement.ts";
import { createReach } from "../../../src/platform/net/reach.ts";
import { createNameResolver } from "../../../src/platform/net/resolve.ts";

const addresses = new Map<string, string[]>([
  ["here.example", ["127.0.0.1"]],
  ["there.example", ["127.0.0.1"]],
  ["metadata.example", ["169.254.169.254"]],
]);

/**
 * Sets the addresses that a name resolves to. Each lookup returns the next address, and the last
 * address is permanent.
 */
export function nameAddresses(name: string, list: readonly string[]): void {
  addresses.set(name, [...list]);
}

/** Creates a resolver without a cache, so that every lookup can return another address. */
function createTools() {
  const resolver = createNameResolver({
    readHosts: async () => "",
    dns: {
      resolve4: async (name) => {
        const list = addresses.get(name) ?? [];
        const address = list.length > 1 ? list.shift() : list[0];
        if (address === undefined) throw Object.assign(new Error(), { code: "ENOTFOUND" });
        return [{ address, ttl: 0 }];
      },
      resolve6: async () => [],
    },
    nowMs: (() => {
      let nowMs = 0;
      return () => {
        nowMs += 5_000;
        return nowMs;
      };
    })(),
  });
  return { resolver, reach: createReach({ allow: [], deny: ["127.0.0.9"] }) };
}

/** Request settings with long timeouts, because the machine may be busy. */
const patient: Omit<HttpRequest, "url"> = {
  method: "GET",
  headers: [],
  body: null,
  followRedirects: true,
  skipSSL: false,
  ipFamily: "IPv4",
  timeoutMs: 3_600_000,
  clientCertificate: null,
  keptBytes: maxBodyBytes,
};

export function ask(url: string, changed: Partial<HttpRequest> = {}) {
  return requestHttp({ ...patient, url, ...changed }, createTools());
}

export async function getAnswer(url: string, changed?: Partial<HttpRequest>): Promise<HttpAnswer> {
  const outcome = await ask(url, changed);
  assert.ok(outcome.kind === "answered", JSON.stringify(outcome));
  return outcome.answer;
}

export async function getTrouble(
  url: string,
  changed?: Partial<HttpRequest>,
): Promise<HttpTrouble> {
  const outcome = await ask(url, changed);
  assert.ok(outcome.kind === "unreachable", JSON.stringify(outcome).slice(0, 500));
  assert.match(outcome.trouble.message, /^[A-Z0-9:].*\.$/);
  return outcome.trouble;
}
