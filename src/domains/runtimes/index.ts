/**
 * Runtimes for scripted checks: fixed sets of packages on a fixed Node.js version, each with a
 * stage. The catalogue is part of the product (`src/kinds/scripts/runtimes`); an *installation* is a
 * runtime in the data folder of one machine. A check without a script stores a runtime name but
 * does not use it. There is no table.
 */
export { defaultRuntime, runtimes } from "../../kinds/scripts/runtimes/runtime.ts";
export { addRuntimeRoutes, type RuntimesContext } from "./routes.ts";
