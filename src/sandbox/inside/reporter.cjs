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

/** Returns whether a step is a hook or fixture that passed quickly. Such steps are not reported. */
function isRoutine({ category, error, duration }) {
  const isOwn = category === "hook" || category === "fixture";
  return isOwn && !error && duration < noticeableMs;
}

/**
 * Returns whether pages.cjs caused a step. Some versions of Playwright report such steps without a
 * title.
 */
const isOurs = ({ title, location }) => title === "" || location?.file.startsWith(__dirname);

/**
 * Returns whether an attachment is internal to Playwright or describes an error. Errors are
 * reported separately.
 */
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

/**
 * Whether the run executes a suite, with several tests, projects and files, instead of one script.
 */
const isSuite = process.env.VEDETTE_SUITE !== undefined;

function nameTest(test, { retry }) {
  const names = test.titlePath().slice(isSuite ? 1 : 3);
  return `${names.filter((name) => name !== "").join(" › ")}${retry > 0 ? ` (retry ${retry})` : ""}`;
}

/**
 * Returns whether a step is a successful API call or assertion of a suite. Suites have too many
 * such steps to report them.
 */
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
  /**
   * Maps each attempt of a test to a group number. Every event about a step of the attempt contains
   * this number, because the steps of tests that run in parallel are reported in mixed order.
   */
  #groups = new Map();
  /**
   * Failed results of tests that are to be retried. Their errors are sent only if the retry does
   * not run.
   */
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
      // Skips steps inside a fixture. When such a step ends, it is still unknown whether the
      // fixture will be reported: a fixture that passes quickly is not reported.
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
    // If the suite ended before a retry could run, sends the errors of the failed attempt.
    for (const { test, result } of this.#retried.values()) {
      if (test.outcome() === "unexpected") sendErrors(result);
    }
    writeEvent({ kind: "end", status });
  }
};
