interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

function toPattern(url: string): RegExp {
  const parts = url
    .split("/")
    .map((part) =>
      part.startsWith(":") ? "[^/]+" : part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    );
  return new RegExp(`^${parts.join("/")}$`);
}

/** Methods by path, to distinguish a wrong method (405) from an unknown path (404). */
export class KnownMethods {
  readonly #paths = new Map<string, KnownPath>();

  add(url: string, methods: string | readonly string[]): void {
    const path = this.#paths.get(url) ?? { pattern: toPattern(url), methods: new Set() };
    for (const method of [methods].flat()) path.methods.add(method);
    this.#paths.set(url, path);
  }

  find(url: string): readonly string[] {
    const [pathname = ""] = url.split("?", 1);
    const matching = [...this.#paths.values()].filter((path) => path.pattern.test(pathname));
    return [...new Set(matching.flatMap((path) => [...path.methods]))].sort();
  }

  /**
   * Returns a hint if a known path differs only in case, in a trailing slash or in a missing `/v1`.
   */
  findSpelling(url: string): string | undefined {
    const [pathname = ""] = url.split("?", 1);
    const trimmed = pathname.replace(/\/+$/, "");
    if (trimmed !== pathname && this.find(trimmed).length > 0) {
      return `This path has no trailing slash: ${trimmed}`;
    }
    const lower = trimmed.toLowerCase();
    if (lower !== trimmed && this.find(lower).length > 0) {
      return `This path is in lower case: ${lower}`;
    }
    const versioned = `/v1${trimmed}`;
    return this.find(versioned).length > 0 ? `Did you mean ${versioned}?` : undefined;
  }
}
