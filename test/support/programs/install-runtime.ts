/** Installs a runtime in a separate process, which a test can kill. */
import { installRuntime } from "../../../src/kinds/scripts/runtimes/install.ts";

const [runtimesFolder = "", lists = "", name = ""] = process.argv.slice(2);
await installRuntime(name, { runtimesFolder, lists, environment: process.env });
