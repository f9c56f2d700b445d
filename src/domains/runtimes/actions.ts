import { notFound } from "../../platform/errors.ts";
import { type Runtime, runtimes } from "./runtime.ts";

export function listRuntimes(): readonly Runtime[] {
  return runtimes;
}

const byName = new Map(runtimes.map((runtime) => [runtime.name, runtime]));

export function getRuntime(name: string): Runtime {
  const runtime = byName.get(name);
  if (runtime === undefined) throw notFound();
  return runtime;
}
