// Watches the pages that a script opens with Playwright: their errors, failed requests and web
// vitals. Also makes Playwright start the browser of this machine. Runs in the process that opens
// the pages, and uses only Playwright's public API, which is the same in all runtimes.
"use strict";

const { existsSync, mkdirSync, readFileSync, symlinkSync } = require("node:fs");
const { dirname, join } = require("node:path");

const proxy = { server: process.env.VEDETTE_PROXY };
const binding = "__vedetteVitals";
const settleMs = 1_000;
const maxPages = 50;
const maxEntries = 20;
const maxTextLength = 500;

/**
 * Measures web vitals in the same way as Chromium does for its users. Playwright runs this function
 * in each page before the page's own scripts.
 */
function observeVitals(report) {
  if (window.top !== window || typeof window[report] !== "function") return;
  const send = window[report];
  const vitals = { document: Math.random(), ttfbMs: null, fcpMs: null, lcpMs: null, cls: null };
  const update = () => {
    const [navigation] = performance.getEntriesByType("navigation");
    if (navigation?.responseStart > 0) vitals.ttfbMs = navigation.responseStart;
    // Before the first paint, the layout cannot shift. The first paint therefore sets the score to
    // 0.
    if (vitals.fcpMs !== null) vitals.cls ??= 0;
    send(vitals).catch(() => {});
  };
  const observe = (type, take) => {
    try {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) take(entry);
        update();
      }).observe({ type, buffered: true });
    } catch {
      // The browser does not support this measurement.
    }
  };
  observe("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") vitals.fcpMs = startTime;
  });
  observe("largest-contentful-paint", ({ startTime }) => {
    vitals.lcpMs = startTime;
  });
  // The score is the highest sum of layout shifts in one window. A window lasts at most 5 s and
  // contains no gap of 1 s or more.
  let sum = 0;
  let [firstMs, lastMs] = [0, 0];
  observe("layout-shift", ({ value, startTime, hadRecentInput }) => {
    if (hadRecentInput) return;
    const isSame = sum > 0 && startTime - lastMs < 1_000 && startTime - firstMs < 5_000;
    if (!isSame) [sum, firstMs] = [0, startTime];
    sum += value;
    lastMs = startTime;
    vitals.cls = Math.max(vitals.cls ?? 0, sum);
  });
  update();
}

/** Resolves after a page has painted its content and its performance observers have run. */
const paint = () =>
  new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resume))));

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes make these longer.
const control = /[\u0000-\u001f]+/g;
/**
 * Shortens a text that describes a page, because all texts about a page are sent as one event and
 * the size of an event is limited. Replaces control characters by spaces, because JSON would escape
 * each of them with several characters.
 */
const cut = (text) => String(text).slice(0, maxTextLength).replace(control, " ");

class PageWatcher {
  #emit;
  #count = 0;
  /**
   * Maps a page to the entry of its current document. An entry collects the errors and web vitals
   * of one document.
   */
  #current = new Map();
  /**
   * Maps a document to its entry. The last web vitals of a document may arrive after the next
   * document has opened.
   */
  #documents = new Map();
  #open = new Set();

  constructor(emit) {
    this.#emit = emit;
    process.once("exit", () => this.#finish(() => true));
  }

  async watchContext(context) {
    context.on("request", (request) => this.#onRequest(request));
    context.on("response", (response) => this.#onResponse(response));
    context.on("requestfailed", (request) => this.#onFailure(request));
    context.on("console", (message) => this.#onConsole(message));
    context.on("weberror", (error) => this.#onError(error));
    context.on("close", () => this.#finish((entry) => entry.context === context));
    await context.exposeBinding(binding, ({ page }, vitals) => this.#onVitals(page, vitals));
    await context.addInitScript(observeVitals, binding);
  }

  listOpen() {
    return [...this.#current.keys()].filter((page) => !page.isClosed());
  }

  #start(page, url, startedAt) {
    const vitals = { ttfbMs: null, fcpMs: null, lcpMs: null, cls: null };
    const lists = { consoleErrors: [], pageErrors: [], requestErrors: [] };
    const shown = { kind: "page", url: cut(url), startedAt, status: null, vitals, ...lists };
    const entry = { context: page.context(), shown };
    this.#count += 1;
    if (this.#count <= maxPages) this.#open.add(entry);
    this.#current.set(page, entry);
    return entry;
  }

  #find(page) {
    return page ? (this.#current.get(page) ?? this.#start(page, page.url(), Date.now())) : null;
  }

  #add(page, list, value) {
    const entries = this.#find(page)?.shown[list];
    if (entries && entries.length < maxEntries) entries.push(value);
  }

  #onRequest(request) {
    const page = findPage(request);
    if (!page || !isDocument(request, page)) return;
    const isRedirect = request.redirectedFrom() !== null && this.#current.has(page);
    if (isRedirect) this.#current.get(page).shown.url = cut(request.url());
    else this.#start(page, request.url(), Date.now());
  }

  #onResponse(response) {
    const request = response.request();
    const page = findPage(request);
    const status = response.status();
    if (!page) return;
    if (isDocument(request, page)) this.#find(page).shown.status = status;
    if (status < 400) return;
    const error = { method: request.method(), url: cut(request.url()), status, error: null };
    this.#add(page, "requestErrors", error);
  }

  #onFailure(request) {
    const reason = request.failure()?.errorText ?? "failed";
    // Ignores requests that were cancelled by a navigation or by the end of the script.
    if (reason === "net::ERR_ABORTED") return;
    const error = { method: request.method(), url: cut(request.url()), status: null, error: cut(reason) };
    this.#add(findPage(request), "requestErrors", error);
  }

  #onConsole(message) {
    const text = message.text();
    // Ignores messages about failed requests, because failed requests are reported separately.
    if (message.type() !== "error" || text.startsWith("Failed to load resource")) return;
    this.#add(message.page(), "consoleErrors", cut(text));
  }

  #onError(webError) {
    const error = webError.error();
    this.#add(webError.page(), "pageErrors", cut(error?.message ?? error));
  }

  #onVitals(page, { document, ...vitals }) {
    // The first report of a document links the document to the current entry of its page. Before
    // its first request, a new page shows an empty document and normally has no entry. The reports
    // of the empty document are then ignored.
    if (!this.#documents.has(document)) this.#documents.set(document, this.#current.get(page));
    const entry = this.#documents.get(document);
    if (entry) entry.shown.vitals = vitals;
  }

  #finish(isOver) {
    for (const entry of this.#open) {
      if (!isOver(entry)) continue;
      this.#open.delete(entry);
      this.#emit(entry.shown);
    }
  }
}

/**
 * Returns the page of a request; `null` for requests of service workers, and for the first request
 * of a popup, which is sent before the page exists.
 */
function findPage(request) {
  try {
    return request.frame().page();
  } catch {
    return null;
  }
}

const isDocument = (request, page) =>
  request.isNavigationRequest() && request.frame() === page.mainFrame();

async function settle(pages) {
  let timer;
  const late = new Promise((resume) => {
    timer = setTimeout(resume, settleMs);
  });
  await Promise.race([Promise.allSettled(pages.map((page) => page.evaluate(paint))), late]);
  clearTimeout(timer);
}

const patched = new WeakSet();

/** Replaces methods for all objects of a class. A second call for the same class has no effect. */
function patch(object, methods) {
  const prototype = Object.getPrototypeOf(object);
  if (patched.has(prototype)) return;
  patched.add(prototype);
  for (const [name, wrap] of Object.entries(methods)) prototype[name] = wrap(prototype[name]);
}

const ffmpeg = "/usr/bin/ffmpeg";

/** Links ffmpeg, which records videos, to the path where Playwright's installer would put it. */
function provideFfmpeg(folder) {
  try {
    const { browsers } = JSON.parse(readFileSync(join(folder, "browsers.json"), "utf8"));
    const { revision } = browsers.find(({ name }) => name === "ffmpeg");
    const place = join(process.env.PLAYWRIGHT_BROWSERS_PATH, `ffmpeg-${revision}`);
    mkdirSync(place, { recursive: true });
    symlinkSync(ffmpeg, join(place, "ffmpeg-linux"));
  } catch {
    // Another process of the run has already created the link.
  }
}

const noVideo =
  "There is no ffmpeg on this machine, so no video was recorded. Run `apt install ffmpeg` on it.";

/**
 * Disables video recording if this machine has no ffmpeg, so that the script does not fail because
 * of the machine.
 */
function adaptContext(options, emit) {
  if (options?.recordVideo === undefined || existsSync(ffmpeg)) return options;
  const { recordVideo: _recordVideo, ...others } = options;
  emit({ kind: "log", level: "warn", text: noVideo, at: Date.now() });
  return others;
}

/**
 * Arguments for Chromium that set the URLs of two services of its vendor to a closed local port.
 * Without these arguments, the full version of Chromium contacts both services in every run.
 */
const nowhere = "http://127.0.0.1:1/";
const quietArguments = [
  `--component-updater=url-source=${nowhere}`,
  `--autofill-server-url=${nowhere}`,
];

/**
 * Adapts launch options: replaces the browser that the script specifies by the browser of this
 * machine, and uses the proxy by default.
 */
function adaptLaunch(options = {}) {
  const { channel: _channel, ...others } = options;
  const executablePath = process.env.VEDETTE_CHROMIUM;
  const args = [...quietArguments, ...(others.args ?? [])];
  return { proxy, ...others, args, executablePath, chromiumSandbox: false };
}

/**
 * Makes a copy of Playwright use the browser of this machine and report pages to `emit`. `path` is
 * the path of the `package.json` of this copy.
 */
exports.watchPages = (playwright, emit, path = require.resolve("playwright-core/package.json")) => {
  if (existsSync(ffmpeg)) provideFfmpeg(dirname(path));
  const watcher = new PageWatcher(emit);
  const watch = async (context) => {
    patch(context, {
      close: (close) =>
        async function (...list) {
          await settle(this.pages());
          return close.apply(this, list);
        },
    });
    await watcher.watchContext(context);
    return context;
  };
  const watchBrowser = (browser) => {
    patch(browser, {
      newContext: (newContext) =>
        async function (options) {
          return watch(await newContext.call(this, adaptContext(options, emit)));
        },
      close: (close) =>
        async function (...list) {
          await settle(this.contexts().flatMap((context) => context.pages()));
          return close.apply(this, list);
        },
    });
    return browser;
  };
  const { chromium, firefox, webkit } = playwright;
  patch(chromium, {
    launch: (launch) =>
      async function (options) {
        if (this === firefox || this === webkit) throw new Error(onlyChromium);
        return watchBrowser(await launch.call(this, adaptLaunch(options)));
      },
    launchPersistentContext: (launch) =>
      async function (folder, options) {
        if (this === firefox || this === webkit) throw new Error(onlyChromium);
        const adapted = adaptLaunch(adaptContext(options, emit));
        return watch(await launch.call(this, folder, adapted));
      },
  });
  return watcher;
};

const onlyChromium = "Browser checks run in Chromium. Use chromium instead of firefox and webkit.";
