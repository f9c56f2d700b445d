import type { App } from "../../../src/app/app.ts";

export interface Route {
  readonly method: string;
  readonly url: string;
}

/**
 * Returns all routes that are registered in Fastify, so that a test can detect a route without a
 * row.
 */
export function listRoutes(app: App): Route[] {
  const tree = app.server.printRoutes({ includeHooks: false });
  const routes: Route[] = [];
  const trail: string[] = [];
  for (const line of tree.split("\n")) {
    const match = /^((?:[│ ] {3})*)(?:├── |└── )(.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (match === null) continue;
    const [, indent = "", part = "", methods] = match;
    const depth = indent.length / 4;
    trail.length = depth;
    trail[depth] = part;
    if (methods === undefined) continue;
    const url = trail.join("");
    for (const method of methods.split(", ")) routes.push({ method, url });
  }
  return routes.filter(({ method }) => method !== "HEAD" && method !== "OPTIONS");
}
