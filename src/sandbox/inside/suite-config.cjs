// Completes the Playwright configuration that the user wrote for a test suite.
"use strict";

const { appendFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname } = require("node:path");
const { pagesFile } = require("./events.cjs");

const temporary = `${process.env.VEDETTE_ROOT}/tmp`;
const timeout = Number(process.env.VEDETTE_TIMEOUT_MS);

/**
 * Default number of workers. Existing suites rely on this default and on the default number of
 * retries below.
 */
const usualWorkers = 4;
const usualRetries = 2;

/** Returns the copy of Playwright that the tests use, and the path of its `package.json`. */
function loadPlaywright() {
  const names = ["@playwright/test", "playwright", "playwright-core"];
  const path = names.reduce(
    (from, name) => createRequire(from).resolve(`${name}/package.json`),
    `${__dirname}/suite-config.cjs`,
  );
  return { playwright: require(dirname(path)), path };
}

// The test runner loads the configuration again in each worker process that runs tests.
if (process.env.TEST_WORKER_INDEX !== undefined) {
  const { watchPages } = require("./pages.cjs");
  const emit = (page) => appendFileSync(pagesFile, `${JSON.stringify(page)}\n`);
  const { playwright, path } = loadPlaywright();
  watchPages(playwright, emit, path);
}

/** Returns the exported configuration, which may be nested in up to two default exports. */
function unwrap(loaded) {
  const first = loaded?.default ?? loaded ?? {};
  return first.default ?? first;
}

exports.completeConfig = (loaded) => {
  const own = unwrap(loaded);
  return {
    ...own,
    workers: own.workers ?? usualWorkers,
    retries: own.retries ?? usualRetries,
    globalTimeout: Math.min(own.globalTimeout || timeout, timeout),
    outputDir: `${temporary}/results`,
    reporter: [[`${__dirname}/reporter.cjs`]],
    use: {
      screenshot: "only-on-failure",
      trace: "retain-on-failure",
      ...own.use,
      proxy: own.use?.proxy ?? { server: process.env.VEDETTE_PROXY },
    },
  };
};
