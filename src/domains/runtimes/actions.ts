import { notFound } from "../../platform/errors.ts";
import { type Runtime, runtimes } from "./runtime.ts";

export function listRuntimes(): readonly Runtime[] {
  return runtimes;
}

export function getRuntime(name: string): Runtime {
  const runtime = runtimes.find((one) => one.name === name);
  if (runtime === undefined) throw notFound();
  return runtime;
}
