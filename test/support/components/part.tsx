/**
 * Renders one component, or a screen with the data that its queries have loaded, in a window
 * without a browser and without a server: for what fetches nothing. A screen that does is opened
 * with `openScreen`.
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
  /** With the search parameters. */
  readonly path: string;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface PartOptions {
  readonly role?: Role;
  /** Responds to what the component sends. Without it, a request fails the test. */
  readonly respond?: (request: SentRequest) => Response;
  /** Address of the screen that the part is on. */
  readonly path?: string;
  /** Whether queries without data fetch it. */
  readonly fetches?: boolean;
  /** What queries have loaded, by their keys. */
  readonly data?: readonly (readonly [key: readonly unknown[], value: unknown])[];
}

/** A part with the application around it: links work, and a user with this role is signed in. */
function createFrame({ role = "OWNER", data = [], fetches = false, path = "/" }: PartOptions) {
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createRouter({ routeTree: createRootRoute(), history });
  const client = new QueryClient({
    // Seeded data is never fetched again.
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
  /** What the component has sent, in order. */
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

  /** Renders it again with other properties. */
  rerender(element: ReactNode): void {
    this.#render(element);
  }

  /** Presses keys in the focused element, such as `{Escape}`. */
  async keyboard(keys: string): Promise<void> {
    await this.#press(keys);
  }

  /** The whole text that is shown. */
  readText(): string {
    return this.locator(":scope > *").allTextContents().join(" ").trim();
  }

  /** Values of a list of names and values, by name. */
  readFacts(): Readonly<Record<string, string>> {
    const terms = this.locator("dt").elements();
    return Object.fromEntries(
      terms.map((term) => [term.textContent, term.nextElementSibling?.textContent ?? ""]),
    );
  }

  /** Texts of the cells, row by row, without the heading. */
  readRows(): readonly (readonly string[])[] {
    const rows = this.locator("tbody tr").elements();
    return rows.map((row) => [...row.children].map((cell) => cell.textContent ?? ""));
  }
}

/** A test may render several parts, which end in the order in which they were rendered. */
let rendered = 0;
let fetchBefore = globalThis.fetch;
let { error: reportBefore } = console;

/** Answers requests with `respond`, and records them. */
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

/** Replaces what parts use of the process. Returns how to restore it after the last part. */
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

/** The response of an API that rejects a request; `fieldErrors` are by the path of the field. */
export function rejectRequest(
  status: number,
  message: string,
  fieldErrors: Readonly<Record<string, string>> = {},
): Response {
  const keys = Object.keys(fieldErrors);
  const details = keys.length === 0 ? {} : { fieldErrors, validation: { source: "body", keys } };
  return Response.json({ statusCode: status, error: "Rejected", message, ...details }, { status });
}

/** Renders a component until the end of the test. Fails if React reports an error. */
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

/** The part of a lazy route that a test needs. */
interface ScreenRoute {
  readonly options: { readonly id: string; readonly component?: AnyRoute["options"]["component"] };
}

export interface ScreenAddress {
  /** Values of the parameters in the path, by name. */
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
  /** With its number sign. */
  readonly hash?: string;
}

/** Renders the component of a route at its address. */
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
