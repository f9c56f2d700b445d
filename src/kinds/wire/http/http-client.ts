import { doesHostMatch } from "../../../platform/net/host.ts";
import {
  hostOf,
  isRedirect,
  keepPublicHeaders,
  mayKeepSecrets,
  portOf,
} from "../../../platform/outbound-guard.ts";
import { clipText, toShortLine } from "../../../platform/text/clip.ts";
import type { SocketTools } from "../network/socket-work.ts";
import { summariseTls } from "../tls/tls-facts.ts";
import { type Answered, exchange, explainFailure, type Failed, findOwnFault } from "./exchange.ts";
import type { HttpHop, HttpOutcome, HttpPhases, HttpTrouble } from "./http-measurement.ts";
import { type HeaderField, type HttpRequest, maxRedirects } from "./http-measurement.ts";
import { type AnswerHead, buildFirstMessage, type Message } from "./http-wire.ts";

/** Maximum length of a redirect URL, equal to the limit for the URL of a check. */
const maxUrlLength = 2_048;

type Redirect =
  | { readonly kind: "follow"; readonly message: Message }
  | { readonly kind: "refused"; readonly message: string };

/** Decides how to handle the redirect that a response requests; `null` if it requests none. */
function decideRedirect(message: Message, head: AnswerHead): Redirect | null {
  const location = head.headers.find(([name]) => name === "location")?.[1];
  if (!isRedirect(head.status, location)) return null;
  const url = location.length > maxUrlLength ? null : URL.parse(location, message.url);
  if (url === null || url.href.length > maxUrlLength) {
    return reject(`The redirect target is not a URL of at most ${maxUrlLength} characters.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return reject(`The server redirects to ${url.protocol}; only http and https are followed.`);
  }
  // Credentials in a Location header are removed, because they come from the server, not the user.
  url.username = "";
  url.password = "";
  url.hash = "";
  return followTo(url, message, head.status);
}

function followTo(url: URL, message: Message, status: number): Redirect {
  const isSafe = message.method === "GET" || message.method === "HEAD";
  const dropsBody = status === 303 || ((status === 301 || status === 302) && !isSafe);
  const isOtherOrigin = !mayKeepSecrets(message.url, url);
  if (!dropsBody && message.body !== null && isOtherOrigin) {
    return reject("The server redirects a request with a body to another origin.");
  }
  const method = dropsBody && message.method !== "HEAD" ? "GET" : message.method;
  const body = dropsBody ? null : message.body;
  return { kind: "follow", message: { url, method, body, headers: nextHeaders() } };

  function nextHeaders(): HeaderField[] {
    const kept = message.headers.filter(([name]) => {
      if (name === "host") return false;
      return !(dropsBody && name.startsWith("content-"));
    });
    const known = isOtherOrigin ? keepForOtherOrigin(kept) : kept;
    return [["host", url.host], ...known];
  }
}

const harmless = new Set(["accept", "accept-encoding", "accept-language"]);

/** Returns the headers that are safe for another origin. Other headers may contain secrets. */
function keepForOtherOrigin(headers: readonly HeaderField[]): HeaderField[] {
  const open = keepPublicHeaders(Object.fromEntries(headers));
  return headers.filter(([name]) => harmless.has(name) || Object.hasOwn(open, name));
}

function reject(message: string): Redirect {
  return { kind: "refused", message };
}

/** Maximum stored length of a response's status text. */
const maxStatusTextLength = 100;
/** Maximum stored length of a URL that redirected. */
const maxHopUrlLength = 500;

/**
 * Sends a request and follows redirects. For every request, the client resolves the name, checks
 * the address against the address guard and connects to exactly the checked address. Never rejects
 * for network errors.
 */
export function requestHttp(request: HttpRequest, tools: SocketTools): Promise<HttpOutcome> {
  return new RedirectChain(request, tools).follow();
}

/** A failure, without the redirects that the client followed before it. */
type Stop = Pick<HttpTrouble, "kind" | "code" | "message" | "phase"> &
  Partial<Pick<HttpTrouble, "resolvedIp" | "phases" | "tls">>;

class RedirectChain {
  readonly #request: HttpRequest;
  readonly #tools: SocketTools;
  readonly #startedMs = performance.now();
  readonly #hops: HttpHop[] = [];
  #url = "";

  constructor(request: HttpRequest, tools: SocketTools) {
    this.#request = request;
    this.#tools = tools;
  }

  async follow(): Promise<HttpOutcome> {
    let message = buildFirstMessage(this.#request);
    this.#url = message?.url.href ?? "";
    if (message === null) {
      const text = "The URL is invalid for HTTP.";
      return this.#stop({ kind: "failed", code: "EBADURL", message: text, phase: "dns" });
    }
    for (;;) {
      this.#url = message.url.href;
      const next: Message | HttpOutcome = await this.#send(message);
      if ("kind" in next) return next;
      message = next;
    }
  }

  #leftMs(): number {
    return this.#request.timeoutMs - (performance.now() - this.#startedMs);
  }

  /**
   * Sends one request. Returns the next request to send if the client follows a redirect; otherwise
   * returns the outcome.
   */
  async #send(message: Message): Promise<Message | HttpOutcome> {
    const request = this.#request;
    const sentMs = performance.now();
    const host = hostOf(message.url);
    const resolution = await this.#tools.resolver.resolve(host, request.ipFamily);
    const { durationMs: dnsMs } = resolution;
    if (resolution.error !== undefined) {
      const { code, message: text } = resolution.error;
      // `EBUSY` means that the probe is overloaded and did not query the name, so nothing is known
      // about the target.
      if (code === "EBUSY") return { kind: "overloaded", message: text };
      const phases = { dnsMs };
      return this.#stop({ kind: "unresolved", code, message: text, phase: "dns", phases });
    }
    const { address } = resolution;
    this.#tools.onStep?.({ step: "resolved", host, address, durationMs: dnsMs });
    const found = { resolvedIp: address, phases: { dnsMs } };
    const denial = this.#tools.reach.findDenial(address, portOf(message.url));
    if (denial !== null) {
      const denied = { kind: "denied", code: "EDENIED", message: denial } as const;
      return this.#stop({ ...denied, phase: "connect", ...found });
    }
    const shown = request.clientCertificate;
    const result = await exchange({
      message,
      address,
      skipSSL: request.skipSSL,
      clientCertificate: shown !== null && doesHostMatch(shown.host, host) ? shown : null,
      timeoutMs: Math.max(0, this.#leftMs()),
      keptBytes: request.keptBytes,
      onStep: this.#tools.onStep,
      shouldReadBody: (head) => !request.followRedirects || decideRedirect(message, head) === null,
    });
    if (result.kind === "failed") return this.#failed(result, address, dnsMs);
    return this.#answered(message, result, { address, dnsMs, sentMs });
  }

  #failed(failed: Failed, resolvedIp: string, dnsMs: number): HttpOutcome {
    const { code, phase, connectMs, tlsMs, tls } = failed;
    const own = findOwnFault(code);
    if (own !== null) return own;
    const explained = explainFailure(failed, this.#request.timeoutMs);
    const phases = {
      dnsMs,
      ...(connectMs !== null && { connectMs }),
      ...(tlsMs !== null && { tlsMs }),
    };
    return this.#stop({ ...explained, code, phase, resolvedIp, phases, tls });
  }

  #answered(
    message: Message,
    answered: Answered,
    { address, dnsMs, sentMs }: { address: string; dnsMs: number; sentMs: number },
  ): Message | HttpOutcome {
    const { head, tls, connectMs, tlsMs, firstByteMs, bodyMs } = answered;
    const phases: HttpPhases = { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs };
    const url = message.url.href;
    const redirect = this.#request.followRedirects ? decideRedirect(message, head) : null;
    if (redirect === null)
      return this.#arrived(answered, { url, resolvedIp: address, phases, sentMs });
    const stop = { phase: "redirect", resolvedIp: address, phases, tls } as const;
    if (redirect.kind === "refused") {
      const { message: text } = redirect;
      return this.#stop({ kind: "redirect-refused", code: "EREDIRECT", message: text, ...stop });
    }
    if (this.#hops.length >= maxRedirects) {
      const text = `The server redirected more than ${maxRedirects} times.`;
      return this.#stop({ kind: "too-many-redirects", code: "ELOOP", message: text, ...stop });
    }
    const kept = clipText(url, maxHopUrlLength);
    this.#tools.onStep?.({ step: "redirected", status: head.status, from: kept });
    this.#hops.push({ url: kept, status: head.status, resolvedIp: address, phases });
    return redirect.message;
  }

  #arrived(
    { head, receivedBytes, body, bodyEnd, tls }: Answered,
    last: { url: string; resolvedIp: string; phases: HttpPhases; sentMs: number },
  ): HttpOutcome {
    const { sentMs, phases, ...where } = last;
    const { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs } = phases;
    const redirectMs = this.#hops.length === 0 ? 0 : sentMs - this.#startedMs;
    const lastMs = dnsMs + connectMs + (tlsMs ?? 0) + firstByteMs + bodyMs;
    const measurement = {
      hops: this.#hops,
      ...where,
      ...describeHead(head),
      phases,
      redirectMs,
      totalMs: redirectMs + lastMs,
      receivedBytes,
      bodyEnd,
      tls,
    };
    return { kind: "answered", answer: { measurement, body } };
  }

  #stop(stop: Stop): HttpOutcome {
    const { resolvedIp = null, phases = {}, tls = null, ...failure } = stop;
    const shown = tls && summariseTls(tls);
    const trouble = {
      ...failure,
      url: this.#url,
      resolvedIp,
      phases,
      hops: this.#hops,
      tls: shown,
    };
    return { kind: "unreachable", trouble };
  }
}

function describeHead({ status, statusText, httpVersion, headers }: AnswerHead) {
  const text = statusText === "" ? "" : toShortLine(statusText, maxStatusTextLength);
  return { status, statusText: text, httpVersion, headers };
}
