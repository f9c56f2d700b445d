/**
 * Runtimes for scripted checks: fixed sets of packages on a fixed Node.js version, each with a
 * stage. A check without a script stores a runtime name but does not use it. There is no table: the
 * catalogue is part of the product.
 */
export { addRuntimeRoutes } from "./routes.ts";
export { defaultRuntime, runtimes } from "./runtime.ts";
