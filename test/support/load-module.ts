import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const project = resolve(import.meta.dirname, "..", "..");

/**
 * Imports a file by its path relative to the project folder. The type check does not follow a
 * computed path, so the type check of the web application does not include files of the server.
 * `Module` declares the exports that the test uses.
 */
export async function loadModule<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(resolve(project, path)).href)) as Module;
}
