/**
 * Renders a component, or a screen with given query data, in a simulated window without a browser
 * or server. This is for components that fetch nothing. For a screen that fetches data, use
 * `openScreen`.
 */
import "./module-hooks.ts";
import "./window.ts";
import assert from "node:assert/strict";
import { getTestContext } from "node:test";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  type AnyRoute,
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterContextProvider,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, configure, render } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import type { Role } from "../../../web/api/session.ts";
import { Locator, reportBug, throwReportedBug } from "./locator.ts";

export { throwReportedBug };

configure({ asyncUtilTimeout: Number(process.env.COMPONENT_TIMEOUT_MS ?? 60_000) });

/** A request that a component has sent. */
export interface SentRequest {
  readonly method: string;
  /** Path with the search parameters. */
  readonly path: string;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface PartOptions {
  readonly role?: Role;
  /** Returns the response to a request. If missing, any request fails the test. */
  readonly respond?: (request: SentRequest) => Response;
  /** Address of the screen that contains the component. */
  readonly path?: string;
  /** Whether queries without data send requests. */
  readonly fetches?: boolean;
  /** Data of queries by query key, as if the queries had loaded it. */
  readonly data?: readonly (readonly [key: readonly unknown[], value: unknown])[];
}

/**
 * Creates the parts of the application around a component, so that links work and a user with this
 * role is signed in.
 */
function createFrame({ role = "OWNER", data = [], fetches = false, path = "/" }: PartOptions) {
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createRouter({ routeTree: createRootRoute(), history });
  const client = new QueryClient({
    // The given data is never fetched again.
    defaultOptions: {
      queries: { enabled: fetches, retry: false, staleTime: Number.POSITIVE_INFINITY },
    },
  });
  client.setQueryData(["session"], { role });
  for (const [key, value] of data) client.setQueryData(key, value);
  return ({ children }: { readonly children: ReactNode }) => (
    <MantineProvider withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <RouterContextProvider router={router}>{children}</RouterContextProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

export class Part extends Locator {
  /** Requests that the component has sent, oldest first. */
  readonly sent: readonly SentRequest[];
  readonly #render: (element: ReactNode) => void;
  readonly #press: (keys: string) => Promise<void>;

  constructor(element: ReactNode, options: PartOptions, sent: readonly SentRequest[]) {
    const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
    super({ user, words: "", list: () => [document.body] });
    const wrapper = createFrame(options);
    const { rerender } = render(element, { wrapper, onCaughtError: reportBug });
    this.sent = sent;
    this.#render = rerender;
    this.#press = (keys) => user.keyboard(keys);
  }

  /** Renders the component again with other properties. */
  rerender(element: ReactNode): void {
    this.#render(element);
  }

  /** Presses keys in the focused element, such as `{Escape}`. */
  async keyboard(keys: string): Promise<void> {
    await this.#press(keys);
  }

  /** Returns all displayed text. */
  readText(): string {
    return this.locator(":scope > *").allTextContents().join(" ").trim();
  }

  /** Returns the values of a description list by name. */
  readFacts(): Readonly<Record<string, string>> {
    const terms = this.locator("dt").elements();
    return Object.fromEntries(
      terms.map((term) => [term.textContent, term.nextElementSibling?.textContent ?? ""]),
    );
  }

  /** Returns the cell texts of each table row, without the heading. */
  readRows(): readonly (readonly string[])[] {
    const rows = this.locator("tbody tr").elements();
    return rows.map((row) => [...row.children].map((cell) => cell.textContent ?? ""));
  }
}

/**
 * Number of parts that are rendered. A test may render several parts, which unmount in the order in
 * which they were rendered.
 */
let rendered = 0;
let fetchBefore = globalThis.fetch;
let { error: reportBefore } = console;

/** Records the requests of the component, and responds to them with `respond`. */
function answerRequests(sent: SentRequest[], respond: PartOptions["respond"]): void {
  globalThis.fetch = async (input, init) => {
    const address = typeof input === "string" ? new URL(input, window.location.href) : input;
    const request = new Request(address, init);
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const { method, headers } = request;
    const body = text === "" ? null : JSON.parse(text);
    const one = { method, path: `${pathname}${search}`, body, headers };
    sent.push(one);
    if (respond === undefined) throw new TypeError(`${method} ${one.path} has no response.`);
    return respond(one);
  };
}

/**
 * Replaces the globals that a component uses. Returns a function that restores them after the last
 * part.
 */
function replaceGlobals(
  sent: SentRequest[],
  complaints: string[],
  respond: PartOptions["respond"],
): () => void {
  if (rendered === 0) {
    fetchBefore = globalThis.fetch;
    ({ error: reportBefore } = console);
  }
  rendered += 1;
  answerRequests(sent, respond);
  console.error = (...words: unknown[]) => void complaints.push(words.map(String).join(" "));
  return () => {
    rendered -= 1;
    if (rendered > 0) return;
    globalThis.fetch = fetchBefore;
    console.error = reportBefore;
  };
}

/**
 * Returns the response of an API that rejects a request. The keys of `fieldErrors` are field paths.
 */
export function rejectRequest(
  status: number,
  message: string,
  fieldErrors: Readonly<Record<string, string>> = {},
): Response {
  const keys = Object.keys(fieldErrors);
  const details = keys.length === 0 ? {} : { fieldErrors, validation: { source: "body", keys } };
  return Response.json({ statusCode: status, error: "Rejected", message, ...details }, { status });
}

/** Renders a component until the end of the test. Fails the test if React reports an error. */
export function renderPart(element: ReactNode, options: PartOptions = {}): Part {
  const context = getTestContext();
  if (context === undefined || !("after" in context)) throw new Error("There is no test.");
  const complaints: string[] = [];
  const sent: SentRequest[] = [];
  const restore = replaceGlobals(sent, complaints, options.respond);
  context.after(() => {
    cleanup();
    restore();
    throwReportedBug();
    assert.deepEqual(complaints, [], "errors of the component");
  });
  return new Part(element, options, sent);
}

/** The properties of a lazy route that a test needs. */
interface ScreenRoute {
  readonly options: { readonly id: string; readonly component?: AnyRoute["options"]["component"] };
}

export interface ScreenAddress {
  /** Values of the path parameters by name. */
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
  /** Fragment of the address, including the number sign. */
  readonly hash?: string;
}

/** Renders the component of a route as if its address were open. */
export async function renderScreen(
  { options: { id, component } }: ScreenRoute,
  options: PartOptions & ScreenAddress = {},
): Promise<Part> {
  const path = id.replace(/^\/(?:signed-in\/)?/, "") || "/";
  const root = createRootRoute();
  const frame = createRoute({ getParentRoute: () => root, id: "signed-in" });
  const isSignedIn = id.startsWith("/signed-in/");
  const screen = createRoute({
    getParentRoute: (): AnyRoute => (isSignedIn ? frame : root),
    path,
    ...(component && { component }),
  });
  const filled = path.replaceAll(/\$(\w+)/g, (_, name) => options.params?.[name] ?? "");
  const search = new URLSearchParams(
    Object.entries(options.search ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  const router = createRouter({
    routeTree: root.addChildren([isSignedIn ? frame.addChildren([screen]) : screen]),
    defaultNotFoundComponent: () => null,
    history: createMemoryHistory({
      initialEntries: [`/${filled.replace(/^\//, "")}?${search}${options.hash ?? ""}`],
    }),
  });
  await router.load();
  return renderPart(<RouterProvider router={router} />, options);
}
