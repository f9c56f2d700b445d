/** Installs a runtime in a separate process, so that a test can kill the installation. */
import { installRuntime } from "../../../src/sandbox/runtimes/install.ts";

const [runtimesFolder = "", lists = "", name = ""] = process.argv.slice(2);
await installRuntime(name, { runtimesFolder, lists, environment: process.env });
