/**
 * Opens a screen of the web application in a simulated window, against a real server in this
 * process. This is for tests of behaviour. `test/browser` covers layout, styles and the browser
 * itself.
 */
import "./module-hooks.ts";
import "./window.ts";
import "./requests.ts";
import assert from "node:assert/strict";
import { getTestContext } from "node:test";
import { cleanup, configure, render } from "@testing-library/react";
import { type UserEvent, userEvent } from "@testing-library/user-event";
import type { Role } from "../../../web/api/session.ts";
import { waitUntil } from "../time/wait-until.ts";
import { complaints, Locator, reportBug, throwReportedBug } from "./locator.ts";
import { type ServedApp, signInAs } from "./product.ts";
import { type Connection, connect, type Fault, faultRequestId } from "./requests.ts";
import { testWindow, viewports } from "./window.ts";

export {
  addMember,
  loadHistories,
  loadRunFiles,
  loadScriptedApps,
  loadSecondFactors,
  type ServedApp,
  shareTestApp,
  signIn,
  startTestApp,
  systemClock,
} from "./product.ts";

export { faultRequestId };

// The timeout is long, because a long timeout costs nothing if the condition is met and avoids
// false alarms on a busy machine.
configure({ asyncUtilTimeout: Number(process.env.COMPONENT_TIMEOUT_MS ?? 60_000) });

// Imported after the window is set up, because the application uses the window as soon as it is
// loaded.
const { Application } = await import("../../../web/app/application.tsx");
const { createAppRouter } = await import("../../../web/app/router.tsx");
const { returnAfterSignIn } = await import("../../../web/app/application.tsx");
const { createQueryClient } = await import("../../../web/api/query-client.ts");
const { ApiError } = await import("../../../web/api/api-error.ts");

export interface ScreenOptions {
  /** Role of the signed-in user; `null` if nobody is signed in. */
  readonly role?: Role | null;
  readonly width?: keyof typeof viewports;
}

/** axe rules that need values only a browser computes, such as colours and sizes. */
const browserRules = [
  "avoid-inline-spacing",
  "color-contrast",
  "css-orientation-lock",
  "link-in-text-block",
  "scrollable-region-focusable",
  "target-size",
];

async function findAccessFaults(): Promise<readonly string[]> {
  const { default: axe } = await import("axe-core");
  // Without `noHtml`, axe serialises every element that it checks, which is slow.
  axe.configure({ noHtml: true });
  const { violations } = await axe.run(document, {
    preload: false,
    iframes: false,
    rules: Object.fromEntries(browserRules.map((rule) => [rule, { enabled: false }])),
    // Without this option, axe describes every element that passes, which is slow.
    resultTypes: ["violations"],
    selectors: false,
    elementRef: true,
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ element }) => `${id}: ${element?.outerHTML.slice(0, 300)}`),
  );
}

/**
 * Handles an error like `web/app/main.tsx`: a failed request is already shown on the screen, and
 * any other error is a bug.
 */
function reportCaught(error: unknown): void {
  if (error instanceof ApiError) complaints.push(`A request failed: ${error.message}`);
  else reportBug(error);
}

/** Mounts the application at the current address. Returns a function that unmounts it. */
function mount(): () => void {
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient);
  const stopReturning = returnAfterSignIn(router, queryClient);
  render(<Application queryClient={queryClient} router={router} />, {
    onCaughtError: reportCaught,
  });
  return () => {
    // Notices are dismissed, because they stay open after their screen is unmounted.
    for (const button of document.querySelectorAll<HTMLElement>("[aria-label=Dismiss]")) {
      button.click();
    }
    cleanup();
    document.body.replaceChildren();
    stopReturning();
    router.history.destroy();
    queryClient.clear();
  };
}

/**
 * Records the console errors and warnings of the application. Returns a function that stops the
 * recording.
 */
function watchConsole(): () => void {
  const { error, warn } = console;
  complaints.splice(0);
  const describe = (word: unknown) => (word instanceof Error ? word.stack : String(word));
  const record = (...words: unknown[]) => complaints.push(words.map(describe).join(" "));
  Object.assign(console, { error: record, warn: record });
  return () => Object.assign(console, { error, warn });
}

async function findCookies(app: ServedApp, role: Role | null): Promise<Map<string, string>> {
  if (role === null) return new Map();
  const [name = "", ...value] = (await signInAs(app, role)).split("=");
  return new Map([[name, value.join("=")]]);
}

export class Screen extends Locator {
  readonly user: UserEvent;
  readonly #connection: Connection;
  readonly #stopWatching = watchConsole();
  #unmount: () => void;
  #isOpen = true;
  #isBroken = false;

  constructor(connection: Connection) {
    const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
    super({ user, words: "", list: () => [document.body] });
    this.user = user;
    this.#connection = connection;
    this.#unmount = mount();
  }

  /** Path and search parameters of the current address. */
  get address(): string {
    return `${location.pathname}${location.search}`;
  }

  /** Method and path of each request, oldest first. */
  get requested(): readonly string[] {
    return this.#connection.requested;
  }

  /** Cookies of the window by name. Clearing them ends the session. */
  get cookies(): Map<string, string> {
    return this.#connection.cookies;
  }

  /**
   * Loads the application at another address, like a browser. Storage and cookies do not change.
   */
  goto(path: string): void {
    this.#unmount();
    history.replaceState(null, "", path);
    this.#unmount = mount();
  }

  reload(): void {
    this.goto(this.address);
  }

  /** Presses keys in the focused element, such as `{Escape}` or `{Control>}k{/Control}`. */
  async keyboard(keys: string): Promise<void> {
    await this.user.keyboard(keys);
  }

  async waitForAddress(pattern: RegExp): Promise<void> {
    await waitUntil(`the address matches ${pattern}`, () => pattern.test(this.address));
  }

  /** Presses a button after the session has ended. */
  async pressSignedOut(name: string): Promise<void> {
    const button = await this.getByRole("button", { name, exact: true }).first().element();
    this.cookies.clear();
    await this.user.click(button);
  }

  /**
   * Loses the next response to a request for the path, after the server has handled the request.
   */
  loseResponse(path: string): void {
    this.#connection.lost.add(path);
  }

  /**
   * Makes every request fail whose method and path match, such as `/^DELETE \/v1\/variables/`,
   * until `restoreApi` is called. The server does not receive these requests.
   */
  breakApi(pattern: RegExp, fault: Partial<Omit<Fault, "pattern">> = {}): void {
    const { status = 500, message = "It broke." } = fault;
    this.#connection.faults.push({ pattern, status, message });
    this.expectFault();
  }

  /**
   * Allows errors of failed requests. A test must call this before it opens the address of an
   * object that does not exist.
   */
  expectFault(): void {
    this.#isBroken = true;
  }

  /** Whether a recorded error is about a failed request that the screen has already shown. */
  #isOfFault(complaint: string): boolean {
    return this.#isBroken && /A request failed|Error in route match/.test(complaint);
  }

  restoreApi(): void {
    this.#connection.faults.splice(0);
  }

  /**
   * Fails if axe finds an accessibility fault. Contrast and sizes are not checked, because they
   * need a browser.
   */
  async audit(): Promise<void> {
    await this.getByRole("heading", { level: 1 }).first().waitFor();
    assert.deepEqual(await findAccessFaults(), [], this.address);
  }

  /** Closes the screen. Fails if the application has reported an error. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#unmount();
    // The application is released here, because the test runner references this screen until the
    // process ends.
    this.#unmount = () => {};
    localStorage.clear();
    sessionStorage.clear();
    connect(null);
    this.#stopWatching();
    throwReportedBug();
    const unexpected = complaints.filter((words) => !this.#isOfFault(words));
    assert.deepEqual(unexpected, [], "errors of the application");
  }
}

let current: Screen | null = null;

/**
 * Opens the application at a path. The screen closes at the end of the test, or when the test opens
 * another screen.
 */
export async function openScreen(
  app: ServedApp,
  path: string,
  { role = "OWNER", width = 1440 }: ScreenOptions = {},
): Promise<Screen> {
  current?.close();
  const connection = {
    app,
    cookies: await findCookies(app, role),
    requested: [],
    lost: new Set<string>(),
    faults: [],
  };
  connect(connection);
  testWindow.happyDOM.setViewport(viewports[width]);
  history.replaceState(null, "", path);
  const screen = new Screen(connection);
  const context = getTestContext();
  if (context === undefined || !("after" in context)) throw new Error("There is no test.");
  context.after(() => screen.close());
  current = screen;
  return screen;
}
