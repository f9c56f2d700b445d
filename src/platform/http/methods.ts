import type { HttpServer } from "./server.ts";

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

/** Tells a wrong method on a known path (405) from an unknown path (404). */
export function createMethodFinder(
  server: Pick<HttpServer, "addHook">,
): (url: string) => readonly string[] {
  const paths = new Map<string, KnownPath>();
  server.addHook("onRoute", (route) => {
    const path = paths.get(route.url) ?? { pattern: toPattern(route.url), methods: new Set() };
    for (const method of [route.method].flat()) path.methods.add(method);
    paths.set(route.url, path);
  });
  return (url) => {
    const [pathname = ""] = url.split("?", 1);
    const matching = [...paths.values()].filter((path) => path.pattern.test(pathname));
    return [...new Set(matching.flatMap((path) => [...path.methods]))].sort();
  };
}
