import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const project = resolve(import.meta.dirname, "..", "..");

/**
 * Imports a file of the project by its path from the project's folder. The type check does not
 * follow a computed path, so the check of the web application leaves the server to the other one;
 * `Module` is the part of the module that the test uses.
 */
export async function loadModule<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(resolve(project, path)).href)) as Module;
}
