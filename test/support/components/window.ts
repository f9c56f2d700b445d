/**
 * Gives this process the globals of a browser window without a browser. The server of the tests
 * runs in the same process, so the globals that Node has itself are not replaced, except those that
 * belong to the window, such as its storage, navigator and events.
 */
import { Window } from "happy-dom";
import React from "react";
import { endWithProcess } from "../runner/process-end.ts";
import { openPopover, replaceComputedStyle, type TestElement } from "./computed-style.ts";

/** Origin of the application. Requests to this origin go to the server of the open screen. */
export const pageOrigin = "http://vedette.test";

export const viewports = {
  1440: { width: 1440, height: 900 },
  390: { width: 390, height: 844 },
} as const;

export const testWindow = new Window({
  url: `${pageOrigin}/`,
  ...viewports[1440],
  settings: {
    // Frames do not load, because a frame shows a page of the server and browser tests cover such
    // pages.
    disableIframePageLoading: true,
    // The window must not navigate, because the router handles all navigation.
    navigation: { disableMainFrameNavigation: true },
  },
});

const replaced = ["Event", "CustomEvent", "Storage", "localStorage", "sessionStorage", "navigator"];
const isConstructor = (name: string) => /^[A-Z]/.test(name);

function addGlobals(): void {
  const names = Object.getOwnPropertyNames(testWindow);
  for (const name of [...names, "addEventListener", "removeEventListener", "dispatchEvent"]) {
    if (name in globalThis && !replaced.includes(name)) continue;
    const value = Reflect.get(testWindow, name);
    const isBound = typeof value === "function" && !isConstructor(name);
    const bound = isBound ? value.bind(testWindow) : null;
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => bound ?? Reflect.get(testWindow, name),
      set: (next) => Reflect.set(testWindow, name, next),
    });
  }
}

/**
 * Replaces the missing layout: the page has the size of the window, and every other element the
 * height of a list row.
 */
function addSizes(): void {
  const rowHeight = 40;
  const { HTMLElement, Element, DOMRect } = testWindow;
  const measureHeight = (element: unknown) =>
    element === testWindow.document.documentElement ? testWindow.innerHeight : rowHeight;
  for (const prefix of ["offset", "client"]) {
    Object.defineProperties(HTMLElement.prototype, {
      [`${prefix}Width`]: { configurable: true, get: () => testWindow.innerWidth },
      [`${prefix}Height`]: {
        configurable: true,
        get() {
          return measureHeight(this);
        },
      },
    });
  }
  Element.prototype.getBoundingClientRect = function () {
    return new DOMRect(0, 0, testWindow.innerWidth, measureHeight(this));
  };
}

const foreverMs = 2 ** 31 - 1;

/**
 * Makes timers of the application not keep the process alive, as if the page were closed. Finding
 * out who starts a timer would take too long, so this applies to every timer, and a separate
 * interval keeps the process alive during the test run.
 */
function releaseTimers(): void {
  const { setTimeout, setInterval } = globalThis;
  const run = setInterval(() => {}, foreverMs);
  endWithProcess(async () => clearInterval(run));
  const startTimeout = (...rest: Parameters<typeof setTimeout>) => setTimeout(...rest).unref();
  const startInterval = (...rest: Parameters<typeof setInterval>) => setInterval(...rest).unref();
  Object.assign(startTimeout, setTimeout);
  Object.assign(globalThis, { setTimeout: startTimeout, setInterval: startInterval });
}

/**
 * Stops React from recording every render for the profiler and a stack for every element, because
 * this costs more than rendering. React stops recording stacks above a limit per second, so the
 * count is replaced by infinity.
 */
function stopRecording(): void {
  Object.assign(console, { timeStamp: undefined, createTask: undefined });
  const internals = "__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE";
  Object.defineProperty(Reflect.get(React, internals), "recentlyCreatedOwnerStacks", {
    get: () => Number.POSITIVE_INFINITY,
    set: () => {},
  });
}

/** Replaces canvas drawing by functions without effect, because nothing displays the canvas. */
function discardDrawing(): void {
  const discard = () => {};
  const commands = new Proxy(
    { measureText: () => ({ width: 0 }) },
    { get: (own, name) => Reflect.get(own, name) ?? discard, set: () => true },
  );
  Object.assign(testWindow.HTMLCanvasElement.prototype, { getContext: () => commands });
  const path = new Proxy(class {}, { construct: () => new Proxy({}, { get: () => discard }) });
  Object.assign(globalThis, { Path2D: path });
}

/**
 * Adds an empty font set, because happy-dom has no fonts and a text field that grows with its text
 * waits for them.
 */
function addFonts(): void {
  Object.assign(testWindow.document, { fonts: new EventTarget() });
}

/**
 * Adds popovers, which happy-dom lacks. A button with `popoverTarget` opens and closes its popover.
 */
function addPopovers(): void {
  const { document, Event, HTMLElement } = testWindow;
  const toggle = (popover: TestElement, isOpened: boolean) => {
    if (popover.hasAttribute(openPopover) === isOpened) return;
    popover.toggleAttribute(openPopover, isOpened);
    const [oldState, newState] = isOpened ? ["closed", "open"] : ["open", "closed"];
    popover.dispatchEvent(Object.assign(new Event("toggle"), { oldState, newState }));
  };
  Object.assign(HTMLElement.prototype, {
    showPopover(this: TestElement) {
      toggle(this, true);
    },
    hidePopover(this: TestElement) {
      toggle(this, false);
    },
  });
  document.addEventListener("click", ({ target }) => {
    const button = (target as unknown as TestElement).closest("[popovertarget]");
    const popover = document.getElementById(button?.getAttribute("popovertarget") ?? "");
    if (popover !== null) toggle(popover as TestElement, !popover.hasAttribute(openPopover));
  });
}

const findSymbol = (owner: object, name: string) =>
  Object.getOwnPropertySymbols(owner).find(({ description }) => description === name) ?? name;

type Method = (...list: unknown[]) => unknown;

/** Replaces a method of all nodes that happy-dom stores under a symbol. */
function replaceMethod(name: string, create: (before: Method) => Method): void {
  let owner: object = testWindow.document.createElement("p");
  while (findSymbol(owner, name) === name) owner = Object.getPrototypeOf(owner);
  const symbol = findSymbol(owner, name);
  Reflect.set(owner, symbol, create(Reflect.get(owner, symbol)));
}

const watchers = new Set<() => void>();
let isReported = false;

function reportChange(): void {
  isReported = false;
  for (const watch of [...watchers]) watch();
}

/**
 * Calls `onChange` in a microtask after changes of the document. Returns a function that stops
 * this. A `MutationObserver` of happy-dom is slower, because it visits every node when it starts
 * and stops.
 */
export function watchDocument(onChange: () => void): () => void {
  watchers.add(onChange);
  return () => void watchers.delete(onChange);
}

function watchChanges(): void {
  replaceMethod("reportMutation", (report) => {
    return function (this: unknown, record) {
      if (watchers.size > 0 && !isReported) {
        isReported = true;
        queueMicrotask(reportChange);
      }
      return report.call(this, record);
    };
  });
}

/**
 * Makes selects faster. happy-dom lists all options of a select whenever an option is added, so a
 * list of time zones took a tenth of a test's time. The work is skipped if React appends an option
 * to a new select, because the first option stays selected then.
 */
function speedUpSelects(): void {
  const { HTMLSelectElement, document } = testWindow;
  const select = HTMLSelectElement.prototype as unknown as Record<
    symbol | string,
    (option?: unknown) => void
  >;
  const updateName = findSymbol(select, "updateSelectedness");
  const selectedName = findSymbol(document.createElement("option"), "selectedness");
  const update = select[updateName];
  if (update === undefined) throw new Error("Selects of this version of happy-dom differ.");
  select[updateName] = function (this: InstanceType<typeof HTMLSelectElement>, option) {
    const { firstElementChild: first, lastElementChild: last } = this;
    const isAppended = option === undefined && !this.isConnected && last !== first;
    const isSelectable = first?.localName === "option" && !first.hasAttribute("disabled");
    const isSelected = last?.localName !== "option" || Reflect.get(last, selectedName) === true;
    if (isAppended && isSelectable && !isSelected) return;
    update.call(this, option);
  };
}

/** Ignores clicks on download links, because a download must not replace the page. */
function ignoreDownloads(): void {
  const anchor = testWindow.HTMLAnchorElement.prototype;
  const { click } = anchor;
  anchor.click = function () {
    if (!this.hasAttribute("download")) click.call(this);
  };
}

replaceComputedStyle(testWindow);
addGlobals();
discardDrawing();
addFonts();
addPopovers();
ignoreDownloads();
speedUpSelects();
watchChanges();
testWindow.document.documentElement.lang = "en";
addSizes();
stopRecording();
releaseTimers();
