/**
 * Runtimes for scripted checks. A *runtime* is a fixed set of packages on a fixed Node.js version,
 * with a stage such as CURRENT or DEPRECATED. The catalogue is part of the product
 * (`src/sandbox/runtimes`). An *installation* is a runtime in the data folder of one machine.
 * Checks without scripts also store the name of a runtime, but do not use it. Tables: none.
 */
export { defaultRuntime, runtimes } from "../../sandbox/runtimes/runtime.ts";
export { addRuntimeRoutes, type RuntimesContext } from "./routes.ts";
