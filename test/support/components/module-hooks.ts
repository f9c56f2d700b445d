/**
 * Module hooks that let Node load the web application. They compile `.tsx` files and replace style
 * sheets, which have no effect without a layout. A CSS module maps every class to its own name.
 */
import { readFileSync } from "node:fs";
import { type LoadFnOutput, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";

const stylesUrl = "vedette:styles";
const classesUrl = "vedette:classes";

const sources: Readonly<Record<string, string>> = {
  [stylesUrl]: "",
  [classesUrl]: "export default new Proxy({}, { get: (_, name) => String(name) });",
};

/**
 * Compiles a `.tsx` file. The result is not cached on disk, because compiling all screens takes
 * only a tenth of a second.
 */
function compile(url: string): LoadFnOutput {
  const path = fileURLToPath(url);
  const { code, errors } = transformSync(path, readFileSync(path, "utf8"), {
    jsx: { runtime: "automatic" },
  });
  const [error] = errors;
  if (error !== undefined) throw error;
  return { format: "module", shortCircuit: true, source: code };
}

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.endsWith(".module.css")) return { url: classesUrl, shortCircuit: true };
    if (specifier.endsWith(".css")) return { url: stylesUrl, shortCircuit: true };
    const isOfPage = /\/web\/|\/node_modules\/@tanstack\//.test(context.parentURL ?? "");
    if (!isOfPage) return next(specifier, context);
    // The condition "node" is removed, because it makes the router render as on a server.
    const conditions = ["browser", ...context.conditions.filter((name) => name !== "node")];
    return next(specifier, { ...context, conditions });
  },
  load: (url, context, next) => {
    const source = sources[url];
    if (source !== undefined) return { format: "module", shortCircuit: true, source };
    return url.endsWith(".tsx") ? compile(url) : next(url, context);
  },
});
