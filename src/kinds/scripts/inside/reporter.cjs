// Reporter for Playwright's test runner. Sends steps, output and errors while the tests run.
"use strict";
const { existsSync, readFileSync } = require("node:fs");
const {
  pagesFile,
  toErrorEvent,
  watchFiles,
  writeAsset,
  writeEvent,
  writeFileAsset,
  writeLine,
  writeLog,
} = require("./events.cjs");

const categories = {
  "test.step": "step",
  expect: "expect",
  "pw:api": "api",
  hook: "hook",
  fixture: "fixture",
};

const shorten = (error) => (error ? String(toErrorEvent(error).message).slice(0, 2_000) : null);

const noticeableMs = 100;

/** Returns whether a step is a fast and successful hook or fixture, which is not reported. */
function isRoutine({ category, error, duration }) {
  const isOwn = category === "hook" || category === "fixture";
  return isOwn && !error && duration < noticeableMs;
}

/**
 * Returns whether a step is a call from pages.cjs. Some versions of Playwright report these calls
 * without a title.
 */
const isOurs = ({ title, location }) => title === "" || location?.file.startsWith(__dirname);

/** Returns whether an attachment is internal. Errors are reported separately. */
const isOwn = ({ name }) => /^(?:_|error-context)/.test(name);

function sendAttachment({ name, contentType, path, body }) {
  const known = ["screenshot", "trace", "video"].find((type) => type === name);
  const type = known ?? (contentType.startsWith("image/") ? "screenshot" : undefined);
  if (path !== undefined) writeFileAsset(path, type);
  else if (body !== undefined) writeAsset(type ?? "file", name, body);
}

function sendPages() {
  if (!existsSync(pagesFile)) return;
  for (const line of readFileSync(pagesFile, "utf8").trim().split("\n")) writeLine(line);
}

/** Whether the run is a suite with several tests, projects and files instead of one script. */
const isSuite = process.env.VEDETTE_SUITE !== undefined;

function nameTest(test, { retry }) {
  const names = test.titlePath().slice(isSuite ? 1 : 3);
  return `${names.filter((name) => name !== "").join(" › ")}${retry > 0 ? ` (retry ${retry})` : ""}`;
}

/** Returns whether a step of a suite is a successful inner call, of which suites have too many. */
const isDetail = ({ category, error }) =>
  isSuite && (category === "pw:api" || category === "expect") && !error;

function sendErrors({ errors }) {
  for (const error of errors) writeEvent(toErrorEvent(error));
}

const sendNewFiles = watchFiles();
process.once("exit", () => {
  sendPages();
  sendNewFiles();
});

module.exports = class EventReporter {
  /** Numbers of test results, which group the steps of one test when tests run in parallel. */
  #groups = new Map();
  /** Failed results of tests to retry. Their errors are sent only if the retry never runs. */
  #retried = new Map();

  #lastGroup = 0;

  #findGroup(result) {
    if (!this.#groups.has(result)) {
      this.#lastGroup += 1;
      this.#groups.set(result, this.#lastGroup);
    }
    return this.#groups.get(result);
  }

  printsToStdio() {
    return true;
  }

  onTestBegin(_test, result) {
    this.#findGroup(result);
  }

  onStepEnd(_test, result, step) {
    const category = categories[step.category];
    if (category === undefined || isRoutine(step) || isOurs(step) || isDetail(step)) return;
    let depth = 1;
    for (let parent = step.parent; parent; parent = parent.parent) {
      // Skips steps in a fixture: only its end shows whether the fixture itself is reported.
      if (parent.category === "fixture") return;
      depth += 1;
    }
    writeEvent({
      kind: "step",
      title: step.subtitle ? `${step.title} ${step.subtitle}` : step.title,
      category,
      depth,
      group: this.#findGroup(result),
      startedAt: step.startTime.getTime(),
      durationMs: step.duration,
      error: shorten(step.error),
    });
  }

  onTestEnd(test, result) {
    writeEvent({
      kind: "step",
      title: nameTest(test, result),
      category: "test",
      depth: 0,
      group: this.#findGroup(result),
      startedAt: result.startTime.getTime(),
      durationMs: result.duration,
      error: shorten(result.error),
    });
    const isExpected = test.outcome() === "expected" || test.outcome() === "flaky";
    this.#groups.delete(result);
    this.#retried.delete(test.id);
    if (!isExpected && result.retry < test.retries) this.#retried.set(test.id, { test, result });
    else if (!isExpected) sendErrors(result);
    for (const attachment of result.attachments) if (!isOwn(attachment)) sendAttachment(attachment);
  }

  onError(error) {
    writeEvent(toErrorEvent(error));
  }

  onStdOut(chunk) {
    writeLog("info", chunk);
  }

  onStdErr(chunk) {
    writeLog("error", chunk);
  }

  onEnd({ status }) {
    // Sends the errors of tests whose retry never ran, because the suite ended before.
    for (const { test, result } of this.#retried.values()) {
      if (test.outcome() === "unexpected") sendErrors(result);
    }
    writeEvent({ kind: "end", status });
  }
};
