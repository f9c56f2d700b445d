import { registerHooks } from "node:module";
import { join } from "node:path";
import type { ApiDocument } from "./api-document.ts";
import { projectFolder } from "./source-files.ts";

/** Path of the generated API types that the web application uses. */
export const apiTypesFile = join(projectFolder, "web/api/schema.d.ts");

/**
 * Returns the generated API types. The module hooks are needed because the generator uses the
 * compiler API of TypeScript 5.
 */
export async function writeApiTypes(document: ApiDocument): Promise<string> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const isGenerator = context.parentURL?.includes("/openapi-typescript/") ?? false;
      return next(isGenerator && specifier === "typescript" ? "typescript-5" : specifier, context);
    },
  });
  const name: string = "openapi-typescript";
  const { default: generate, astToString } = await import(name);
  const types = astToString(await generate(structuredClone(document)));
  hooks.deregister();
  return types;
}
