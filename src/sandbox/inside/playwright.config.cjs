// Configuration of Playwright's test runner for one script.
"use strict";

const { appendFileSync } = require("node:fs");
const { pagesFile } = require("./events.cjs");

const folder = `${process.env.VEDETTE_ROOT}/script`;
const temporary = `${process.env.VEDETTE_ROOT}/tmp`;
const usesBrowser = process.env.VEDETTE_CHROMIUM !== undefined;
/** The test runner loads this file a second time, in the worker process that runs the tests. */
const isWorker = process.env.TEST_WORKER_INDEX !== undefined;
if (isWorker && process.env.VEDETTE_ROOT === "") require("./network.cjs").redirectConnections();
if (isWorker && usesBrowser) {
  const { watchPages } = require("./pages.cjs");
  const emit = (page) => appendFileSync(pagesFile, `${JSON.stringify(page)}\n`);
  watchPages(require("playwright-core"), emit);
}

const timeout = Number(process.env.VEDETTE_TIMEOUT_MS);

module.exports = {
  testDir: folder,
  testMatch: `${folder}/${process.env.VEDETTE_SCRIPT}`,
  outputDir: `${temporary}/results`,
  workers: 1,
  retries: 0,
  timeout,
  globalTimeout: timeout,
  reporter: [[`${__dirname}/reporter.cjs`]],
  use: {
    proxy: { server: process.env.VEDETTE_PROXY },
    ...(usesBrowser && { screenshot: "only-on-failure", trace: "retain-on-failure" }),
  },
};
