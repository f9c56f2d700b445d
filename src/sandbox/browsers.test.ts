import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findBrowser, findBrowserDenial } from "./browsers.ts";

test("a browser outside of the system's folders is mounted with its files", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "browser-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "chrome");
  writeFileSync(path, "", { mode: 0o755 });
  const found = findBrowser(path);
  assert.ok("executable" in found);
  assert.equal(found.executable, "/vedette/browser/chrome");
  assert.deepEqual(found.mounts.at(-1), { source: folder, target: "/vedette/browser" });
});

test("a missing browser is reported with the command that installs one", () => {
  const found = findBrowser("/nowhere/chromium");
  assert.ok("reason" in found);
  assert.match(
    found.reason,
    /SCRIPT_CHROMIUM is \/nowhere\/chromium.*apt install chromium-headless-shell/,
  );
});

test("without namespaces, only the whole Chromium is denied", () => {
  assert.match(
    findBrowserDenial({ path: "/usr/lib/chromium/chromium" }) ?? "",
    /cannot run without namespaces.*apt install chromium-headless-shell/,
  );
  assert.equal(findBrowserDenial({ path: "/usr/lib/chromium/chromium-headless-shell" }), null);
  assert.equal(findBrowserDenial({ path: "/opt/chrome-headless-shell" }), null);
});
