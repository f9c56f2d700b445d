import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { ownerKey, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { createIncident, createPage } from "../../../test/support/modules/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { SnapshotFolder } from "./snapshot-folder.ts";

let app: TestApp;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-snapshots-"));
  app = await startTestApp({ SNAPSHOT_DIR: join(folder, "pages") });
});
after(async () => {
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

const read = (path: string) => readFile(join(folder, "pages", path), "utf8").catch(() => null);
const waitForFile = (path: string, words = "") =>
  waitUntil(`${path} says ${words}`, async () => (await read(path))?.includes(words) ?? false);

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

describe("the snapshot of a page", () => {
  test("is written on request, and reports time and size", async () => {
    const { id } = await createPage(app, { url: "asked" });
    const path = `/v1/status-pages/${id}/snapshot`;
    const written = await app.call("POST", path);
    assert.equal(written.status, 200, written.text);
    assert.equal(written.body.isKept, true);
    assert.ok(written.body.writtenAt !== null && written.body.bytes > 1_000);
    assert.ok((await read("asked/index.html"))?.includes("As of "));
    assert.equal((await app.call("GET", path)).body.fileCount, written.body.fileCount);
    const nobody = "/v1/status-pages/00000000-0000-7000-8000-00000000dead/snapshot";
    for (const [method, end] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", "/archive"],
    ] as const) {
      assert.equal((await app.call(method, `${nobody}${end}`)).status, 404);
    }
  });

  test("is downloaded as a tar archive", async () => {
    const { id } = await createPage(app, { url: "packed", more: { logo: pixel } });
    const { port } = new URL(app.url);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/status-pages/${id}/snapshot/archive`, {
      headers: { authorization: `Bearer ${ownerKey}` },
    });
    assert.equal(answer.headers.get("content-type"), "application/gzip");
    assert.match(answer.headers.get("content-disposition") ?? "", /filename="packed\.tar\.gz"/);
    const target = await mkdtemp(join(folder, "tar-"));
    const archive = join(target, "packed.tar.gz");
    await writeFile(archive, Buffer.from(await answer.arrayBuffer()));
    await promisify(execFile)("tar", ["-xzf", archive, "-C", target]);
    const index = await readFile(join(target, "packed", "index.html"), "utf8");
    assert.ok(index.includes("As of "));
    const logo = await readFile(join(target, "packed", "images", "logo.png"));
    assert.equal(logo.toString("base64"), pixel.split(",")[1]);
  });

  test("does not exist for a private page", async () => {
    const { id } = await createPage(app, { url: "never-copied", more: { isPrivate: true } });
    const path = `/v1/status-pages/${id}/snapshot`;
    assert.equal((await app.call("POST", path)).status, 409);
    assert.equal((await app.call("GET", `${path}/archive`)).status, 409);
    const { body } = await app.call("GET", path);
    assert.deepEqual(body, {
      isKept: true,
      isPrivate: true,
      writtenAt: null,
      fileCount: 0,
      bytes: 0,
    });
  });
});

describe("snapshots", () => {
  test("contain every file of a page, with the time of the snapshot", async () => {
    const { serviceIds } = await createPage(app, { url: "whole", more: { logo: pixel } });
    const id = await createIncident(app, { serviceIds, name: "In the copy" });
    await waitForFile("whole/index.html", "In the copy");
    await waitForFile(`whole/incidents/${id}.html`, "In the copy");
    const names = (await readdir(join(folder, "pages", "whole"))).sort();
    assert.deepEqual(names, [
      ".vedette-snapshot.json",
      "badge.svg",
      "feed.atom",
      "feed.json",
      "feed.rss",
      "history",
      "icon.svg",
      "images",
      "incidents",
      "index.html",
      "maintenance.ics",
      "page.css",
      "page.js",
      "summary.json",
      "theme.css",
    ]);
    assert.deepEqual(await readdir(join(folder, "pages", "whole", "images")), ["logo.png"]);
    const index = (await read("whole/index.html")) ?? "";
    assert.ok(index.includes(`data-as-of="${app.clock.now().toISOString()}"`));
    assert.ok(index.includes("As of "));
    const summary = JSON.parse((await read("whole/summary.json")) ?? "");
    assert.equal(summary.asOf, app.clock.now().toISOString());
    assert.ok(index.includes(`data-version="${summary.version}"`));
  });

  test("have links that work in any folder of any web server", async () => {
    await createPage(app, { url: "linked" });
    const old = await createPage(app, { url: "older" });
    const updates = [
      [40 * 1_440, "INVESTIGATING", "x"],
      [40 * 1_440 - 60, "RESOLVED", "y"],
    ] as const;
    await createIncident(app, { serviceIds: old.serviceIds, updates });
    await waitForFile("older/history/2026-10.html", "Checkout fails");
    await waitForFile("older/index.html");
    const server = createServer(async (request, answer) => {
      const path = (request.url ?? "").split("?")[0]?.replace(/^\/copies\//, "") ?? "";
      const text = await read(path);
      answer.writeHead(text === null ? 404 : 200).end(text ?? "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    try {
      const seen = new Set<string>();
      const queue = [`http://127.0.0.1:${port}/copies/older/index.html`];
      for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
        const answer = await fetch(url);
        assert.equal(answer.status, 200, url);
        seen.add(url);
        if (!url.endsWith(".html")) continue;
        const text = await answer.text();
        for (const [, link = ""] of text.matchAll(/(?:href|src)="([^"#][^"]*)"/g)) {
          // "Powered by Vedette" links to the server itself.
          if (link.endsWith("/docs")) continue;
          assert.equal(/^(?:\/|https?:)/.test(link), false, link);
          const target = new URL(link, url).href;
          if (!seen.has(target)) queue.push(target);
        }
      }
      assert.ok(seen.size >= 14, String(seen.size));
    } finally {
      server.close();
    }
  });

  test("are written soon after a change, and every five minutes", async () => {
    await createPage(app, { url: "fresh" });
    await waitForFile("fresh/index.html");
    app.clock.advance(300_000);
    await waitForFile("fresh/index.html", app.clock.now().toISOString());
  });

  test("are removed when a page is deleted, renamed or made private", async () => {
    const body = { name: "Gone", cards: [] };
    const make = async (url: string) => {
      const page = await createPage(app, { url });
      await waitForFile(`${url}/index.html`);
      return `/v1/status-pages/${page.id}`;
    };
    await app.call("DELETE", await make("deleted"));
    const renamed = await make("before");
    await app.call("PUT", renamed, { body: { ...body, url: "behind" } });
    const hidden = await make("hidden");
    await app.call("PUT", hidden, { body: { ...body, url: "hidden", isPrivate: true } });
    await waitForFile("behind/index.html");
    for (const url of ["deleted", "before", "hidden"]) {
      await waitUntil(
        `${url} is gone`,
        async () => !(await readdir(join(folder, "pages"))).includes(url),
      );
    }
  });

  test("of a private page are never written", async () => {
    await createPage(app, { url: "secret", more: { isPrivate: true } });
    await createPage(app, { url: "witness" });
    await waitForFile("witness/index.html");
    assert.equal((await readdir(join(folder, "pages"))).includes("secret"), false);
  });

  test("do not modify a foreign folder, and log it", async () => {
    await mkdir(join(folder, "pages", "taken"), { recursive: true });
    await writeFile(join(folder, "pages", "taken", "index.html"), "mine");
    await createPage(app, { url: "taken" });
    await waitUntil("it is logged", () =>
      app.logText().includes("contains files that are not part of a snapshot"),
    );
    assert.equal(await read("taken/index.html"), "mine");
  });
});

describe("the folder of snapshots", () => {
  const files = new Map([
    ["index.html", "one"],
    ["history/2026-11.html", "two"],
  ]);
  const create = async () => {
    const root = await mkdtemp(join(folder, "root-"));
    return { root, snapshots: new SnapshotFolder(root) };
  };

  test("removes only its own files", async () => {
    const { root, snapshots } = await create();
    await snapshots.write("acme", "account", files);
    await writeFile(join(root, "acme", "CNAME"), "kept");
    await snapshots.write("acme", "account", new Map([["index.html", "three"]]));
    assert.equal(await readFile(join(root, "acme", "index.html"), "utf8"), "three");
    assert.deepEqual(await readdir(join(root, "acme", "history")), []);
    await snapshots.remove("acme");
    assert.deepEqual(await readdir(join(root, "acme")), ["CNAME", "history"]);
    assert.deepEqual(await snapshots.list(), new Map());
  });

  test("knows its files and their accounts after a restart", async () => {
    const { root, snapshots } = await create();
    await snapshots.write("acme", "account", files);
    const again = new SnapshotFolder(root);
    assert.deepEqual(await again.list(), new Map([["acme", { accountId: "account" }]]));
    await again.remove("acme");
    assert.deepEqual(await readdir(root), [".vedette-temporary"]);
  });

  test("never writes outside its folder, whatever a name or a marker contains", async () => {
    const { root, snapshots } = await create();
    await writeFile(join(root, "precious.html"), "precious");
    for (const url of ["..", ".", "a/b", "../x", "", "A", "-a", "a.b", "x".repeat(64)]) {
      await assert.rejects(snapshots.write(url, "account", files), /cannot be written/, url);
    }
    for (const name of ["../x.html", "/etc/passwd", "a/../../x.html", ".hidden", "a/b/c.html"]) {
      await assert.rejects(
        snapshots.write("acme", "account", new Map([[name, ""]])),
        /named/,
        name,
      );
    }
    await mkdir(join(root, "acme"), { recursive: true });
    const marker = { accountId: "account", files: ["../precious.html", "index.html"] };
    await writeFile(join(root, "acme", ".vedette-snapshot.json"), JSON.stringify(marker));
    await snapshots.remove("acme");
    assert.equal(await readFile(join(root, "precious.html"), "utf8"), "precious");
    await symlink(root, join(root, "link"));
    assert.equal((await snapshots.list()).has("link"), false);
  });

  test("can be written concurrently by a request and by the loop", async () => {
    const files = new Map([["index.html", "As of now"]]);
    for (let page = 0; page < 50; page += 1) {
      const root = new SnapshotFolder(join(folder, "two"));
      const first = root.write(`page-${page}`, "account", files);
      // The second starts slightly later each time, so that it overlaps every step of the first.
      for (let turn = 0; turn < page % 10; turn += 1) await setImmediate();
      await Promise.all([first, root.write(`page-${page}`, "account", files)]);
    }
  });

  test("leaves no partial file if writing fails", async () => {
    const { root, snapshots } = await create();
    await snapshots.write("acme", "account", files);
    await rm(join(root, "acme", "index.html"));
    await mkdir(join(root, "acme", "index.html"));
    await assert.rejects(snapshots.write("acme", "account", files));
    const temporary = join(root, ".vedette-temporary");
    assert.deepEqual(await readdir(temporary), []);
    await writeFile(join(temporary, "left-by-a-kill"), "x");
    await snapshots.clean(new Date(Date.now() + 3_500_000));
    assert.deepEqual(await readdir(temporary), ["left-by-a-kill"]);
    await snapshots.clean(new Date(Date.now() + 3_700_000));
    assert.deepEqual(await readdir(temporary), []);
  });
});
