/**
 * The runtimes that scripted checks name: fixed sets of packages on a fixed Node.js, each with a
 * stage. A check without a script carries a runtime's name and does not use it. There is no table: the catalogue is
 * part of the product.
 */
export { addRuntimeRoutes } from "./routes.ts";
export { runtimes } from "./runtime.ts";
