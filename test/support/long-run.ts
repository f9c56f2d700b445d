/**
 * What `npm run test:long` runs and `npm test` does not: tests declared with `isLong`, and more
 * rounds of those that ask `isLongRun`.
 */
import { it as declare, type TestOptions as NodeTestOptions, type TestContext } from "node:test";

type Run = (t: TestContext) => void | Promise<void>;

interface TestOptions extends NodeTestOptions {
  /** `npm test` has a shorter or cheaper test of the same module. */
  readonly isLong?: boolean;
}

export const isLongRun = process.env.LONG_RUN === "1";

/** `test` of `node:test` with one more option. */
export function test(name: string, options: TestOptions | Run, run?: Run): void {
  if (typeof options === "function") return void declare(name, options);
  const { isLong = false, ...others } = options;
  if (!isLong || isLongRun) void declare(name, others, run);
}

export const it = test;
