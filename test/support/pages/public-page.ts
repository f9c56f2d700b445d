/**
 * Opens a public page, such as a status page or a dashboard, in a simulated window. The HTML comes
 * from the server, the page's script runs unchanged, and the test controls the clock. This is for
 * tests of behaviour. `test/browser` covers layout, styles and the content security policy.
 */
import { type HTMLElement, Window } from "happy-dom";
import { PageClock } from "./page-clock.ts";

interface StreamEvents {
  onopen?: () => void;
  onerror?: () => void;
}

export interface PublicPageOptions {
  readonly now: Date;
  readonly width?: number;
  /** Time zone of the reader. */
  readonly timeZone?: string;
  readonly hasScript?: boolean;
  /**
   * Behaviour of an event stream: it stays open with a beat every 20 seconds, closes as soon as it
   * has opened, or cannot be opened.
   */
  readonly stream?: "steady" | "dropped" | "rejected";
}

/** Response whose body has already arrived, so that reading the body takes no further tick. */
interface ReadResponse extends Pick<Response, "ok" | "status" | "headers" | "redirected"> {
  readonly text: () => Promise<string>;
  readonly json: () => Promise<unknown>;
}

async function readResponse(response: Response): Promise<ReadResponse> {
  const { ok, status, headers } = response;
  const body = await response.text();
  // Only `goto` follows redirects, so a response with a `location` header is still a redirect here.
  const isRedirect = headers.has("location");
  const json = async () => JSON.parse(body);
  return { ok, status, headers, redirected: isRedirect, text: async () => body, json };
}

/** Responds to a request in place of the server. `null` means that the server responds. */
export type Responder = (url: string) => Response | null;

const beatMs = 20_000;
const maxRedirects = 5;

export class PublicPage {
  readonly clock: PageClock;
  /** All requested addresses, oldest first. */
  readonly requested: string[] = [];
  /** Number of event streams that the page has opened. */
  streams = 0;
  isOffline = false;
  respond: Responder = () => null;
  readonly #cookies = new Map<string, string>();
  readonly #options: PublicPageOptions;
  readonly #storages = { localStorage: new Map(), sessionStorage: new Map() } as const;
  /** Requests and navigations that are in progress. */
  readonly #open = new Set<Promise<unknown>>();
  #window: Window;
  /** Sends an event through the open event stream. */
  #emit: (name: string) => void = () => {};

  constructor(options: PublicPageOptions) {
    this.#options = options;
    this.clock = new PageClock(options.now);
    this.#window = new Window();
  }

  get document() {
    return this.#window.document;
  }

  get address(): string {
    return this.#window.location.href;
  }

  get title(): string {
    return this.document.title;
  }

  /** Element that has the focus. */
  get focused(): HTMLElement {
    return this.document.activeElement as HTMLElement;
  }

  async #send(url: string, init: RequestInit = {}): Promise<ReadResponse> {
    this.requested.push(url);
    const own = this.respond(url);
    if (own !== null) return readResponse(own);
    if (this.isOffline) throw new TypeError("Failed to fetch");
    const headers = new Headers(init.headers);
    headers.set("cookie", [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const { signal: _ofAnotherWindow, ...rest } = init;
    const response = await fetch(url, { ...rest, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", ...value] = (line.split(";")[0] ?? "").split("=");
      this.#cookies.set(name, value.join("="));
    }
    return readResponse(response);
  }

  #follow<Result>(work: Promise<Result>): Promise<Result> {
    const followed = work.finally(() => this.#open.delete(followed));
    this.#open.add(followed);
    followed.catch(() => {});
    return followed;
  }

  /** Waits until the page has no request in progress. */
  readonly settle = async (): Promise<void> => {
    do {
      await Promise.allSettled(this.#open);
      // The page may send its next request only after it has processed a response.
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#open.size > 0);
  };

  /** Opens an address and returns the status of the response. */
  async goto(address: string): Promise<number> {
    const status = await this.#load(address);
    await this.settle();
    return status;
  }

  /** Loads an address like a browser, with redirects and cookies. */
  async #load(address: string, init: RequestInit = {}): Promise<number> {
    let url = new URL(address, this.address).href;
    let response = await this.#send(url, init);
    for (let count = 0; response.headers.has("location") && count < maxRedirects; count += 1) {
      url = new URL(response.headers.get("location") ?? "", url).href;
      response = await this.#send(url);
    }
    await this.#show(url, await response.text());
    return response.status;
  }

  async #show(url: string, html: string): Promise<void> {
    this.#keepStorage();
    this.clock.clear();
    const { width = 1920 } = this.#options;
    this.#window = new Window({
      url,
      width,
      height: 1080,
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
        disableJavaScriptFileLoading: true,
        disableCSSFileLoading: true,
        handleDisabledFileLoadingAsSuccess: true,
        navigation: { disableMainFrameNavigation: true },
      },
    });
    const window = this.#window;
    for (const [name, items] of Object.entries(this.#storages)) {
      for (const [key, value] of items) Reflect.get(window, name).setItem(key, value);
    }
    window.document.write(html);
    if (this.#options.hasScript !== false) await this.#runScripts();
    window.addEventListener("click", (event) => this.#onClick(event));
    window.addEventListener("submit", (event) => this.#onSubmit(event));
  }

  #keepStorage(): void {
    for (const [name, items] of Object.entries(this.#storages)) {
      const storage: Storage = Reflect.get(this.#window, name);
      for (const key of Object.keys(storage)) items.set(key, storage.getItem(key));
    }
  }

  async #runScripts(): Promise<void> {
    const window = this.#window;
    const { timeZone = "Europe/Berlin" } = this.#options;
    const fetchFromPage = (url: string, init?: RequestInit) =>
      this.#follow(this.#send(new URL(url, this.address).href, init));
    Object.assign(window, this.clock.listGlobals(timeZone), { fetch: fetchFromPage });
    Object.assign(window, { EventSource: this.#createStream() });
    window.location.reload = () => void this.#follow(this.#load(this.address));
    window.location.assign = (url) => void this.#follow(this.#load(String(url)));
    for (const script of window.document.querySelectorAll("script[src]")) {
      const source = new URL(script.getAttribute("src") ?? "", this.address).href;
      window.eval(await (await this.#send(source)).text());
    }
    window.document.dispatchEvent(new window.Event("DOMContentLoaded"));
  }

  #createStream(): unknown {
    const { stream = "steady" } = this.#options;
    const page = this;
    const { EventTarget, Event, setTimeout, setInterval } = this.#window;
    return class extends EventTarget implements StreamEvents {
      onopen?: () => void;
      onerror?: () => void;
      constructor() {
        super();
        page.streams += 1;
        page.#emit = (name) => void this.dispatchEvent(new Event(name));
        setTimeout(() => {
          if (stream !== "rejected") this.onopen?.();
          if (stream !== "steady") this.onerror?.();
        }, 0);
        if (stream === "steady") setInterval(() => this.dispatchEvent(new Event("beat")), beatMs);
      }
      close(): void {}
    };
  }

  #onClick(event: { readonly target: unknown; readonly defaultPrevented: boolean }): void {
    const link = (event.target as HTMLElement | null)?.closest("a[href]");
    const href = link?.getAttribute("href") ?? "#";
    if (event.defaultPrevented || href.startsWith("#")) return;
    void this.#follow(this.#load(href));
  }

  #onSubmit(event: { readonly target: unknown; readonly defaultPrevented: boolean }): void {
    if (event.defaultPrevented) return;
    const form = event.target as HTMLElement;
    const fields = [...new this.#window.FormData(form as never)] as [string, string][];
    const body = new URLSearchParams(fields).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const action = form.getAttribute("action") ?? this.address;
    void this.#follow(this.#load(action, { method: "POST", body, headers }));
  }

  list(selector: string): readonly HTMLElement[] {
    return [...this.document.querySelectorAll(selector)] as HTMLElement[];
  }

  listTexts(selector: string): readonly string[] {
    return this.list(selector).map(({ textContent }) => textContent.trim());
  }

  /**
   * Returns the element that matches the selector and contains the text. Fails unless exactly one
   * element matches.
   */
  get(selector: string, text: string | RegExp = ""): HTMLElement {
    const fits = (shown: string) =>
      text instanceof RegExp ? text.test(shown) : text === "" || shown === text;
    const found = this.list(selector).filter((one) => fits(one.textContent.trim()));
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) return only;
    const shown = this.document.body.textContent.replaceAll(/\s+/g, " ").slice(0, 1_500);
    throw new Error(`${found.length} elements match ${selector} ${text}: ${shown}`);
  }

  /** Returns the text of the only element that matches the selector. */
  read(selector: string): string {
    return this.get(selector).textContent.trim();
  }

  /** Returns the form field with this label. */
  getField(label: string | RegExp): HTMLElement & { value: string; checked: boolean } {
    const found = this.get("label", label);
    const id = found.getAttribute("for");
    const field = id === null ? found.querySelector("input") : this.document.getElementById(id);
    if (field === null) throw new Error(`${label} has no field`);
    return field as unknown as HTMLElement & { value: string; checked: boolean };
  }

  async click(element: HTMLElement): Promise<void> {
    element.click();
    await this.settle();
  }

  async type(field: HTMLElement & { value: string }, text: string): Promise<void> {
    field.focus();
    field.value = text;
    field.dispatchEvent(new this.#window.Event("input", { bubbles: true }));
    await this.settle();
  }

  /** Presses a key in the focused element. */
  async press(key: string): Promise<void> {
    const options = { key, bubbles: true, cancelable: true };
    this.focused.dispatchEvent(new this.#window.KeyboardEvent("keydown", options));
    await this.settle();
  }

  /** Dispatches an event to the window, such as `online`. */
  async dispatch(name: string): Promise<void> {
    this.#window.dispatchEvent(new this.#window.Event(name));
    await this.settle();
  }

  /** Sends an event to the page through its event stream. */
  async receive(name: string): Promise<void> {
    this.#emit(name);
    await this.settle();
  }

  async runFor(ms: number): Promise<void> {
    await this.clock.runFor(ms, this.settle);
  }
}

export async function openPublicPage(url: string, options: PublicPageOptions): Promise<PublicPage> {
  const page = new PublicPage(options);
  await page.goto(url);
  return page;
}
