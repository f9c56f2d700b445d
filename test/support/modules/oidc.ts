/** A headless client that stores cookies and follows redirects one at a time. */
export class Walker {
  readonly #cookies = new Map<string, string>();

  get cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Sets a cookie as if this client had signed in before. */
  keepCookie(pair: string): void {
    const at = pair.indexOf("=");
    this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }

  async step(url: string): Promise<Response> {
    const headers = this.#cookies.size === 0 ? {} : { cookie: this.cookieHeader };
    const response = await fetch(url, { redirect: "manual", headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...rules] = line.split(";");
      const at = pair.indexOf("=");
      const isEnded = rules.some((rule) => /expires=Thu, 01 Jan 1970/i.test(rule));
      if (isEnded) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /**
   * Follows redirects until a response without a redirect, or until a URL that `until` accepts.
   * That URL is not requested.
   */
  async walk(
    from: string,
    until: (url: string) => boolean = () => false,
  ): Promise<{ readonly url: string; readonly response: Response }> {
    let url = from;
    for (let hop = 0; hop < 12; hop += 1) {
      const response = await this.step(url);
      const location = response.headers.get("location");
      if (location === null) return { url, response };
      url = new URL(location, url).href;
      if (until(url)) return { url, response };
    }
    throw new Error(`too many redirects at ${url}`);
  }
}
