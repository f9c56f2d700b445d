// This module is loaded before a script that runs without Playwright's test runner. It sends the
// output, the uncaught error and the new files of the script, and watches the pages of a browser
// check.
"use strict";
const Module = require("node:module");
const { format } = require("node:util");
const { install } = require("./compile.cjs");
const { redirectConnections } = require("./network.cjs");
const { toErrorEvent, watchFiles, writeAsset, writeEvent, writeLog } = require("./events.cjs");

const levels = { debug: "debug", log: "info", info: "info", warn: "warn", error: "error" };
for (const [method, level] of Object.entries(levels)) {
  console[method] = (...values) => writeLog(level, format(...values));
}
process.on("uncaughtExceptionMonitor", (error) => writeEvent(toErrorEvent(error)));
install();
if (process.env.VEDETTE_ROOT === "") redirectConnections();
process.once("exit", watchFiles());

if (process.env.VEDETTE_CHROMIUM !== undefined) watchBrowser();

function watchBrowser() {
  const { watchPages } = require("./pages.cjs");
  const load = Module._load;
  let watcher = null;
  // Waits until the script itself loads Playwright, because loading Playwright takes longer than
  // many scripts run.
  Module._load = function (request, ...others) {
    const loaded = load.call(this, request, ...others);
    const isPlaywright = watcher === null && request === "playwright-core" && loaded.chromium;
    if (isPlaywright) watcher = watchPages(loaded, writeEvent);
    return loaded;
  };
  process.on("uncaughtException", async () => {
    // The script has its own handler for uncaught errors.
    if (process.listenerCount("uncaughtException") > 1) return;
    await sendScreenshots(watcher?.listOpen() ?? []);
    process.exit(1);
  });
}

const maxScreenshots = 5;

async function sendScreenshots(pages) {
  for (const [index, page] of pages.slice(0, maxScreenshots).entries()) {
    try {
      const bytes = await page.screenshot({ timeout: 5_000 });
      writeAsset("screenshot", `failed-${index + 1}.png`, bytes);
    } catch {
      // The state of the page does not allow a screenshot.
    }
  }
}
