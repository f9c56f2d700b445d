import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { listRoutes } from "../../../test/support/authorisation/routes.ts";
import { createPage } from "../../../test/support/modules/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { screenRoutes } from "../../app/web-routes.ts";
import { isApiPath } from "../../platform/http/request-origin.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({
    PUBLIC_URL: "http://watch.test",
    TRUSTED_PROXIES: "192.0.2.1",
  });
  await createPage(app, { more: { customDomain: "status.acme.test" } });
  await waitUntil("the host is served", async () => (await ask("/", "status.acme.test")).isPage);
});
after(() => app.stop());

interface Heard {
  readonly status: number;
  readonly text: string;
  readonly isPage: boolean;
}

/** `fetch` does not allow setting the Host header. */
function ask(
  path: string,
  host: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Heard> {
  const { port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, headers: { ...headers, host } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => {
          const status = answer.statusCode ?? 0;
          resolve({ status, text, isPage: status === 200 && text.includes("page.css") });
        });
      },
    );
    sent.on("error", reject).end();
  });
}

describe("a page on its own host", () => {
  const hosts = [
    "status.acme.test",
    "acme.watch.test",
    "ACME.watch.test:8080",
    "status.acme.test.",
  ];

  test("is at the root, with its links and files", async () => {
    for (const host of hosts) {
      const { status, text } = await ask("/", host);
      assert.equal(status, 200, host);
      assert.ok(text.includes("All systems operational"));
      assert.ok(text.includes('href="/history"'));
      assert.equal(text.includes("/status/acme"), false);
    }
    for (const path of [
      "/history",
      "/summary.json",
      "/feed.rss",
      "/page.css",
      "/page.js",
      "/badge.svg",
    ]) {
      assert.equal((await ask(path, "status.acme.test")).status, 200, path);
    }
  });

  test("does not hide the API, which is on every host", async () => {
    const authorization = "Bearer owner-key-0123456789-0123456789";
    for (const path of ["/v1/runtimes", "/v1/accounts/me", "/openapi.json", "/healthz"]) {
      const { status } = await ask(path, "status.acme.test", { authorization });
      assert.equal(status, 200, path);
    }
    const files = /\.(?:css|js|svg|png|webmanifest)$/;
    const pages =
      /^\/(?:status|dashboards|previews|acknowledge|docs|metrics|assets|sign-in\/oidc|$)/;
    for (const { method, url } of listRoutes(app.app)) {
      if (screenRoutes.includes(url)) continue;
      const isPage = pages.test(url) || files.test(url);
      assert.ok(isPage || isApiPath(url), `${method} ${url} is neither a page nor API`);
    }
  });

  test("serves no other page of the product", async () => {
    const paths = [
      "/docs/api",
      "/checks",
      "/sign-in",
      "/metrics",
      "/status/acme",
      "/status/other",
      "//v1/runtimes",
      "/../v1/runtimes",
      "/%2e%2e/%2e%2e/v1/runtimes",
      "/history/../../../v1/runtimes",
      "http://watch.test/v1/runtimes",
    ];
    const authorization = "Bearer owner-key-0123456789-0123456789";
    for (const path of paths) {
      const { status } = await ask(path, "status.acme.test", { authorization });
      assert.equal(status, 404, path);
    }
    assert.equal((await ask("/v1/runtimes", "watch.test", { authorization })).status, 200);
  });

  test("is not served on an unknown host, which serves the product", async () => {
    for (const host of ["watch.test", "nobody.watch.test", "evil.example", "127.0.0.1"]) {
      assert.equal((await ask("/healthz", host)).status, 200, host);
      assert.equal((await ask("/status/acme", host)).status, 200, host);
    }
  });

  test("cannot be selected by a client that is not a trusted proxy", async () => {
    const headers = { "x-forwarded-host": "status.acme.test" };
    assert.equal((await ask("/", "watch.test", headers)).isPage, false);
  });

  test("follows changes of the page's name", async () => {
    const page = await createPage(app, { url: "moving", more: { customDomain: "old.acme.test" } });
    await waitUntil(
      "the first name is known",
      async () => (await ask("/", "old.acme.test")).isPage,
    );
    const body = { name: "Moving", url: "moving", cards: [], customDomain: "new.acme.test" };
    await app.call("PUT", `/v1/status-pages/${page.id}`, { body });
    await waitUntil("the new name is served", async () => (await ask("/", "new.acme.test")).isPage);
    assert.equal((await ask("/", "old.acme.test")).isPage, false);
  });
});

test("a trusted proxy can forward the requested host", async () => {
  const proxied = await startTestApp({
    PUBLIC_URL: "http://watch.test",
    TRUSTED_PROXIES: "127.0.0.0/8",
  });
  try {
    await createPage(proxied);
    const headers = { "x-forwarded-host": "evil.example, acme.watch.test" };
    await waitUntil("the host is served", async () => {
      const answer = await proxied.call("GET", "/", { key: null, headers });
      return answer.status === 200 && answer.text.includes("All systems operational");
    });
  } finally {
    await proxied.stop();
  }
});
